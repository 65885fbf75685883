import { plainLine } from './plain-line.ts';

const levels = new Map<unknown, string>([
  [10, 'TRACE'],
  [20, 'DEBUG'],
  [30, 'INFO'],
  [40, 'WARN'],
  [50, 'ERROR'],
  [60, 'FATAL'],
]);

/** Fastify says this of each listener; on a terminal, the lines on stdout say it better. */
const listening = /^Server listening at /;

/**
 * Returns a JSON line of the log as text for a terminal: time (here), level, message, and the rest as `key=value`; the
 * stack of an error is indented below. Null for a line that a terminal doesn't need. Nothing in it controls the
 * terminal, whoever wrote it.
 */
export function logText(line: string): string | null {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  if (typeof msg === 'string' && listening.test(msg)) return null;
  const parts = [
    typeof time === 'number' ? clockTime(new Date(time)) : undefined,
    (levels.get(level) ?? String(level)).padEnd(5),
    plainLine(typeof msg === 'string' ? msg : ''),
    ...Object.entries(rest).map(([key, value]) => `${plainLine(key)}=${plainLine(JSON.stringify(value))}`),
  ];
  const first = parts.filter((part) => part !== undefined && part !== '').join(' ');
  return [first, ...errorLines(err)].map((one) => `${one}\n`).join('');
}

function errorLines(err: unknown): string[] {
  if (typeof err !== 'object' || err === null) return [];
  const { stack, message } = err as { stack?: unknown; message?: unknown };
  const text = typeof stack === 'string' && stack !== '' ? stack : message;
  return typeof text === 'string' ? text.split('\n').map((one) => `  ${plainLine(one).trim()}`) : [];
}

function clockTime(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
