import type { ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { Face } from '../../ui/small-picture.tsx';
import { shortened } from '../../ui/plain-text.ts';
import list from '../../ui/list-row.module.css';
import { beginningOf, deedOf, personOf, typeIcons } from './naming.ts';
import { PageName } from './page-name.tsx';
import styles from './webmentions.module.css';

/** The picture of a mention's author. */
export function MentionFace({
  mention,
  large = false,
}: {
  mention: MentionRecord;
  large?: boolean;
}): ReactElement {
  const { author, source } = mention;
  return (
    <Face
      name={personOf(mention)}
      address={author?.url || source}
      photo={author?.photo ?? ''}
      large={large}
    />
  );
}

/** In characters: what somebody did stays in sight, however long their name is. */
const longestName = 60;

interface Props {
  readonly mention: MentionRecord;
  /** The id of the line that says who did what. */
  readonly id?: string;
}

/** Says who did what to which page, and how the text begins: more of it while the mention waits for a decision. */
export function MentionLine({ mention, id }: Props): ReactElement {
  const Icon = typeIcons[mention.type];
  const text = beginningOf(mention);
  const waits = mention.status === 'held';
  return (
    <>
      <span id={id} className={`${styles.deed} ${waits ? styles.whole : ''}`}>
        <Icon size={15} stroke={1.8} className={styles.icon} aria-hidden="true" />
        <bdi className={styles.person}>{shortened(personOf(mention), longestName)}</bdi> {deedOf(mention)}{' '}
        <PageName target={mention.target} title={mention.targetTitle} />
      </span>
      {text !== '' && (
        <>
          {' '}
          <span className={waits ? styles.begun : list.detail} dir="auto">
            {text}
          </span>
        </>
      )}
    </>
  );
}
