import { Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { chartWords } from './chart-words.ts';
import { mentionsWords } from './naming.ts';
import { PageName } from './page-name.tsx';
import styles from './webmentions.module.css';

/** As many as stand beside the chart. */
const shownPages = 5;

interface Props {
  /** All years where undefined. */
  readonly year: string | undefined;
  readonly onPage: (target: string) => void;
}

/** The pages with the most mentions, each of them a way to its mentions. */
export function TopPages({ year, onPage }: Props): ReactElement | null {
  const { data = [] } = useAnswer('webmentions.topPages', year === undefined ? {} : { year });
  if (data.length === 0) return null;
  return (
    <section aria-labelledby="top-pages">
      <Title order={3} id="top-pages">
        {chartWords.topPages}
      </Title>
      <ol className={styles.topPages}>
        {data.slice(0, shownPages).map(({ target, title, mentions }) => (
          <li key={target}>
            <button type="button" className={styles.topPage} onClick={() => onPage(target)}>
              <PageName target={target} title={title} /> <span>{mentionsWords(mentions)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
