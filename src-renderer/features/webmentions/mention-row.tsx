import { Checkbox } from '@mantine/core';
import type { ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import list from '../../ui/list-row.module.css';
import { plainText } from '../../ui/plain-text.ts';
import { Ago } from '../../ui/moment.tsx';
import { Avatar } from './avatar.tsx';
import { beginningOf, deedOf, pathOf, personOf, statusWords, typeIcons } from './naming.ts';
import { listWords } from './words.ts';
import styles from './webmentions.module.css';

interface Props {
  readonly mention: MentionRecord;
  readonly open: boolean;
  readonly selected: boolean;
  readonly tabIndex: 0 | -1;
  readonly onOpen: () => void;
  /** `range`: the owner wants everything from the last one that was selected up to this one. */
  readonly onSelect: (range: boolean) => void;
}

/** One mention of the list: who did what, and how the text begins. */
export function MentionRow({ mention, open, selected, tabIndex, onOpen, onSelect }: Props): ReactElement {
  const Icon = typeIcons[mention.type];
  const text = beginningOf(mention);
  const shown = mention.status === 'approved' || mention.status === 'held';
  return (
    <div className={styles.selectable} data-selected={selected || undefined}>
      <Checkbox
        size="sm"
        color="var(--porchlight-tick)"
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
        className={list.row}
        tabIndex={tabIndex}
        aria-current={open ? 'true' : undefined}
        onClick={onOpen}
      >
        <Avatar mention={mention} />
        <span className={`${list.words} ${shown ? '' : styles.aside}`}>
          <span className={`${list.line} ${styles.deed}`}>
            <Icon size={15} stroke={1.8} className={styles.icon} aria-hidden="true" />
            <bdi className={styles.person}>{personOf(mention)}</bdi> {deedOf(mention)}{' '}
            <bdi dir="ltr" className={styles.path}>
              {plainText(pathOf(mention.target))}
            </bdi>
          </span>
          {text !== '' && (
            <>
              {' '}
              <span className={list.detail} dir="auto">
                {text}
              </span>
            </>
          )}
        </span>
        <span className={styles.end}>
          <StatusTag mention={mention} />
          <span className={list.time}>
            <Ago at={mention.received} />
          </span>
        </span>
      </button>
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
