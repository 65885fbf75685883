import { PorchlightError } from '../contract/error.ts';
import type { Problem } from '../contract/status.ts';
import type { Log } from '../platform/log.ts';
import type { Records } from '../storage/records/records.ts';
import { snapshotTime } from '../storage/records/snapshots.ts';

interface SnapshotKeeperDeps {
  readonly dataDir: string;
  readonly records: Pick<Records, 'snapshot' | 'changes'>;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
  /** Called when `problem` has changed. */
  readonly changed: () => void;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** After how many changed rows a copy is made before its day is over; fewer after an import. */
const [mostChanges, mostImported] = [2000, 20];

/**
 * Creates the part that copies the database beside it in the data folder, if something has changed: once a day, and at
 * most once an hour after an import and after many changes.
 */
export function createSnapshotKeeper({ dataDir, records, now, log, changed }: SnapshotKeeperDeps) {
  let problem: Problem | undefined;
  let wasImported = false;
  /** How many rows had been changed when the last copy was begun. */
  let copied = 0;

  async function isDue(): Promise<boolean> {
    const last = await snapshotTime(dataDir);
    if (last === undefined) return true;
    // A copy from the future says that the clock was wrong.
    const age = Math.abs(now() - last);
    const isMuch = records.changes - copied >= (wasImported ? mostImported : mostChanges);
    return age >= (isMuch ? hourMs : dayMs);
  }

  async function attempt(): Promise<Problem | undefined> {
    try {
      if (await isDue()) {
        const { changes } = records;
        await records.snapshot();
        [copied, wasImported] = [changes, false];
      }
      return undefined;
    } catch (error) {
      log.warn({ err: error }, 'the database could not be copied');
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
    /** Notes that an import has ended. */
    imported: (): void => void (wasImported = true),
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
  return `Porchlight couldn’t copy its database. It repairs damage from that copy. ${why}`;
}
