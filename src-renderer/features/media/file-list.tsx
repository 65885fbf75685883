import { Button, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { MediaItem, MediaKind } from '../../../src-main/contract/media.ts';
import { useList } from '../../client/queries.ts';
import { Empty, ErrorNote, Loaded, NoMatch } from '../../ui/states.tsx';
import { commonWords } from '../../ui/words.ts';
import { MediaGrid } from './grid.tsx';
import { listWords } from './words.ts';

interface Props {
  readonly kind: MediaKind | undefined;
  readonly query: string;
  readonly onOpen: (item: MediaItem) => void;
  readonly onDelete: (item: MediaItem) => void;
  readonly onShowAll: () => void;
  /** The button that adds files. */
  readonly addFiles: ReactElement;
}

/** The files that match the filters. Scrolling loads more of them. */
export function FileList({ kind, query, onOpen, onDelete, onShowAll, addFiles }: Props): ReactElement {
  const list = useList('media.list', {
    limit: 100,
    ...(query !== '' && { query }),
    ...(kind !== undefined && { kind }),
  });
  const { items } = list;
  const converting = list.data?.pages.at(-1)?.converting ?? 0;
  if (list.data === undefined || items.length > 0) {
    return (
      <Loaded query={list} what={listWords.loads}>
        {() => (
          <>
            {converting > 0 && (
              <Text role="status" size="sm" c="dimmed" mb="sm">
                {listWords.converting(converting)}
              </Text>
            )}
            <MediaGrid
              items={items}
              hasMore={list.hasNextPage}
              onMore={list.more}
              onOpen={onOpen}
              onDelete={onDelete}
            />
            <ErrorNote error={list.error} doing={listWords.incomplete} />
            {list.isFetchNextPageError && (
              <Group mt="sm">
                <Button variant="default" loading={list.isFetching} onClick={() => void list.fetchNextPage()}>
                  {commonWords.tryAgain}
                </Button>
              </Group>
            )}
          </>
        )}
      </Loaded>
    );
  }
  if (kind === undefined && query === '') {
    return (
      <Empty drawing="picture" step={addFiles}>
        {listWords.noneYet}
      </Empty>
    );
  }
  return (
    <NoMatch showAll={listWords.showAll} onShowAll={onShowAll}>
      {listWords.noMatch}
    </NoMatch>
  );
}
