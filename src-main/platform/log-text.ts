import { levels } from 'pino';
import { plainLine } from './plain-line.ts';

/**
 * A message that Fastify logs for each listener. On a terminal it is redundant, because stdout already shows the URLs.
 */
const listening = /^Server listening at /;

/**
 * Formats a JSON log line as text for a terminal: local time, level, message, and the other fields as `key=value`. An
 * error's stack follows, indented; of an error that is a refusal, such as a site that can't be reached, only the message.
 * Returns null for a line that is redundant on a terminal. Replaces terminal control
 * characters with spaces, because strangers may have written the text.
 */
export function logText(line: string): string | null {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  if (typeof msg === 'string' && listening.test(msg)) return null;
  const parts = [
    typeof time === 'number' ? clockTime(new Date(time)) : undefined,
    (levels.labels[Number(level)] ?? String(level)).toUpperCase().padEnd(5),
    plainLine(typeof msg === 'string' ? msg : ''),
    ...Object.entries(rest).map(([key, value]) => `${plainLine(key)}=${plainLine(JSON.stringify(value))}`),
  ];
  const first = parts.filter((part) => part !== undefined && part !== '').join(' ');
  return [first, ...errorLines(err)].map((one) => `${one}\n`).join('');
}

function errorLines(err: unknown): string[] {
  if (typeof err !== 'object' || err === null) return [];
  const { stack, message, status, detail } = err as Record<string, unknown>;
  // The stack of a PorchlightError below 500 helps nobody: the cause isn't in Porchlight. The log file keeps it.
  const isRefusal = typeof status === 'number' && status < 500;
  const text = isRefusal ? (detail ?? message) : typeof stack === 'string' && stack !== '' ? stack : message;
  return typeof text === 'string' ? text.split('\n').map((one) => `  ${plainLine(one).trim()}`) : [];
}

function clockTime(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
