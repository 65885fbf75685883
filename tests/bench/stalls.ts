import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { heading, ratio, row } from './report.ts';
import { syncLibrary } from './slow-sync.ts';
import type { Stalled } from './stalls-writer.ts';

export interface StallsOptions {
  /** Where the data goes. */
  readonly folder: string;
  /** How long each program writes. */
  readonly seconds: number;
}

const syncMs = 200;

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
  const told = (name: string, of: (stalled: Stalled) => string, compared = '') =>
    row(name, of(records), `(${of(full)})${compared}`);
  const times = ratio(records.longestMs, full.longestMs);
  told('longest stall of the event loop', ({ longestMs }) => `${longestMs.toFixed(0)} ms`, ` ratio ${times}`);
  told('share of the time that it stood still', ({ blockedShare }) => `${(blockedShare * 100).toFixed(1)} %`);
  told('rows acknowledged', ({ rows }) => String(rows));
  told('checkpoints', ({ checkpoints }) => String(checkpoints));
}
