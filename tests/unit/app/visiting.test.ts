import { expect, test, vi } from 'vitest';
import { silentLog } from '../../../src-main/platform/log.ts';
import { readingRefusals } from '../../../src-main/app/visiting.ts';

test('whatever number of pages is refused, the owner gets one line an hour', () => {
  let now = 0;
  const record = vi.fn<(kind: string, words: string) => Promise<void>>().mockResolvedValue();
  const refused = readingRefusals({ activity: { record }, log: silentLog, clock: () => now });
  for (let count = 0; count < 100; count += 1) refused();
  expect(record).toHaveBeenCalledOnce();
  now += 3_600_000;
  refused();
  expect(record).toHaveBeenCalledTimes(2);
  expect(record.mock.lastCall?.[0]).toBe('server.reading');
});
