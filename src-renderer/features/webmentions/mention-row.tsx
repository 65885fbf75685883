import { Checkbox } from '@mantine/core';
import { useId, type ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import list from '../../ui/list-row.module.css';
import { Ago } from '../../ui/moment.tsx';
import type { MoreItem } from '../../ui/more-menu.tsx';
import { MentionActions } from './mention-actions.tsx';
import { MentionFace, MentionLine } from './mention-line.tsx';
import type { Moderation } from './moderation.tsx';
import { statusWords } from './naming.ts';
import { listWords } from './words.ts';
import styles from './webmentions.module.css';

interface Props {
  readonly mention: MentionRecord;
  readonly open: boolean;
  readonly selected: boolean;
  readonly tabIndex: 0 | -1;
  readonly moderation: Moderation;
  /** The entries of the "…" menu that lead to other parts of the screen. */
  readonly more: readonly (MoreItem | false)[];
  readonly onOpen: () => void;
  /** `range`: the owner wants everything from the last one that was selected up to this one. */
  readonly onSelect: (range: boolean) => void;
}

/** One mention of the list: who did what, how the text begins, and what the owner may do with it. */
export function MentionRow({
  mention,
  open,
  selected,
  tabIndex,
  onOpen,
  onSelect,
  ...acts
}: Props): ReactElement {
  const lineId = useId();
  const shown = mention.status === 'approved' || mention.status === 'held';
  return (
    <div
      className={styles.selectable}
      data-selected={selected || undefined}
      data-waits={mention.status === 'held' || undefined}
      data-open={open || undefined}
    >
      <Checkbox
        size="sm"
        className={styles.tick ?? ''}
        aria-label={listWords.select(mention)}
        checked={selected}
        tabIndex={tabIndex}
        onChange={(event) => {
          const click = event.nativeEvent;
          onSelect(click instanceof MouseEvent && click.shiftKey);
        }}
      />
      <button
        type="button"
        className={`${list.row} ${styles.opener}`}
        tabIndex={tabIndex}
        aria-current={open ? 'true' : undefined}
        onClick={onOpen}
      >
        <MentionFace mention={mention} />
        <span className={`${list.words} ${shown ? '' : styles.aside}`}>
          <MentionLine mention={mention} id={lineId} />
        </span>
        <span className={styles.end}>
          <StatusTag mention={mention} />
          <span className={list.time}>
            <Ago at={mention.received} />
          </span>
        </span>
      </button>
      <div className={styles.actions}>
        <MentionActions inRow mention={mention} tabIndex={tabIndex} describedBy={lineId} {...acts} />
      </div>
    </div>
  );
}

/** The status of a mention unless it is simply shown, and whether it is the owner's own. */
export function StatusTag({ mention }: { mention: MentionRecord }): ReactElement | null {
  const { status, own } = mention;
  const words = status !== 'approved' ? statusWords[status] : mention.private === true && listWords.private;
  return (
    <>
      {own === true && <span className={list.tag}>{listWords.own}</span>}
      {words !== false && (
        <span className={list.tag} data-status={status}>
          {words}
        </span>
      )}
    </>
  );
}
