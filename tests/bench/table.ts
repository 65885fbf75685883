import { names } from './measure.ts';
import { growthOf, isMet, mostGrowth, ratioOf, targets, type Line } from './targets.ts';

const none = '-';

/** Explains the tables. */
export const legend = `Processor time of the server's process for one operation, with 16 connections: medians of interleaved rounds.
before/bare and now/bare: the share of the baseline's speed; for starts and windows, how many times as long they take.`;

/** Returns the table that compares each row with its baseline and its target. */
export function mainTable(lines: readonly Line[]): string {
  const rows = lines.map((line) => {
    const { value, perSecond } = line;
    const shown = (number: number | undefined) => amount(line, number);
    return [
      line.title,
      shown(value.bare),
      shown(value.before),
      shown(value.now),
      ratio(ratioOf(line, 'before')),
      ratio(ratioOf(line, 'now')),
      targetText(line),
      yesOrNo(isMet(line)),
      rate(perSecond?.bare),
      rate(perSecond?.before),
      rate(perSecond?.now),
      ratio(quotient(perSecond?.now, perSecond?.bare)),
    ];
  });
  const head = ['', 'bare', 'before', 'now', 'before/bare', 'now/bare', 'target', 'met'];
  return tableOf([...head, 'bare/s', 'before/s', 'now/s', 'now/bare'], rows);
}

/** Returns what a row measured as one line. */
export function lineText(line: Line): string {
  const values = names
    .filter((name) => line.value[name] !== undefined)
    .map((name) => `${name} ${amount(line, line.value[name])}`);
  return `${line.title}: ${values.join(', ')}`;
}

/** Returns the table that compares little data with much. */
export function growthTable(lines: readonly Line[]): string {
  const rows = lines
    .filter(({ value }) => value.nowMuch !== undefined)
    .map((line) => {
      const { value } = line;
      const growth = growthOf(line, 'now');
      return [
        line.title,
        amount(line, value.before),
        amount(line, value.beforeMuch),
        ratio(growthOf(line, 'before')),
        amount(line, value.now),
        amount(line, value.nowMuch),
        ratio(growth),
        `<= ${mostGrowth}`,
        yesOrNo(growth === undefined ? undefined : growth <= mostGrowth),
      ];
    });
  const head = ['', 'before', 'with much', 'times', 'now', 'with much', 'times', 'target', 'met'];
  return tableOf(head, rows);
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

/** Shows a value in the unit of its row; processor time in the unit that suits it. */
function amount({ unit }: Line, value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return none;
  switch (unit) {
    case 'cpu':
      return value < 10 ? `${(value * 1000).toFixed(0)} µs` : `${value.toFixed(0)} ms`;
    case 'ms':
    case 'MB':
      return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
    case 'per second':
      return `${value.toFixed(0)}/s`;
  }
}

function targetText({ name, unit }: Line): string {
  const target = targets[name];
  switch (target?.kind) {
    case undefined:
      return 'flat';
    case 'share':
      return `>= ${target.least}${target.of === 'rate' ? ' (rate)' : ''}`;
    case 'times':
      return `<= ${target.most}`;
    case 'most':
      return `<= ${target.most} ${unit === 'cpu' ? 'ms' : unit}`;
    case 'least':
      return `>= ${target.least}/s`;
  }
}

const rate = (value: number | undefined) => (value === undefined ? none : value.toFixed(value < 10 ? 1 : 0));
const ratio = (value: number | undefined) => (value === undefined ? none : value.toFixed(2));
const yesOrNo = (met: boolean | undefined) => (met === undefined ? none : met ? 'yes' : 'no');
const quotient = (value: number | undefined, base: number | undefined) =>
  value === undefined || base === undefined ? undefined : value / base;
