import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactElement } from 'react';
import type { MediaItem } from '../../../src-main/contract/media.ts';
import { useList } from '../../client/queries.ts';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { commonWords } from '../../ui/words.ts';
import { Tile } from '../media/grid.tsx';
import { pickerWords as words } from './words.ts';
import styles from './write.module.css';

interface Props {
  readonly onPick: (item: MediaItem) => void;
  readonly onClose: () => void;
}

/** Lets the owner choose one of the pictures on the server. */
export function MediaPicker({ onPick, onClose }: Props): ReactElement {
  useReturnFocus();
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), 200);
  const list = useList('media.list', { kind: 'image', limit: 60, ...(query !== '' && { query }) });
  return (
    <Modal
      opened
      size="xl"
      title={words.title}
      closeButtonProps={{ 'aria-label': commonWords.close }}
      onClose={onClose}
    >
      <Stack>
        <Group>
          <SearchField label={words.search} value={typed} onChange={setTyped} />
        </Group>
        <Loaded query={list} what={words.list}>
          {() =>
            list.items.length === 0 ? (
              <Text c="dimmed">{query === '' ? words.empty : words.none}</Text>
            ) : (
              <ul className={styles.pictures} aria-label={words.list}>
                {list.items.map((item) => (
                  <li key={item.url}>
                    <Tile item={item} tabIndex={0} onOpen={() => onPick(item)} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
        {list.hasNextPage && (
          <div>
            <Button variant="default" size="xs" loading={list.isFetching} onClick={list.more}>
              {words.more}
            </Button>
          </div>
        )}
      </Stack>
    </Modal>
  );
}
