import { PorchlightError } from '../contract/error.ts';
import type { Problem } from '../contract/status.ts';
import type { Log } from '../platform/log.ts';
import type { Records } from '../storage/records/records.ts';
import { snapshotTime } from '../storage/records/repair.ts';

interface SnapshotKeeperDeps {
  readonly dataDir: string;
  readonly records: Pick<Records, 'snapshot'>;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
  /** Called when `problem` has changed. */
  readonly changed: () => void;
}

const dayMs = 86_400_000;

/** Creates the part that copies the database once a day, if something has changed, beside it in the data folder. */
export function createSnapshotKeeper({ dataDir, records, now, log, changed }: SnapshotKeeperDeps) {
  let problem: Problem | undefined;

  async function isDue(): Promise<boolean> {
    const last = await snapshotTime(dataDir);
    // A copy from the future says that the clock was wrong.
    return last === undefined || Math.abs(now() - last) >= dayMs;
  }

  async function attempt(): Promise<Problem | undefined> {
    try {
      if (await isDue()) await records.snapshot();
      return undefined;
    } catch (error) {
      log.warn({ err: error }, 'the daily copy of the database could not be made');
      // The status reports these already.
      if (error instanceof PorchlightError && reported.has(error.code)) return problem;
      return { code: 'snapshot_failed', message: wordsFor(error) };
    }
  }

  return {
    /** Why there is no copy of today; undefined if nothing failed. */
    get problem(): Problem | undefined {
      return problem;
    },
    /** Makes a copy if one is due. Never fails: an error becomes `problem`. */
    async makeIfDue(): Promise<void> {
      const found = await attempt();
      if (found?.message === problem?.message) return;
      problem = found;
      changed();
    },
  };
}

const reported = new Set(['storage_gone', 'storage_damaged']);

function wordsFor(error: unknown): string {
  const isFull = error instanceof PorchlightError && error.code === 'storage_full';
  const reason = error instanceof PorchlightError ? error.message : `(${String(error)})`;
  const why = isFull ? 'The disk has too little room for it. Free some space.' : reason;
  return `Porchlight couldn’t make the daily copy of its database, from which it repairs damage. ${why}`;
}
