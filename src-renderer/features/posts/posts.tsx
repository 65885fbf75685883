import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPencil } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { useList } from '../../client/queries.ts';
import { useSiteName } from '../../client/own-site.ts';
import { setFilters, writeHash } from '../../routes.ts';
import { BesideList } from '../../ui/beside.tsx';
import row from '../../ui/list-row.module.css';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded, MoreFailed, NoMatch } from '../../ui/states.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { useFilters } from '../../use-filters.ts';
import { DamagedPosts } from './damaged.tsx';
import { EditedFiles } from './edited-files.tsx';
import { PostFilters, postFiltersIn } from './filters.tsx';
import { usePostActions, type PostActions } from './post-actions.ts';
import { PostRow } from './post-row.tsx';
import { PostPreview } from './preview.tsx';
import { pageWords } from './words.ts';

const pageSize = 100;
const rowHeight = 56;

/** The owner's posts, to search, read, delete and restore. */
export function Posts(): ReactElement {
  const { opened, filters, search, narrow, onSearch, start } = useFilters('posts');
  const filter = postFiltersIn(filters);
  const list = useList('posts.list', { ...filter, limit: pageSize });
  const site = useSiteName();
  const beside = useMediaQuery('(min-width: 1100px)');

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
  const narrowed = Object.keys(filter).length > 0;
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
                  <NoMatch showAll={pageWords.showAll} onShowAll={() => start()}>
                    {filter.status === 'deleted' && filter.query === undefined && filter.kind === undefined
                      ? pageWords.noneDeleted
                      : pageWords.noMatch}
                  </NoMatch>
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
          <MoreFailed list={list} doing={pageWords.olderFailed} />
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
