import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { promisify } from 'node:util';
import { recordsName } from '../../src-main/storage/records/records-file.ts';
import { startProbed } from '../support/probed-process.ts';
import { heading, ratio, row } from './report.ts';
import { serverArguments } from './servers.ts';
import { syncLibrary, type SyncLibrary } from './slow-sync.ts';
import type { Stalled } from './stalls-writer.ts';

export interface StallsOptions {
  /** Where the data goes. */
  readonly folder: string;
  /** How long each program writes. */
  readonly seconds: number;
}

const syncMs = 200;
/** How many posts an app of the server sends at a time. */
const atOnce = 16;
const probeEveryMs = 500;
/** Long, so that the write-ahead log becomes large within a minute. */
const words = Array.from({ length: 3000 }, (_, number) => `word${number}`).join(' ');

/**
 * Runs `npm run bench -- stalls`: the longest time for which the event loop stands still while 50 rows a second are
 * written and every sync takes 200 ms, checkpoints included. The baseline writes the same rows with
 * `synchronous = FULL`, so that each is as safe when it is acknowledged.
 */
export async function benchStalls({ folder, seconds }: StallsOptions): Promise<void> {
  const library = syncLibrary(folder);

  async function stalled(how: 'records' | 'full'): Promise<Stalled> {
    const writer = path.join(import.meta.dirname, 'stalls-writer.ts');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [writer, how, path.join(folder, how), String(seconds)],
      { env: { ...process.env, ...library.slow(syncMs) } },
    );
    return JSON.parse(stdout) as Stalled;
  }
  const [records, full] = [await stalled('records'), await stalled('full')];
  heading(
    `Every sync takes ${syncMs} ms, ${seconds} s with 50 rows a second; in brackets: synchronous = FULL`,
  );
  const reportRow = (name: string, of: (stalled: Stalled) => string, compared = '') =>
    row(name, of(records), `(${of(full)})${compared}`);
  const times = ratio(records.longestMs, full.longestMs);
  reportRow(
    'longest stall of the event loop',
    ({ longestMs }) => `${longestMs.toFixed(0)} ms`,
    ` ratio ${times}`,
  );
  reportRow(
    'share of the time that it stood still',
    ({ blockedShare }) => `${(blockedShare * 100).toFixed(1)} %`,
  );
  reportRow('rows acknowledged', ({ rows }) => String(rows));
  reportRow('checkpoints', ({ checkpoints }) => String(checkpoints));
  await serverStalls({ folder, seconds }, library);
}

/** Measures the same of the whole server, while an app creates posts. */
async function serverStalls({ folder, seconds }: StallsOptions, library: SyncLibrary): Promise<void> {
  const dataDir = path.join(folder, 'server');
  const house = await startProbed({ dataDir, args: serverArguments, env: library.slow(syncMs) });
  const { token } = await house.call('apps.issueToken', { label: 'Benchmark', scopes: ['create'] });
  const seen = { blocked: 0, posts: 0, checkpoints: 0, size: 0, isDone: false };
  const end = performance.now() + seconds * 1000;

  async function create(): Promise<void> {
    while (performance.now() < end) {
      const response = await fetch(`http://127.0.0.1:${house.ready.port}/micropub`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: ['h-entry'], properties: { content: [words] } }),
      });
      if (response.status !== 201) throw new Error(`A post was answered with ${response.status}.`);
      seen.posts += 1;
    }
  }
  try {
    await house.inside('glance'); // What was before doesn't count.
    const creating = Promise.all(Array.from({ length: atOnce }, create)).finally(() => (seen.isDone = true));
    while (!seen.isDone) {
      await Promise.race([rest(probeEveryMs), creating]);
      seen.blocked = Math.max(seen.blocked, (await house.inside('glance')).blocked);
      const { size } = statSync(path.join(dataDir, recordsName));
      if (size > seen.size) seen.checkpoints += 1;
      seen.size = size;
    }
  } finally {
    await house.stop();
  }
  heading(`The server, while an app creates posts and every sync takes ${syncMs} ms`);
  row('main thread not free at most, ms', seen.blocked.toFixed(0));
  row('posts created', String(seen.posts));
  row('checkpoints of the database', String(seen.checkpoints));
}
