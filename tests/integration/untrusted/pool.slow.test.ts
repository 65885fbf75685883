import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { kinds } from '../../../src-main/untrusted/kinds.ts';
import { createPool, theOwner } from '../../../src-main/untrusted/pool.ts';
import type { StubbornJobs } from '../../support/stubborn-worker.ts';

vi.setConfig({ testTimeout: 180_000 });

const file = join(import.meta.dirname, '../../support/stubborn-worker.ts');
const opened: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

function pool(burst = 60_000, fatalCost = 0) {
  const limits = { burst, perMinute: burst };
  const budget = { visitor: limits, host: { burst: 10 * burst, perMinute: burst } };
  const made = createPool<StubbornJobs>(
    { ...kinds.mentions, deadlineMs: 2000, mostWaiting: 240, mostWaitingPerParty: 30, budget, fatalCost },
    { file, clock: () => 0 },
  );
  opened.push(made);
  return made;
}
const hostile = { visitor: '203.0.113.9', address: 'https://evil.example/' };
const good = { visitor: '198.51.100.7', address: 'https://app.example/' };

describe('the threads on which pages are read', () => {
  test('are more than one: while one is held up, another reads', async () => {
    const pages = pool();
    let isHeldUp = true;
    const endless = pages.run('forEver', undefined, hostile, 0).catch(() => (isHeldUp = false));
    expect(await pages.run('where', undefined, good, 0)).toBeGreaterThan(0);
    expect(isHeldUp).toBe(true);
    await endless;
  });

  test('threads read one page of a visitor at a time, so twenty endless pages keep nobody else waiting', async () => {
    const pages = pool();
    await pages.run('where', undefined, good, 0);
    const attack = Array.from({ length: 20 }, () => pages.run('forEver', undefined, hostile, 0));
    const refusals = Promise.allSettled(attack);
    expect(await pages.run('where', undefined, good, 0)).toBeGreaterThan(0);
    expect(await pages.run('where', undefined, theOwner, 0)).toBeGreaterThan(0);
    await pages.close();
    expect((await refusals).map(({ status }) => status)).toEqual(attack.map(() => 'rejected'));
  });

  test('threads refuse only the visitor who has used up the budget, and say how long to wait', async () => {
    const pages = pool(1000);
    await expect(pages.run('forEver', undefined, hostile, 0)).rejects.toMatchObject({
      code: 'page_too_slow',
    });
    await expect(pages.run('where', undefined, hostile, 0)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      status: 429,
      retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds > 30) as number,
    });
    expect(await pages.run('where', undefined, good, 0)).toBeGreaterThan(0);
  });

  test('a thread that has to be stopped costs its sender far more than the time that it took', async () => {
    const pages = pool(60_000, 40_000);
    await expect(pages.run('forEver', undefined, hostile, 0)).rejects.toMatchObject({
      code: 'page_too_slow',
    });
    await expect(pages.run('where', undefined, hostile, 0)).rejects.toMatchObject({ status: 429 });
    const cheap = pool(60_000);
    await expect(cheap.run('forEver', undefined, hostile, 0)).rejects.toMatchObject({
      code: 'page_too_slow',
    });
    expect(await cheap.run('where', undefined, hostile, 0)).toBeGreaterThan(0);
  });

  test('a visitor over the share leaves the quick threads to the others', async () => {
    const pages = pool();
    const threadsOf = async (cause: typeof good) =>
      new Set(await Promise.all(Array.from({ length: 6 }, () => pages.run('where', undefined, cause, 0))));
    await expect(pages.run('forEver', undefined, hostile, 0)).rejects.toMatchObject({
      code: 'page_too_slow',
    });
    const [patient, ...others] = await threadsOf(hostile);
    expect(others).toEqual([]);
    const quick = new Set<number>();
    for (let visitor = 0; visitor < 6; visitor += 1)
      for (const thread of await threadsOf({ ...good, visitor: `198.51.100.${visitor}` })) quick.add(thread);
    expect([...quick]).not.toContain(patient);
  });

  test('threads read a newcomer’s page before those of ten parties whose pages take all the time', async () => {
    const pages = pool();
    await pages.run('where', undefined, good, 0);
    const parties = Array.from({ length: 10 }, (_, at) => ({
      visitor: `203.0.113.${at}`,
      address: `https://evil-${at}.example/`,
    }));
    const attack = parties.flatMap((party) => [1, 2, 3].map(() => pages.run('forEver', undefined, party, 0)));
    const ended = { count: 0 };
    const refusals = Promise.allSettled(attack.map((one) => one.catch(() => (ended.count += 1))));
    expect(
      await pages.run('where', undefined, { visitor: 'new', address: 'https://new.example/' }, 0),
    ).toBeGreaterThan(0);
    expect(await pages.run('where', undefined, good, 0)).toBeGreaterThan(0);
    // Thirty pages of two seconds each: a plain queue would have ended half of them by now.
    expect(ended.count).toBeLessThan(4);
    await pages.close();
    await refusals;
  });

  test('threads do one job of an owner’s task at a time, without a budget, and the owner’s own jobs first', async () => {
    const pages = pool(1);
    const scan = Array.from({ length: 3 }, () => pages.run('forEver', undefined, `${theOwner}: scan`, 0));
    const ends = Promise.allSettled(scan);
    expect(await pages.run('where', undefined, theOwner, 0)).toBeGreaterThan(0);
    expect(await pages.run('where', undefined, `${theOwner}: import`, 0)).toBeGreaterThan(0);
    // On a busy computer, a job may be stopped before it had its time.
    const stopped = { code: expect.stringMatching(/^(?:page_too_slow|reading_unavailable)$/) as string };
    await expect(scan[0]).rejects.toMatchObject(stopped);
    await expect(scan[1]).rejects.toMatchObject(stopped);
    await pages.close();
    await ends;
  });
});
