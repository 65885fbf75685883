import { names } from './measure.ts';
import { goalOf, growthOf, isMet, mostGrowth, ratioOf, targets, type Line } from './targets.ts';

const none = '-';

/** Explains the tables. */
export const legend = `Processor time of the server's process for one operation, with 16 connections: medians of interleaved rounds.
before/bare and now/bare: the share of the baseline's speed; for starts, windows and memory, how many times as much.
A target with * is what the program before reached, because that is better than the target of the row.`;

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
    ];
  });
  const head = ['', 'bare', 'before', 'now', 'before/bare', 'now/bare', 'target', 'met'];
  return tableOf([...head, 'bare/s', 'before/s', 'now/s'], rows);
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

/** Shows a value in the unit of its row; times in the unit that suits them. */
function amount({ unit }: Line, value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return none;
  switch (unit) {
    case 'cpu':
    case 'ms':
      if (value >= 10_000) return `${(value / 1000).toFixed(1)} s`;
      return value < 10 ? `${(value * 1000).toFixed(0)} µs` : `${value.toFixed(0)} ms`;
    case 'MB':
      return `${value.toFixed(value < 10 ? 1 : 0)} MB`;
    case 'per second':
      return `${value.toFixed(0)}/s`;
    case 'wakeups':
      return `${value.toFixed(1)}/s`;
    case 'KB':
      return `${value.toFixed(0)} KB/min`;
    case 'fetches':
      return value.toFixed(2);
  }
}

function targetText(line: Line): string {
  const [target, goal] = [targets[line.name], goalOf(line)];
  if (target === undefined) return 'flat';
  if (goal === undefined) return none;
  const isRatio = target.kind === 'share' || target.kind === 'times';
  const value = isRatio ? goal.value.toFixed(2) : amount(line, goal.value);
  return `${goal.atLeast ? '>=' : '<='} ${value}${goal.isOfBefore ? '*' : ''}`;
}

const rate = (value: number | undefined) => (value === undefined ? none : value.toFixed(value < 10 ? 1 : 0));
const ratio = (value: number | undefined) => (value === undefined ? none : value.toFixed(2));
const yesOrNo = (met: boolean | undefined) => (met === undefined ? none : met ? 'yes' : 'no');
