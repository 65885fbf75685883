import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import type { Problem } from '../contract/status.ts';
import { makeBackup, type Prove } from '../storage/backup/backup.ts';
import { isDue, pruneWeekly, weeklyCopiesIn, weeklyName } from '../storage/backup/weekly.ts';
import { errorCode } from '../storage/storage-error.ts';
import type { Activity } from './activity.ts';
import type { DataDesk } from './data-desk.ts';

export interface WeeklyKeeper {
  /** Why the last copy failed; undefined where it didn't. */
  readonly problem: Problem | undefined;
  /** When the newest was made. */
  last(): Promise<string | null>;
  /** Makes a copy where one is due. Never fails: what went wrong is the problem. */
  look(): Promise<void>;
}

interface WeeklyDeps {
  readonly dataDir: string;
  readonly version: string;
  readonly now: () => number;
  readonly desk: DataDesk;
  readonly settings: () => Settings;
  readonly activity: Activity;
  readonly prove: Prove;
  /** The problem came or went. */
  readonly changed: () => void;
}

/** The copy that is made each week, without secrets, into a folder of the owner's choice. */
export function createWeeklyKeeper(deps: WeeklyDeps): WeeklyKeeper {
  const { dataDir, desk, settings, activity, now } = deps;
  let problem: Problem | undefined;

  async function copy(): Promise<void> {
    const { backup, profile } = settings();
    const { folder, keep } = backup;
    const [newest] = await copiesIn(folder, profile.me, now());
    if (!isDue(newest, now())) return;
    const name = weeklyName(profile.me, now());
    await desk.run(
      'weekly',
      (work) =>
        makeBackup({
          ...{ dataDir, file: join(folder, name), version: deps.version, me: profile.me, now: now() },
          ...{ prove: deps.prove, work },
        }),
      ({ file }) => `The weekly copy is in “${file}”, and was read back.`,
    );
    await pruneWeekly(folder, { whose: profile.me, keep, newest: name, now: now() });
    await activity.tell('data.weekly', `The weekly copy was made: ${name}.`);
  }

  async function failed(error: unknown): Promise<void> {
    const why = error instanceof PorchlightError ? error.message : `Something went wrong (${String(error)}).`;
    const message = `The weekly copy could not be made. ${why}`;
    const isNews = problem?.message !== message;
    problem = { code: 'weekly_copy_failed', message };
    if (!isNews) return;
    deps.changed();
    await activity.tell('data.weeklyFailed', message);
  }

  return {
    get problem() {
      return problem;
    },

    async last() {
      const { backup, profile } = settings();
      if (backup.folder === '') return null;
      const [newest] = await weeklyCopiesIn(backup.folder, profile.me, now()).catch(() => []);
      return newest === undefined ? null : new Date(newest.at).toISOString();
    },

    async look() {
      if (desk.busy) return; // it is looked again within the hour
      try {
        if (settings().backup.folder !== '') await copy();
        if (problem === undefined) return;
        problem = undefined;
        deps.changed();
      } catch (error) {
        if (error instanceof PorchlightError && (error.code === 'cancelled' || error.code === 'busy')) return;
        await failed(error);
      }
    },
  };
}

/** A folder that is missing is not made: its disk may not be connected, and the copy would lie under its name. */
async function copiesIn(folder: string, whose: string | null, now: number) {
  try {
    return await weeklyCopiesIn(folder, whose, now);
  } catch (error) {
    const code = errorCode(error);
    throw new PorchlightError(
      'storage_unwritable',
      code === 'ENOENT'
        ? `The folder “${folder}” is not there. Connect its disk, or choose another folder.`
        : `The folder “${folder}” can’t be read (${code ?? String(error)}).`,
      500,
    );
  }
}
