import { Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import type { MediaItem, MediaKind } from '../../../src-main/contract/media.ts';
import { useList } from '../../client/queries.ts';
import { Empty, ErrorNote, Loaded } from '../../ui/states.tsx';
import { MediaGrid } from './grid.tsx';

interface Props {
  readonly kind: MediaKind | undefined;
  readonly query: string;
  readonly onOpen: (item: MediaItem) => void;
  readonly onDelete: (item: MediaItem) => void;
  readonly onShowAll: () => void;
}

/** The files that fit, in pages that come as they are scrolled to. */
export function FileList({ kind, query, onOpen, onDelete, onShowAll }: Props): ReactElement {
  const list = useList('media.list', {
    limit: 100,
    ...(query !== '' && { query }),
    ...(kind !== undefined && { kind }),
  });
  const { items } = list;
  if (list.data === undefined || items.length > 0) {
    return (
      <Loaded query={list} what="your files">
        {() => (
          <>
            <MediaGrid
              items={items}
              hasMore={list.hasNextPage}
              onMore={list.more}
              onOpen={onOpen}
              onDelete={onDelete}
            />
            <ErrorNote error={list.error} doing="The files could not all be read." />
            {list.isFetchNextPageError && (
              <Group mt="sm">
                <Button variant="default" loading={list.isFetching} onClick={() => void list.fetchNextPage()}>
                  Try again
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
      <Empty>
        No file is here yet. Pictures and other files that apps send with your posts come here, and so do
        those that you add.
      </Empty>
    );
  }
  return (
    <Empty
      step={
        <Button variant="default" onClick={onShowAll}>
          Show all files
        </Button>
      }
    >
      No file fits.
    </Empty>
  );
}
