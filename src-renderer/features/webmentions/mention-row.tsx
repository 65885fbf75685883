import type { ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import list from '../../ui/list-row.module.css';
import { plainText } from '../../ui/plain-text.ts';
import { Ago } from '../../ui/moment.tsx';
import { Avatar } from './avatar.tsx';
import { beginningOf, deedOf, pathOf, personOf, statusWords, types } from './words.ts';
import styles from './webmentions.module.css';

interface Props {
  readonly mention: MentionRecord;
  readonly open: boolean;
  readonly tabIndex: 0 | -1;
  readonly onOpen: () => void;
}

/** One mention: who did what, and how the text begins; behind it the whole. */
export function MentionRow({ mention, open, tabIndex, onOpen }: Props): ReactElement {
  const { Icon } = types[mention.type];
  const text = beginningOf(mention);
  const shown = mention.status === 'approved' || mention.status === 'held';
  return (
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
      <StatusTag mention={mention} />
      <span className={list.time}>
        <Ago at={mention.received} />
      </span>
    </button>
  );
}

/** What became of it, where it is not simply shown. */
export function StatusTag({ mention }: { mention: MentionRecord }): ReactElement | null {
  const { status } = mention;
  if (status === 'approved' && mention.private !== true) return null;
  return (
    <span className={list.tag} data-status={status}>
      {status === 'approved' ? 'Private' : statusWords[status]}
    </span>
  );
}
