import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openReading } from '../../../src-main/app/reading.ts';
import { kinds } from '../../../src-main/untrusted/kinds.ts';
import { createPool, theOwner } from '../../../src-main/untrusted/pool.ts';
import type { StubbornJobs } from '../../support/stubborn-worker.ts';

vi.setConfig({ testTimeout: 600_000 });

const programs: ChildProcess[] = [];
// The load of a computer with two processors, on which every page was too slow when deadlines counted real time.
beforeEach(() => {
  for (let at = 0; at < 14; at += 1)
    programs.push(spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }));
});
afterEach(() => {
  for (const program of programs.splice(0)) program.kill('SIGKILL');
});

const target = 'https://me.example/post';
const entries = Array.from(
  { length: 40 },
  (_, at) => `<div class="h-entry"><p class="p-name">Post ${at}</p><a class="u-url" href="/${at}">link</a>
    <div class="e-content"><p>${'Some words of a post. '.repeat(20)}</p></div></div>`,
);
/** A page that an idle computer reads in a fraction of a second. */
const body = Buffer.from(`<div class="h-feed">${entries.join('')}</div><a href="${target}">the post</a>`);

describe('on a computer that other programs keep busy', () => {
  test('20 readable pages are read while other programs keep the computer busy', async () => {
    const reading = openReading({ clock: Date.now });
    const pages = Array.from({ length: 20 }, (_, at) => {
      const source = `https://site-${at}.example/`;
      const page = { body, contentType: 'text/html', url: source, linkHeader: null };
      return reading.mentions.source({ source, target, page });
    });
    const kindsFound = (await Promise.allSettled(pages)).map((result) =>
      result.status === 'fulfilled' ? result.value.kind : (result.reason as Error).message,
    );
    await reading.close();
    expect(kindsFound).toEqual(pages.map(() => 'links'));
  });

  test('a page that never ends is stopped while other programs keep the computer busy', async () => {
    const file = join(import.meta.dirname, '../../support/stubborn-worker.ts');
    const pool = createPool<StubbornJobs>({ ...kinds.mentions, deadlineMs: 500 }, { clock: Date.now, file });
    await expect(pool.run('forEver', undefined, theOwner)).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:page_too_slow|reading_unavailable)$/) as string,
    });
    expect(await pool.run('where', undefined, theOwner)).toBeGreaterThan(0);
    await pool.close();
  });
});
