import type { FuzzReport } from './fuzz.ts';
import type { Finding } from './oracles.ts';
import type { FuzzRequest } from './request.ts';

const shownBytes = 3_000;

/** The bytes of a request for people: printable as they are, the rest escaped; then all of it in hexadecimal. */
function bytesText({ bytes, delivery, listener }: FuzzRequest): string {
  const text = bytes
    .subarray(0, shownBytes)
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e\n]/g, (one) =>
      one === '\r' ? '' : `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
  const hex = bytes.subarray(0, shownBytes).toString('hex');
  const rest = bytes.length > shownBytes ? ` (the first ${shownBytes} of ${bytes.length} bytes)` : '';
  return `to the ${listener} listener, ${JSON.stringify(delivery)}${rest}:\n${text}\nhex: ${hex}`;
}

function table(title: string, counts: ReadonlyMap<string, number>): string[] {
  const rows = [...counts].sort(([, a], [, b]) => b - a);
  return ['', title, ...rows.map(([name, count]) => `${name.padEnd(44)}${String(count).padStart(9)}`)];
}

/** The report of a run, line by line. */
export function reportLines({ tally, findings, seconds, worst, growth }: FuzzReport): string[] {
  const rate = Math.round(tally.sent / seconds);
  return [
    ...table('Sent, by generator', tally.generators),
    ...table('Sent, by route', tally.routes),
    ...table('Answers', tally.statuses),
    '',
    'Slowest answers',
    ...tally.slowest.map(
      ({ ms, request }) =>
        `${ms.toFixed(0).padStart(6)} ms  ${request.route} (${request.generator}, --only ${request.number})`,
    ),
    '',
    `${tally.sent} requests in ${seconds.toFixed(0)} s (${rate} a second)`,
    `Longest time that the main thread was not free: ${worst.blocked.toFixed(0)} ms`,
    `Slowest metadata, contention left out: ${Math.max(0, worst.answered).toFixed(0)} ms`,
    ...growth,
    '',
    findings.length === 0 ? 'Nothing was found.' : `Found: ${findings.length}`,
    ...findings.slice(0, 20).map(wordsOf),
  ];
}

function wordsOf({ kind, words, request }: Finding): string {
  return request === undefined
    ? `FAIL  ${kind}: ${words}`
    : `FAIL  ${kind}: ${words}\n--only ${request.number}, ${bytesText(request)}`;
}
