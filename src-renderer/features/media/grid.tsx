import { useElementSize } from '@mantine/hooks';
import type { ReactElement } from 'react';
import type { MediaItem } from '../../../src-main/contract/media.ts';
import { VirtualList } from '../../ui/virtual-list.tsx';
import styles from './media.module.css';
import { Tile } from './tile.tsx';

interface Props {
  readonly items: readonly MediaItem[];
  readonly hasMore: boolean;
  readonly onMore: () => void;
  readonly onOpen: (item: MediaItem) => void;
  readonly onDelete: (item: MediaItem) => void;
}

/** Pixels that a tile needs; the rest of the width is shared out. */
const tileWidth = 150;
const rowHeight = 190;

/** The files as tiles, as many side by side as there is room for. */
export function MediaGrid({ items, hasMore, onMore, onOpen, onDelete }: Props): ReactElement {
  const { ref, width } = useElementSize();
  return (
    <div ref={ref} className={styles.grid}>
      <VirtualList
        label="Files"
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
