import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { MediaItem } from '../../../src-main/contract/media.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import styles from './media.module.css';
import { Thumbnail } from './thumbnail.tsx';
import { fileWords, sizeWords } from './words.ts';

interface Props {
  readonly item: MediaItem;
  readonly tabIndex: 0 | -1;
  readonly onOpen: () => void;
}

/** One file in the grid. */
export function Tile({ item, tabIndex, onOpen }: Props): ReactElement {
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
