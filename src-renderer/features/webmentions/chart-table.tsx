import type { ReactElement } from 'react';
import { totalsOf, type Bar } from './chart-bars.ts';
import { chartWords } from './chart-words.ts';
import { mentionTypes } from '../../../src-main/contract/mention-types.ts';
import { numberWords } from './naming.ts';
import styles from './webmentions.module.css';

interface Props {
  readonly bars: readonly Bar[];
  readonly nameOf: (bar: Bar) => string;
  /** What the first column holds. */
  readonly column: string;
  readonly caption: string;
}

/** The numbers of the chart, for people who cannot see it and for those who want them exactly. */
export function ChartTable({ bars, nameOf, column, caption }: Props): ReactElement {
  const totals = totalsOf(bars);
  return (
    <details className={styles.chartTable}>
      <summary>{chartWords.table}</summary>
      <div className={styles.scrolls} tabIndex={0} role="group" aria-label={caption}>
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{column}</th>
              {totals.types.map(([type]) => (
                <th key={type} scope="col">
                  {mentionTypes[type].many}
                </th>
              ))}
              <th scope="col">{chartWords.sum}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.name}>
                <th scope="row">{nameOf(bar)}</th>
                {totals.types.map(([type]) => (
                  <td key={type}>{numberWords(bar.parts.find((part) => part.type === type)?.count ?? 0)}</td>
                ))}
                <td>{numberWords(bar.total)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{chartWords.sum}</th>
              {totals.types.map(([type, count]) => (
                <td key={type}>{numberWords(count)}</td>
              ))}
              <td>{numberWords(totals.total)}</td>
            </tr>
          </tfoot>
        </table>
      </div>
    </details>
  );
}
