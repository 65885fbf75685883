import { mentionsWords } from './naming.ts';

export const chartWords = {
  label: 'Mentions over time',
  what: 'the numbers of mentions',
  empty: 'No approved mentions yet. Their numbers appear here, month by month.',
  span: 'Show mentions by',
  spans: { month: 'By month', year: 'By year' },
  year: 'Year',
  total: {
    month: (count: number, year: string) => `${mentionsWords(count)} in ${year}`,
    year: (count: number) => `${mentionsWords(count)} in all`,
  },
  ownNotCounted: 'Approved mentions. Your own are not counted.',
  none: 'none',
  table: 'Show as a table',
  caption: { month: (year: string) => `Mentions by month in ${year}`, year: () => 'Mentions by year' },
  column: { month: 'Month', year: 'Year' },
  sum: 'Total',
  topPages: 'Most mentioned pages',
};
