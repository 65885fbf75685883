import { Button } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState, type ReactElement } from 'react';
import { useList } from '../../client/queries.ts';
import { setFilters, useRoute, writeHash } from '../../routes.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorNote, Loaded } from '../../ui/states.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { ActivityRow } from './activity-row.tsx';
import { ActivityFilters, activityFiltersIn } from './filters.tsx';
import { SupportFile } from './support-file.tsx';
import styles from './activity.module.css';
import { activityWords } from './words.ts';

const pageSize = 100;
/** A guess, in pixels: most lines are one line of text. */
const rowHeight = 44;
/** Milliseconds without a key before the list is asked again. */
const typingPause = 250;

/** The activity, newest first, and the support file. */
export function ActivityScreen(): ReactElement {
  const { filters } = useRoute();
  const filter = activityFiltersIn(filters);
  const list = useList('activity.list', { ...filter, limit: pageSize });
  const [search, setSearch] = useState(filters.query ?? '');
  const narrow = (change: Record<string, string>) => setFilters('activity', { ...filters, ...change });
  const narrowLater = useDebouncedCallback((query: string) => narrow({ query }), typingPause);
  const onSearch = (text: string) => {
    setSearch(text);
    narrowLater(text);
  };
  const clear = () => {
    narrowLater.cancel();
    setSearch('');
    setFilters('activity', {});
  };

  return (
    <Page title={activityWords.title} about={activityWords.about} actions={<SupportFile />}>
      <ActivityFilters filter={filter} search={search} onSearch={onSearch} onChange={narrow} />
      <div className={list.isPlaceholderData ? styles.old : undefined}>
        <Loaded query={list} what={activityWords.what}>
          {() =>
            list.items.length > 0 ? (
              <VirtualList
                label={activityWords.list}
                items={list.items}
                keyOf={({ id }) => id}
                rowHeight={rowHeight}
                measured
                hasMore={list.hasNextPage}
                onMore={list.more}
              >
                {(item) => <ActivityRow item={item} />}
              </VirtualList>
            ) : Object.keys(filter).length > 0 ? (
              <Empty
                drawing="search"
                step={
                  <Button variant="default" onClick={clear}>
                    {activityWords.showAll}
                  </Button>
                }
              >
                {activityWords.noMatches}
              </Empty>
            ) : (
              <Empty
                drawing="door"
                step={
                  <Button component="a" href={writeHash()} variant="default">
                    {activityWords.write}
                  </Button>
                }
              >
                {activityWords.empty}
              </Empty>
            )
          }
        </Loaded>
        {list.isFetchNextPageError && (
          <>
            <ErrorNote error={list.error} doing={activityWords.moreFailed} />
            <Button variant="default" mt="sm" onClick={() => void list.fetchNextPage()}>
              {activityWords.tryAgain}
            </Button>
          </>
        )}
      </div>
    </Page>
  );
}
