import { Button, Group, NativeSelect, SegmentedControl, Text, Title } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAnswer } from '../../client/queries.ts';
import { monthBars, totalsOf, yearBars, yearsOf, type Bar } from './chart-bars.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { ChartTable } from './chart-table.tsx';
import { chartWords } from './chart-words.ts';
import { countWords } from './naming.ts';
import { TopPages } from './top-pages.tsx';
import { pageWords } from './words.ts';
import styles from './webmentions.module.css';

type Span = 'month' | 'year';

/** The part of a bar's place that it fills. */
const fill = 0.7;
const shortMonth = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });
const longMonth = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

interface Props {
  readonly onPage: (target: string) => void;
  /** Leads to the list of all mentions. */
  readonly onAll: () => void;
}

/** Mentions over time by type, with totals and the most mentioned pages. */
export function Chart({ onPage, onAll }: Props): ReactElement {
  const counts = useAnswer('webmentions.counts', {});
  return (
    <Loaded query={counts} what={chartWords.what}>
      {(data) =>
        data.length === 0 ? (
          <Empty
            drawing="talk"
            step={
              <Button variant="default" onClick={onAll}>
                {pageWords.showAll}
              </Button>
            }
          >
            {chartWords.empty}
          </Empty>
        ) : (
          <Drawn counts={data} onPage={onPage} />
        )
      }
    </Loaded>
  );
}

function Drawn({
  counts,
  onPage,
}: Pick<Props, 'onPage'> & { counts: Result<'webmentions.counts'> }): ReactElement {
  const [span, setSpan] = useState<Span>('month');
  const [chosen, setYear] = useState('');
  const years = yearsOf(counts);
  const year = years.includes(chosen) ? chosen : (years[0] ?? '');
  const bars = span === 'month' ? monthBars(counts, year) : yearBars(counts);
  const totals = totalsOf(bars);
  const highest = Math.max(1, ...bars.map(({ total }) => total));
  const nameOf = ({ name }: Bar) => (span === 'month' ? longMonth.format(dateOf(name)) : name);
  const labelled = labelledBars(bars.length);
  return (
    <figure className={styles.chart} aria-label={chartWords.label}>
      <Group gap="sm" mb="xs">
        <SegmentedControl
          size="xs"
          aria-label={chartWords.span}
          data={[
            { value: 'month', label: chartWords.spans.month },
            { value: 'year', label: chartWords.spans.year },
          ]}
          value={span}
          onChange={(value) => setSpan(value === 'year' ? 'year' : 'month')}
        />
        {span === 'month' && years.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label={chartWords.year}
            data={years}
            value={year}
            onChange={(event) => setYear(event.currentTarget.value)}
          />
        )}
      </Group>
      <div className={styles.chartParts}>
        <div>
          <Title order={2}>
            {span === 'month'
              ? chartWords.total.month(totals.total, year)
              : chartWords.total.year(totals.total)}
          </Title>
          <div className={styles.legend}>
            {totals.types.map(([type, count]) => (
              <span key={type} className={styles.legendItem}>
                <i className={styles.swatch} data-type={type} aria-hidden="true" />
                {countWords(type, count)}
              </span>
            ))}
          </div>
          <div aria-hidden="true">
            <svg className={styles.bars} viewBox={`0 0 ${bars.length} ${highest}`} preserveAspectRatio="none">
              {bars.map((bar, index) => (
                <Column key={bar.name} bar={bar} name={nameOf(bar)} x={index} highest={highest} />
              ))}
            </svg>
            <div className={styles.barNames} style={{ gridTemplateColumns: `repeat(${bars.length}, 1fr)` }}>
              {bars.map((bar, index) => (
                <span key={bar.name}>
                  {labelled(index) && (span === 'month' ? shortMonth.format(dateOf(bar.name)) : bar.name)}
                </span>
              ))}
            </div>
          </div>
          <Text size="xs" c="dimmed">
            {chartWords.ownNotCounted}
          </Text>
          <ChartTable
            bars={bars}
            nameOf={nameOf}
            column={chartWords.column[span]}
            caption={chartWords.caption[span](year)}
          />
        </div>
        <TopPages year={span === 'month' ? year : undefined} onPage={onPage} />
      </div>
    </figure>
  );
}

function Column(props: { bar: Bar; name: string; x: number; highest: number }): ReactElement {
  const { bar, name, x, highest } = props;
  const words = bar.parts.map(({ type, count }) => countWords(type, count)).join(', ');
  return (
    <g>
      <title>{`${name}: ${words === '' ? chartWords.none : words}`}</title>
      {/* A low bar is hard to point at, so the whole column shows the title. */}
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

/** Names of bars need room: where there are many bars, only some have one. */
function labelledBars(count: number): (index: number) => boolean {
  const every = Math.ceil(count / 12);
  return (index) => index % every === 0;
}

const dateOf = (month: string) => new Date(`${month}-15T00:00:00Z`);
