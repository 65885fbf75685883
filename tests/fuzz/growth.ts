import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { judgeFresh, judgeMemory, judgeRest, type Rest, type Sample } from '../bench/soak/judgement.ts';
import type { Finding } from './oracles.ts';

/** The server before and after the run, and a fresh start on the data that the run left. */
export interface Growth {
  readonly before: { readonly rest: Rest; readonly heap: number };
  readonly after: { readonly rest: Rest; readonly heap: number };
  /** Bytes of the heap of a fresh start. */
  readonly fresh: number;
  readonly samples: readonly Sample[];
  /** Files that only an unfinished write or upload may have, after the rest. */
  readonly unfinished: readonly string[];
}

/** Judges what the server holds after a rest, with the bounds of the soak. Returns what it found and the numbers. */
export function judgeGrowth({ before, after, fresh, samples, unfinished }: Growth): {
  findings: Finding[];
  words: string[];
} {
  const verdicts = [
    judgeMemory('resident', samples),
    judgeMemory('heap', samples, fresh - before.heap),
    judgeFresh(after.heap, fresh),
    ...judgeRest(before.rest, after.rest),
    {
      isGood: unfinished.length === 0,
      words: `Unfinished files left: ${unfinished.length} ${unfinished.slice(0, 5).join(' ')}`,
    },
  ];
  return {
    findings: verdicts.filter(({ isGood }) => !isGood).map(({ words }) => ({ kind: 'growth', words })),
    words: verdicts.map(({ words }) => words),
  };
}

/** Lists files of writes and uploads that did not end: `*.tmp`, `*.part`. */
export async function unfinishedFiles(dataDir: string): Promise<string[]> {
  const all = await readdir(dataDir, { recursive: true });
  return all.filter((name) => /\.(tmp|part)$/.test(path.basename(name)));
}
