import { VisuallyHidden } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { barsOf, type Bar } from './chart-months.ts';
import { countWords, typeNames, types } from './words.ts';
import styles from './webmentions.module.css';

const short = new Intl.DateTimeFormat('en', { month: 'short', year: '2-digit', timeZone: 'UTC' });
const long = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const dateOf = (month: string) => new Date(`${month}-15T00:00:00Z`);
/** Parts of a bar's place that it fills. */
const fill = 0.7;

/** Mentions over time, by type; a table for those who do not see it. Nothing where there is nothing to draw. */
export function Chart(): ReactElement | null {
  const { data } = useAnswer('webmentions.counts', {});
  const [now] = useState(() => Date.now());
  const bars = barsOf(data ?? [], now);
  if (bars.length === 0) return null;
  const highest = Math.max(...bars.map(({ total }) => total));
  const shown = typeNames.filter((type) =>
    bars.some(({ parts }) => parts.some((part) => part.type === type)),
  );
  const name = (index: number) => short.format(dateOf(bars[index]?.month ?? ''));
  return (
    <figure className={styles.chart} aria-label="Mentions over time">
      <div aria-hidden="true">
        <div className={styles.chartTop}>
          <span>{highest.toLocaleString('en')} in a month</span>
          <span className={styles.legend}>
            {shown.map((type) => (
              <span key={type} className={styles.legendItem}>
                <i className={styles.swatch} data-type={type} />
                {types[type].many}
              </span>
            ))}
          </span>
        </div>
        <svg className={styles.bars} viewBox={`0 0 ${bars.length} ${highest}`} preserveAspectRatio="none">
          {bars.map((bar, index) => (
            <Column key={bar.month} bar={bar} x={index} highest={highest} />
          ))}
        </svg>
        <div className={styles.months}>
          <span>{name(0)}</span>
          <span>{name(Math.floor((bars.length - 1) / 2))}</span>
          <span>{name(bars.length - 1)}</span>
        </div>
      </div>
      <VisuallyHidden>
        <table>
          <caption>Mentions by month</caption>
          <thead>
            <tr>
              <th scope="col">Month</th>
              {shown.map((type) => (
                <th key={type} scope="col">
                  {types[type].many}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bars.map(({ month, parts }) => (
              <tr key={month}>
                <th scope="row">{long.format(dateOf(month))}</th>
                {shown.map((type) => (
                  <td key={type}>{parts.find((part) => part.type === type)?.count ?? 0}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  );
}

function Column({ bar, x, highest }: { bar: Bar; x: number; highest: number }): ReactElement {
  const words = bar.parts.map(({ type, count }) => countWords(type, count)).join(', ');
  return (
    <g>
      <title>{`${long.format(dateOf(bar.month))}: ${words === '' ? 'none' : words}`}</title>
      {/* The whole column answers to the pointer, however low its bar is. */}
      <rect x={x} y={0} width={1} height={highest} fill="transparent" />
      {bar.parts.map(({ type, from, count }) => (
        <rect
          key={type}
          className={styles.part}
          data-type={type}
          x={x + (1 - fill) / 2}
          y={highest - from - count}
          width={fill}
          height={count}
        />
      ))}
    </g>
  );
}
