import { Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { ReactElement } from 'react';
import type { MediaItem } from '../../../src-main/contract/media.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import styles from './media.module.css';
import { Thumbnail } from './thumbnail.tsx';
import { fileWords, listWords, sizeWords } from './words.ts';

interface Props {
  readonly items: readonly MediaItem[];
  readonly hasMore: boolean;
  readonly onMore: () => void;
  readonly onOpen: (item: MediaItem) => void;
  readonly onDelete: (item: MediaItem) => void;
}

/** The smallest width of a tile, in pixels. Tiles share the rest of the width. */
const tileWidth = 150;
const rowHeight = 190;

/** Shows the files as tiles, in as many columns as fit. */
export function MediaGrid({ items, hasMore, onMore, onOpen, onDelete }: Props): ReactElement {
  const { ref, width } = useElementSize();
  return (
    <div ref={ref} className={styles.grid}>
      <VirtualList
        label={listWords.label}
        items={items}
        keyOf={({ url }) => url}
        rowHeight={rowHeight}
        columns={Math.max(2, Math.floor(width / tileWidth))}
        hasMore={hasMore}
        onMore={onMore}
        onItemKey={(item, event) => {
          if (event.key === 'Delete') onDelete(item);
        }}
      >
        {(item, tabIndex) => <Tile item={item} tabIndex={tabIndex} onOpen={() => onOpen(item)} />}
      </VirtualList>
    </div>
  );
}

interface TileProps {
  readonly item: MediaItem;
  readonly tabIndex: 0 | -1;
  readonly onOpen: () => void;
}

/** One file in the grid. */
export function Tile({ item, tabIndex, onOpen }: TileProps): ReactElement {
  return (
    <button type="button" className={styles.tile} tabIndex={tabIndex} onClick={onOpen}>
      <Thumbnail item={item} />
      <Text component="span" size="sm" fw={500} truncate>
        <Foreign text={item.name} fallback={fileWords.unnamed} />
      </Text>
      <Text component="span" size="xs" c="dimmed" truncate>
        {sizeWords(item.bytes)} · <Ago at={item.uploadedAt} />
      </Text>
    </button>
  );
}
