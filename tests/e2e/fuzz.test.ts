import { expect, test } from 'vitest';
import { hasProc } from '../bench/soak/processes.ts';
import { fuzz } from '../fuzz/fuzz.ts';
import { reportLines } from '../fuzz/report.ts';

const requests = 3000;
/** For the requests. A quiet computer takes less than a minute. */
const seconds = 600;
/** In ms. The fuzzer ends by itself: some rounds of requests at most, then a rest until nothing waits, and a fresh start. */
const mostMs = 3_600_000;

test.skipIf(!hasProc)(
  'the built server takes 3,000 hostile requests without a 5xx, a crash, a stall, a leak or growth (needs /proc)',
  async () => {
    const report = await fuzz({
      seed: 20_261_122,
      requests,
      seconds,
      connections: 32,
      judgesGrowth: true,
      print: () => undefined,
    });
    if (report.findings.length > 0) console.log(reportLines(report).join('\n'));
    // Text, because the message of a failure does not show what a list has.
    expect(report.findings.map(({ kind, words }) => `${kind}: ${words}`).join('\n')).toBe('');
    expect(report.tally.sent).toBeGreaterThanOrEqual(requests);
    // It was not all refused at the door.
    for (const status of ['200', '201', '303', '400', '401', '403', '404', '405'])
      expect(report.tally.statuses.get(status), status).toBeGreaterThan(5);
  },
  mostMs,
);
