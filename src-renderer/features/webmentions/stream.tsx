import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useState, type KeyboardEvent, type ReactElement, type ReactNode } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { useAnswer, useList } from '../../client/queries.ts';
import { BesideList } from '../../ui/beside.tsx';
import row from '../../ui/list-row.module.css';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { Block, type BlockWhat } from './block.tsx';
import type { MentionFilter } from './filters.tsx';
import { MentionRow } from './mention-row.tsx';
import { useModeration } from './moderation.tsx';
import { Opened } from './opened.tsx';
import { useSelection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { listWords } from './words.ts';

const pageSize = 100;
const rowHeight = 64;

interface Props {
  readonly filter: MentionFilter;
  readonly opened: string | null;
  readonly onOpen: (id: string | null) => void;
  readonly onOnlySite: (host: string) => void;
  /** What stands in place of an empty list. */
  readonly empty: ReactNode;
}

/** Mentions, newest first, and the one that is open. */
export function Stream({ filter, opened, onOpen, onOnlySite, empty }: Props): ReactElement {
  const list = useList('webmentions.list', { ...filter, limit: pageSize });
  const beside = useMediaQuery('(min-width: 1100px)');
  // An open mention stays open when a decision takes it out of a filtered list.
  const [seen, setSeen] = useState<MentionRecord | null>(null);
  const [blocking, setBlocking] = useState<{ mentions: readonly MentionRecord[]; what: BlockWhat } | null>(
    null,
  );
  const moderation = useModeration((changed) =>
    setSeen((before) => (before?.id === changed.id ? changed : before)),
  );
  const selection = useSelection(list.items, JSON.stringify(filter));
  const listed = opened === null ? undefined : list.items.find(({ id }) => id === opened);
  const open = listed ?? (seen !== null && seen.id === opened ? seen : undefined);
  const close = () => onOpen(null);

  const onKey = (mention: MentionRecord, event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'a') moderation.decide([mention], 'approved');
    if (event.key === 'h') moderation.decide([mention], 'hidden');
    if (event.key === 'Delete') moderation.decide([mention], 'deleted');
    if (event.key === 'x' || event.key === 'X') selection.toggle(mention.id, event.shiftKey);
    if (event.key === 'Escape') close();
  };

  return (
    <BesideList open={open !== undefined && beside}>
      <div className={list.isPlaceholderData ? row.old : undefined}>
        <Loaded query={list} what={listWords.what}>
          {() =>
            list.items.length === 0 ? (
              empty
            ) : (
              <>
                <SelectionBar
                  selection={selection}
                  shown={list.items.length}
                  moderation={moderation}
                  onBlock={(mentions, what) => setBlocking({ mentions, what })}
                />
                <div>
                  <VirtualList
                    label={listWords.label}
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
                        selected={selection.has(mention.id)}
                        tabIndex={tabIndex}
                        onSelect={(range) => selection.toggle(mention.id, range)}
                        onOpen={() => {
                          setSeen(mention);
                          onOpen(mention.id);
                        }}
                      />
                    )}
                  </VirtualList>
                </div>
              </>
            )
          }
        </Loaded>
        {list.isFetchNextPageError && (
          <>
            <ErrorNote error={list.error} doing={listWords.olderFailed} />
            <Button variant="default" mt="sm" onClick={() => void list.fetchNextPage()}>
              {listWords.tryAgain}
            </Button>
          </>
        )}
      </div>
      {opened !== null && !open && <Sought key={opened} id={opened} onFound={setSeen} />}
      {/* Only one dialog at a time: the question takes the place of the drawer, which comes back afterwards. */}
      {open && (beside || !blocking) && (
        <Opened
          mention={open}
          beside={beside}
          moderation={moderation}
          onKey={(event) => onKey(open, event)}
          onBlock={(what) => setBlocking({ mentions: [open], what })}
          onOnlySite={onOnlySite}
          listLabel={listWords.label}
          onClose={close}
        />
      )}
      {blocking && <Block {...blocking} onClose={() => setBlocking(null)} />}
    </BesideList>
  );
}

/** Reads a mention that the address names and that the list does not hold yet. */
function Sought({ id, onFound }: { id: string; onFound: (mention: MentionRecord) => void }): null {
  const { data } = useAnswer('webmentions.get', { id });
  useEffect(() => {
    if (data) onFound(data.mention);
  }, [data, onFound]);
  return null;
}
