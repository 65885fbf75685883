import { Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { plainText } from '../../ui/plain-text.ts';
import { chartWords } from './chart-words.ts';
import { mentionsWords, pathOf } from './naming.ts';
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
      <Title order={3} size="h5" id="top-pages">
        {chartWords.topPages}
      </Title>
      <ol className={styles.topPages}>
        {data.slice(0, shownPages).map(({ target, mentions }) => (
          <li key={target}>
            <button type="button" className={styles.topPage} title={target} onClick={() => onPage(target)}>
              <bdi dir="ltr">{plainText(pathOf(target))}</bdi> <span>{mentionsWords(mentions)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
