import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { threadId, Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { kinds } from '../../../src-main/untrusted/kinds.ts';
import { createPool, theOwner, type PoolOptions } from '../../../src-main/untrusted/pool.ts';
import type { StubbornJobs } from '../../support/stubborn-worker.ts';
import { limitOf, patience } from '../../support/patience.ts';

vi.setConfig({ testTimeout: 180_000 });

const file = join(import.meta.dirname, '../../support/stubborn-worker.ts');
const opened: { close(): Promise<void> }[] = [];

/** One thread, which takes one job after the other. */
function thread({ deadlineMs = 3000, ...options }: Partial<PoolOptions> & { deadlineMs?: number } = {}) {
  const kind = { ...kinds.documents, quickThreads: 0, deadlineMs };
  const pool = createPool<StubbornJobs>(kind, { file, clock: () => 0, ...options });
  opened.push(pool);
  return {
    ...pool,
    run: <K extends keyof StubbornJobs>(job: K, input: Parameters<StubbornJobs[K]>[0]) =>
      pool.run(job, input, theOwner),
  };
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

describe('the thread on which pages are read', () => {
  test('is not the server’s own, and serves one job after the other', async () => {
    const pages = thread();
    const places = await Promise.all([pages.run('where', undefined), pages.run('where', undefined)]);
    expect(places[0]).not.toBe(threadId);
    expect(places[1]).toBe(places[0]);
  });

  test('a thread is ended at the deadline, and the next job gets another', async () => {
    const pages = thread();
    const first = await pages.run('where', undefined);
    const endless = pages.run('forEver', undefined);
    const behind = pages.run('where', undefined);
    await expect(endless).rejects.toMatchObject({
      code: 'page_too_slow',
      message: 'This page takes too long to read.',
    });
    expect(await behind).not.toBe(first);
  });

  test('a thread may run out of memory without harm to the server', async () => {
    const pages = thread();
    await expect(pages.run('fillMemory', undefined)).rejects.toMatchObject({
      code: expect.stringMatching(/^page_too_/) as string,
    });
    expect(await pages.run('where', undefined)).toBeGreaterThan(0);
  });

  describe.each([
    ['tells the processor time of a thread', true],
    ['does not tell the processor time of a thread', false],
  ])('of a runtime that %s', (_, isKnown) => {
    const cpuUsage = Object.getOwnPropertyDescriptor(Worker.prototype, 'cpuUsage');
    if (cpuUsage === undefined) throw new Error('These tests need a runtime that tells it.');
    beforeEach(() => void (isKnown || Reflect.deleteProperty(Worker.prototype, 'cpuUsage')));
    afterEach(() => void Object.defineProperty(Worker.prototype, 'cpuUsage', cpuUsage));

    test('waits up to 20 times as long for a job that gets no processor time, but not for one that uses it', async () => {
      const pages = thread({ deadlineMs: 300 });
      expect(await pages.run('starve', 3000)).toBe(3000);
      // On a busy computer, this job may get no processor time either at first.
      await vi.waitFor(async () => {
        const begun = performance.now();
        await expect(pages.run('forEver', undefined)).rejects.toMatchObject({ code: 'page_too_slow' });
        expect(performance.now() - begun).toBeLessThan(limitOf(3000));
      }, patience);
      await expect(pages.run('starve', 20_000)).rejects.toMatchObject({ code: 'reading_unavailable' });
      expect(await pages.run('where', undefined)).toBeGreaterThan(0);
    });

    test('does not blame a job for the processor time that the server itself uses', async () => {
      const pages = thread({ deadlineMs: 500 });
      await pages.run('where', undefined);
      const starved = pages.run('starve', 3000).catch((error: unknown) => error);
      const done = new AbortController();
      void starved.then(() => done.abort());
      while (!done.signal.aborted) {
        const begun = performance.now();
        while (performance.now() - begun < 20);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await starved).toBe(3000);
    });

    test('does not blame a job for the processor time of another thread', async () => {
      const [pages, others] = [thread({ deadlineMs: 1500 }), thread({ deadlineMs: 8000 })];
      await Promise.all([pages.run('where', undefined), others.run('where', undefined)]);
      const busy = others.run('forEver', undefined).catch(() => undefined);
      expect(await pages.run('starve', 2500)).toBe(2500);
      await others.close();
      await busy;
    });
  });

  test('tells its processor time with its answer, so that nobody has to interrupt it', async () => {
    const cpuUsage = vi.spyOn(Worker.prototype, 'cpuUsage');
    const pages = thread({ deadlineMs: 60_000 });
    for (let job = 0; job < 3; job += 1) await pages.run('where', undefined);
    expect(cpuUsage).not.toHaveBeenCalled();
    cpuUsage.mockRestore();
  });

  test('is replaced after a job that broke its program', async () => {
    const pages = thread();
    const before = await pages.run('where', undefined);
    await expect(pages.run('breakDown', undefined)).rejects.toMatchObject({ code: 'page_unreadable' });
    expect(await pages.run('where', undefined)).not.toBe(before);
  });

  test('outlives a job that fails', async () => {
    const pages = thread();
    const before = await pages.run('where', undefined);
    await expect(pages.run('throwUp', undefined)).rejects.toMatchObject({ code: 'page_unreadable' });
    expect(await pages.run('where', undefined)).toBe(before);
  });

  test('outlives a job whose result is nested too deeply to be copied', async () => {
    const pages = thread();
    const before = await pages.run('where', undefined);
    await expect(pages.run('nestDeeply', undefined)).rejects.toMatchObject({ code: 'page_unreadable' });
    expect(await pages.run('where', undefined)).toBe(before);
  });

  test('is not kept without work', async () => {
    const pages = thread({ idleMs: 0 });
    const first = await pages.run('where', undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await pages.run('where', undefined)).not.toBe(first);
  });

  test('does not keep the process alive', async () => {
    const source = (name: string) =>
      JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../src-main/untrusted', name)).href);
    const program = `
      const { createPool, theOwner } = await import(${source('pool.ts')});
      const { kinds } = await import(${source('kinds.ts')});
      const options = { file: ${JSON.stringify(file)}, clock: Date.now, idleMs: 1_000_000 };
      console.log(typeof await createPool(kinds.documents, options).run('where', undefined, theOwner));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout.trim()).toBe('number');
  });

  test('a thread can’t see the server’s environment', async () => {
    expect(await thread().run('environment', undefined)).toEqual([]);
  });

  test('that cannot start says so', async () => {
    const pages = thread({ file: join(import.meta.dirname, 'no-such-file.js') });
    await expect(pages.run('where', undefined)).rejects.toMatchObject({ code: 'reading_unavailable' });
  });

  test('that is closed accepts no more work, and drops its jobs', async () => {
    const pages = thread();
    await pages.run('where', undefined);
    const endless = pages.run('forEver', undefined);
    await Promise.all([
      expect(endless).rejects.toMatchObject({ code: 'reading_unavailable' }),
      pages.close(),
    ]);
    await expect(pages.run('where', undefined)).rejects.toMatchObject({ code: 'reading_unavailable' });
  });
});
