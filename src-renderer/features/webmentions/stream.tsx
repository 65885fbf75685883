import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useState, type KeyboardEvent, type ReactElement, type ReactNode } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { useAnswer } from '../../client/queries.ts';
import { BesideList } from '../../ui/beside.tsx';
import { IconBan } from '../../ui/icons.ts';
import row from '../../ui/list-row.module.css';
import type { MoreItem } from '../../ui/more-menu.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { Loaded, MoreFailed } from '../../ui/states.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { Block, type BlockWhat, hasAuthor, hasSite } from './block.tsx';
import type { MentionFilter } from './filters.tsx';
import { MentionRow } from './mention-row.tsx';
import { useModeration } from './moderation.tsx';
import { Opened } from './opened.tsx';
import { useSelection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { useMentions } from './use-mentions.ts';
import styles from './webmentions.module.css';
import { listWords, openedWords } from './words.ts';

/** A guess, in pixels: a mention that waits is taller. */
const rowHeight = 64;

interface Props {
  readonly filter: MentionFilter;
  readonly opened: string | null;
  readonly onOpen: (id: string | null) => void;
  readonly onOnlySite: (host: string) => void;
  /** What stands in place of an empty list. */
  readonly empty: ReactNode;
}

/** Lists mentions, first those that wait, and shows the one that is open. */
export function Stream({ filter, opened, onOpen, onOnlySite, empty }: Props): ReactElement {
  const list = useMentions(filter);
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

  const more = (mention: MentionRecord) =>
    moreOf(mention, (what) => setBlocking({ mentions: [mention], what }), onOnlySite);
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
                <div className={styles.stream}>
                  <VirtualList
                    label={listWords.label}
                    items={list.items}
                    keyOf={keyOf}
                    rowHeight={rowHeight}
                    measured
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
                        moderation={moderation}
                        more={more(mention)}
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
        <MoreFailed list={list} doing={listWords.olderFailed} />
      </div>
      {opened !== null && !open && <Sought key={opened} id={opened} onFound={setSeen} />}
      {/* Only one dialog at a time: the question takes the place of the drawer, which comes back afterwards. */}
      {open && (beside || !blocking) && (
        <Opened
          mention={open}
          beside={beside}
          moderation={moderation}
          more={more(open)}
          onKey={(event) => onKey(open, event)}
          listLabel={listWords.label}
          onClose={close}
        />
      )}
      {blocking && <Block {...blocking} onClose={() => setBlocking(null)} />}
    </BesideList>
  );
}

/** A mention that no longer waits goes to another place: the focus stays with those that wait. */
const keyOf = ({ id, status }: MentionRecord) => (status === 'held' ? `waiting ${id}` : id);

/** Returns the entries of a mention's "…" menu that concern its author and its site. */
function moreOf(
  mention: MentionRecord,
  onBlock: (what: BlockWhat) => void,
  onOnlySite: (host: string) => void,
): (MoreItem | false)[] {
  return [
    { label: openedWords.onlySite, onClick: () => onOnlySite(hostIn(mention.source)) },
    hasAuthor(mention) && { label: openedWords.blockPerson, Icon: IconBan, onClick: () => onBlock('people') },
    hasSite(mention) && { label: openedWords.blockSite, Icon: IconBan, onClick: () => onBlock('sites') },
  ];
}

/** Reads a mention that the address names and that the list does not hold yet. */
function Sought({ id, onFound }: { id: string; onFound: (mention: MentionRecord) => void }): null {
  const { data } = useAnswer('webmentions.get', { id });
  useEffect(() => {
    if (data) onFound(data.mention);
  }, [data, onFound]);
  return null;
}
