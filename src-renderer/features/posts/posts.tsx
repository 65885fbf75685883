import { Button } from '@mantine/core';
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks';
import { IconPencil } from '../../ui/icons.ts';
import { useState, type ReactElement } from 'react';
import { useList } from '../../client/queries.ts';
import { useSiteName } from '../../client/own-site.ts';
import { setFilters, useRoute, writeHash } from '../../routes.ts';
import { BesideList } from '../../ui/beside.tsx';
import row from '../../ui/list-row.module.css';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorNote, Loaded } from '../../ui/states.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { commonWords } from '../../ui/words.ts';
import { DamagedPosts } from './damaged.tsx';
import { EditedFiles } from './edited-files.tsx';
import { PostFilters, postFiltersIn } from './filters.tsx';
import { usePostActions, type PostActions } from './post-actions.ts';
import { PostRow } from './post-row.tsx';
import { PostPreview } from './preview.tsx';
import { pageWords } from './words.ts';

const pageSize = 100;
const rowHeight = 56;
/** Milliseconds without typing before Porchlight searches. */
const typingPause = 250;

/** The owner's posts, to search, read, delete and restore. */
export function Posts(): ReactElement {
  const { id: opened, filters } = useRoute();
  const filter = postFiltersIn(filters);
  const list = useList('posts.list', { ...filter, limit: pageSize });
  const site = useSiteName();
  const beside = useMediaQuery('(min-width: 1100px)');
  const [search, setSearch] = useState(filters.query ?? '');

  const narrow = (change: Record<string, string>) => setFilters('posts', { ...filters, ...change });
  const open = (url: string) => setFilters('posts', { ...filters, id: url });
  const close = () => setFilters('posts', filters);
  const actions = usePostActions((from, post) => {
    if (from === opened) open(post.url);
  });
  /** A post that leaves the list closes. */
  const closing: PostActions = {
    ...actions,
    remove(post) {
      close();
      actions.remove(post);
    },
    restore(post) {
      close();
      actions.restore(post);
    },
  };
  const narrowLater = useDebouncedCallback((query: string) => narrow({ query }), typingPause);
  const onSearch = (text: string) => {
    setSearch(text);
    narrowLater(text);
  };
  const narrowed = Object.keys(filter).length > 0;
  const clear = () => {
    narrowLater.cancel();
    setSearch('');
    setFilters('posts', {});
  };
  const write = (
    <Button
      component="a"
      href={writeHash()}
      color="amber.5"
      leftSection={<IconPencil size={16} aria-hidden="true" />}
    >
      {pageWords.newPost}
    </Button>
  );

  return (
    <Page title={pageWords.title} about={pageWords.about} actions={write}>
      <DamagedPosts />
      <EditedFiles />
      <PostFilters filter={filter} search={search} onSearch={onSearch} onChange={narrow} />
      <BesideList open={opened !== null && beside}>
        <div className={list.isPlaceholderData ? row.old : undefined}>
          <Loaded query={list} what={pageWords.loads}>
            {() =>
              list.items.length === 0 ? (
                narrowed ? (
                  <Empty
                    drawing="search"
                    step={
                      <Button variant="default" onClick={clear}>
                        {pageWords.showAll}
                      </Button>
                    }
                  >
                    {filter.status === 'deleted' && filter.query === undefined && filter.kind === undefined
                      ? pageWords.noneDeleted
                      : pageWords.noMatch}
                  </Empty>
                ) : (
                  <Empty
                    drawing="page"
                    step={
                      <Button component="a" href={writeHash()} variant="default">
                        {pageWords.first}
                      </Button>
                    }
                  >
                    {pageWords.noneYet(site)}
                  </Empty>
                )
              ) : (
                <VirtualList
                  label={pageWords.list}
                  items={list.items}
                  keyOf={({ url }) => url}
                  rowHeight={rowHeight}
                  hasMore={list.hasNextPage}
                  onMore={list.more}
                  onItemKey={(post, event) => {
                    if (event.key === 'Delete' && post.deletedAt === null) actions.remove(post);
                    if (event.key === 'Escape') close();
                  }}
                >
                  {(post, tabIndex) => (
                    <PostRow
                      post={post}
                      open={post.url === opened}
                      tabIndex={tabIndex}
                      onOpen={() => open(post.url)}
                      actions={post.url === opened ? closing : actions}
                    />
                  )}
                </VirtualList>
              )
            }
          </Loaded>
          {list.isFetchNextPageError && (
            <>
              <ErrorNote error={list.error} doing={pageWords.olderFailed} />
              <Button variant="default" mt="sm" onClick={() => void list.fetchNextPage()}>
                {commonWords.tryAgain}
              </Button>
            </>
          )}
        </div>
        {opened !== null && (
          <PostPreview
            url={opened}
            beside={beside}
            listLabel={pageWords.list}
            onClose={close}
            actions={closing}
          />
        )}
      </BesideList>
    </Page>
  );
}
