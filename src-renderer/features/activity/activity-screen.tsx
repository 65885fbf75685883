import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { useList } from '../../client/queries.ts';
import { writeHash } from '../../routes.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded, MoreFailed, NoMatch } from '../../ui/states.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { useFilters } from '../../use-filters.ts';
import { ActivityRow } from './activity-row.tsx';
import { ActivityFilters, activityFiltersIn } from './filters.tsx';
import { SupportFile } from './support-file.tsx';
import styles from './activity.module.css';
import { activityWords } from './words.ts';

const pageSize = 100;
/** A guess, in pixels: most lines are one line of text. */
const rowHeight = 44;

/** The activity, newest first, and the support file. */
export function ActivityScreen(): ReactElement {
  const { filters, search, narrow, onSearch, start } = useFilters('activity');
  const filter = activityFiltersIn(filters);
  const list = useList('activity.list', { ...filter, limit: pageSize });

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
              <NoMatch showAll={activityWords.showAll} onShowAll={() => start()}>
                {activityWords.noMatches}
              </NoMatch>
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
        <MoreFailed list={list} doing={activityWords.moreFailed} />
      </div>
    </Page>
  );
}
