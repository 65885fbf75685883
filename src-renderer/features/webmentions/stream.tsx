import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useState, type KeyboardEvent, type ReactElement, type ReactNode } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { useAnswer, useList } from '../../client/queries.ts';
import { BesideList } from '../../ui/beside.tsx';
import row from '../../ui/list-row.module.css';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { BlockSite } from './block-site.tsx';
import type { Wanted } from './filters.tsx';
import { MentionRow } from './mention-row.tsx';
import { useModeration } from './moderation.tsx';
import { Opened } from './opened.tsx';

const pageSize = 100;
const rowHeight = 64;
const listLabel = 'Webmentions';

interface Props {
  readonly wanted: Wanted;
  readonly opened: string | null;
  readonly onOpen: (id: string | null) => void;
  readonly onOnlySite: (host: string) => void;
  /** Instead of a list without anything in it. */
  readonly empty: ReactNode;
}

/** Mentions, newest first, and the one that was opened. */
export function Stream({ wanted, opened, onOpen, onOnlySite, empty }: Props): ReactElement {
  const list = useList('webmentions.list', { ...wanted, limit: pageSize });
  const beside = useMediaQuery('(min-width: 1100px)');
  // What was opened stays open where the list, narrowed to a state that it had, holds it no more.
  const [seen, setSeen] = useState<MentionRecord | null>(null);
  const [blocking, setBlocking] = useState<MentionRecord | null>(null);
  const moderation = useModeration((changed) =>
    setSeen((before) => (before?.id === changed.id ? changed : before)),
  );
  const listed = opened === null ? undefined : list.items.find(({ id }) => id === opened);
  const open = listed ?? (seen !== null && seen.id === opened ? seen : undefined);
  const close = () => onOpen(null);

  const onKey = (mention: MentionRecord, event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'a') moderation.approve(mention);
    if (event.key === 'h') moderation.hide(mention);
    if (event.key === 'Delete') moderation.remove(mention);
    if (event.key === 'Escape') close();
  };

  return (
    <BesideList open={open !== undefined && beside}>
      <div className={list.isPlaceholderData ? row.old : undefined}>
        <Loaded query={list} what="your webmentions">
          {() =>
            list.items.length === 0 ? (
              empty
            ) : (
              <VirtualList
                label={listLabel}
                items={list.items}
                keyOf={({ id }) => id}
                rowHeight={rowHeight}
                hasMore={list.hasNextPage}
                onMore={list.more}
                onItemKey={onKey}
              >
                {(mention, tabIndex) => (
                  <MentionRow
                    mention={mention}
                    open={mention.id === opened}
                    tabIndex={tabIndex}
                    onOpen={() => {
                      setSeen(mention);
                      onOpen(mention.id);
                    }}
                  />
                )}
              </VirtualList>
            )
          }
        </Loaded>
        {list.isFetchNextPageError && (
          <>
            <ErrorNote error={list.error} doing="Porchlight could not read the older ones." />
            <Button variant="default" mt="sm" onClick={() => void list.fetchNextPage()}>
              Try again
            </Button>
          </>
        )}
      </div>
      {opened !== null && !open && <Sought key={opened} id={opened} onFound={setSeen} />}
      {/* One dialog at a time: the question takes the place of the drawer, and gives it back. */}
      {open && (beside || !blocking) && (
        <Opened
          mention={open}
          beside={beside}
          moderation={moderation}
          onKey={(event) => onKey(open, event)}
          onBlock={() => setBlocking(open)}
          onOnlySite={onOnlySite}
          listLabel={listLabel}
          onClose={close}
        />
      )}
      {blocking && <BlockSite mention={blocking} onClose={() => setBlocking(null)} />}
    </BesideList>
  );
}

/** Looks for a mention that an address names and that the list, as far as it is read, does not hold. */
function Sought({ id, onFound }: { id: string; onFound: (mention: MentionRecord) => void }): null {
  const { data } = useAnswer('webmentions.get', { id });
  useEffect(() => {
    if (data) onFound(data.mention);
  }, [data, onFound]);
  return null;
}
