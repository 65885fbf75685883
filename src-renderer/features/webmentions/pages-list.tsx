import { VisuallyHidden } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { MentionedPage } from '../../../src-main/contract/webmentions.ts';
import { useAnswer } from '../../client/queries.ts';
import list from '../../ui/list-row.module.css';
import { Ago } from '../../ui/moment.tsx';
import { Loaded } from '../../ui/states.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { type MentionType, mentionTypeList } from '../../../src-main/contract/mention-types.ts';
import { countWords, typeIcons } from './naming.ts';
import { PageName } from './page-name.tsx';
import { pagesWords } from './words.ts';
import styles from './webmentions.module.css';

const rowHeight = 64;

interface Props {
  readonly onOpen: (target: string) => void;
  /** What stands in place of an empty list. */
  readonly empty: ReactNode;
}

/** Every mentioned page, the most recently mentioned first. */
export function PagesList({ onOpen, empty }: Props): ReactElement {
  const pages = useAnswer('webmentions.pages', {});
  return (
    <Loaded query={pages} what={pagesWords.what}>
      {(all) =>
        all.length === 0 ? (
          empty
        ) : (
          <VirtualList
            label={pagesWords.label}
            items={all}
            keyOf={({ target }) => target}
            rowHeight={rowHeight}
            measured
          >
            {(page, tabIndex) => (
              <PageRow page={page} tabIndex={tabIndex} onOpen={() => onOpen(page.target)} />
            )}
          </VirtualList>
        )
      }
    </Loaded>
  );
}

interface RowProps {
  readonly page: MentionedPage;
  readonly tabIndex: 0 | -1;
  readonly onOpen: () => void;
}

function PageRow({ page, tabIndex, onOpen }: RowProps): ReactElement {
  const held = page.statuses.held ?? 0;
  const counted = mentionTypeList.filter((type) => (page.types[type] ?? 0) > 0);
  return (
    <button type="button" className={`${list.row} ${styles.pageRow}`} tabIndex={tabIndex} onClick={onOpen}>
      <span className={list.words}>
        <span className={`${list.line} ${styles.person}`}>
          <PageName target={page.target} title={page.title} />
        </span>{' '}
        <span className={styles.counts}>
          {counted.length === 0 && pagesWords.noneShown}
          {counted.map((type) => (
            <Count key={type} type={type} count={page.types[type] ?? 0} />
          ))}
        </span>
      </span>
      {held > 0 && (
        <span className={list.tag} data-status="held">
          {pagesWords.waiting(held)}
        </span>
      )}
      <span className={list.time}>
        <VisuallyHidden>{pagesWords.last} </VisuallyHidden>
        <Ago at={page.newest} />
      </span>
    </button>
  );
}

function Count({ type, count }: { type: MentionType; count: number }): ReactElement {
  const Icon = typeIcons[type];
  return (
    <span className={styles.count}>
      <Icon size={14} stroke={1.8} aria-hidden="true" />
      {countWords(type, count)}{' '}
    </span>
  );
}
