import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { threadId } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { createReadingThread } from '../../../../src-main/http/strangers/reading-thread.ts';
import type { StubbornJobs } from '../../../support/stubborn-worker.ts';

const file = join(import.meta.dirname, '../../../support/stubborn-worker.ts');
const opened: { close(): Promise<void> }[] = [];

function thread(options: { file?: string; idleMs?: number; deadlineMs?: number; starvedMs?: number } = {}) {
  const made = createReadingThread<StubbornJobs>({ file, ...options });
  opened.push(made);
  return made;
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

  test('is ended at the deadline, and the next job gets another', async () => {
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

  test('may run out of memory without harm to the server', async () => {
    const pages = thread();
    await expect(pages.run('fillMemory', undefined)).rejects.toMatchObject({
      code: expect.stringMatching(/^page_too_/) as string,
    });
    expect(await pages.run('where', undefined)).toBeGreaterThan(0);
  });

  test('can wait longer for a job that gets no processor time, but not for one that uses it', async () => {
    const patient = { deadlineMs: 1000, starvedMs: 30_000 };
    await expect(thread({ deadlineMs: 1000 }).run('starve', 2000)).rejects.toMatchObject({
      code: 'page_too_slow',
    });
    const pages = thread(patient);
    expect(await pages.run('starve', 2000)).toBe(2000);
    await expect(pages.run('forEver', undefined)).rejects.toMatchObject({ code: 'page_too_slow' });
    const short = thread({ ...patient, starvedMs: 1500 });
    await expect(short.run('starve', 20_000)).rejects.toMatchObject({ code: 'reading_unavailable' });
  });

  test('does not blame a job for the processor time that the server itself uses', async () => {
    const pages = thread({ deadlineMs: 1000, starvedMs: 30_000 });
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
    const module = join(import.meta.dirname, '../../../../src-main/http/strangers/reading-thread.ts');
    const program = `
      const { createReadingThread } = await import(${JSON.stringify(pathToFileURL(module).href)});
      const pages = createReadingThread({ file: ${JSON.stringify(file)}, idleMs: 1_000_000 });
      console.log(typeof await pages.run('where'));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout.trim()).toBe('number');
  });

  test('knows nothing of the server’s environment', async () => {
    expect(await thread().run('environment', undefined)).toEqual([]);
  });

  test('that can not start says so', async () => {
    const pages = thread({ file: join(import.meta.dirname, 'no-such-file.js') });
    await expect(pages.run('where', undefined)).rejects.toMatchObject({ code: 'reading_unavailable' });
  });

  test('that is closed takes no more work, and drops what it has', async () => {
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
