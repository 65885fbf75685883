import { join } from 'node:path';
import type { LastCopy } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import type { Problem } from '../contract/status.ts';
import { nextAttempt, plausibleDue } from '../platform/retry-schedule.ts';
import { makeBackup, type Prove } from './backup/backup.ts';
import { isDue, pruneWeekly, weeklyCopiesIn, weeklyName } from './backup/weekly.ts';
import type { Records } from '../storage/records/records.ts';
import { errorCode } from '../storage/storage-error.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { DataDesk } from './data-desk.ts';

export type WeeklyKeeper = ReturnType<typeof createWeeklyKeeper>;

interface WeeklyDeps {
  readonly dataDir: string;
  readonly version: string;
  readonly now: () => number;
  readonly desk: DataDesk;
  readonly settings: () => Pick<Settings, 'backup'> & { readonly profile: Pick<Settings['profile'], 'me'> };
  readonly activity: Pick<Activity, 'tell'>;
  readonly records: Pick<Records, 'lines'>;
  readonly prove: Prove;
  /** Records that a backup was made. */
  readonly made: (copy: Omit<LastCopy, 'bytes'>) => Promise<void>;
  /** Called when `problem` has changed. */
  readonly changed: () => void;
}

/** Creates the part that makes weekly backups, without secrets, in a folder that the owner chose. */
export function createWeeklyKeeper(deps: WeeklyDeps) {
  const { dataDir, desk, settings, activity, now } = deps;
  let problem: Problem | undefined;
  let failure: { readonly at: number; readonly settings: string } | undefined;

  /**
   * Returns whether a backup with the current settings just failed. If so, the next attempt has to wait, because
   * attempts are costly.
   */
  function hasJustFailed(): boolean {
    if (failure?.settings !== JSON.stringify(settings().backup)) return false;
    const next = nextAttempt('weeklyBackup', { failures: 1, now: failure.at }) ?? 0;
    return plausibleDue('weeklyBackup', next, now()) > now();
  }

  /** Makes a backup if one is due. If there is a problem that the owner should know about, returns it. */
  async function copy(): Promise<Problem | undefined> {
    const { backup, profile } = settings();
    const { folder } = backup;
    if (folder === '') return undefined;
    const [newest] = await copiesIn(folder, profile.me, now()).catch((error: unknown) => {
      failure = undefined; // Lets the next check try a backup, in case the folder exists again by then.
      throw error;
    });
    if (newest !== undefined && !isDue(newest, now()))
      return problem?.code === copiesStay ? prune(newest.name) : undefined;
    if (hasJustFailed()) return problem;
    const name = weeklyName(profile.me, now());
    await desk.run(
      'weekly',
      async (work) => {
        try {
          const copy = await makeBackup({
            ...{ dataDir, file: join(folder, name), version: deps.version, me: profile.me, now: now() },
            ...{ records: deps.records, prove: deps.prove, work },
          });
          const { file, counts } = copy;
          await deps.made({ path: file, madeAt: new Date(now()).toISOString(), counts, secrets: false });
          return copy;
        } catch (error) {
          if (!isNoFailure(error)) failure = { at: now(), settings: JSON.stringify(backup) };
          throw error;
        }
      },
      ({ file }) => `Porchlight made and checked the weekly backup: “${file}”.`,
    );
    await activity.tell('data.weekly', `Weekly backup saved: ${name}.`);
    return prune(name);
  }

  /**
   * Deletes older backups. If that fails, returns the failure as a problem instead of throwing it, because the new
   * backup (`newest`) was made.
   */
  async function prune(newest: string): Promise<Problem | undefined> {
    const { backup, profile } = settings();
    const { folder, keep } = backup;
    try {
      await pruneWeekly(folder, { whose: profile.me, keep, newest, now: now() });
      return undefined;
    } catch (error) {
      const why = errorCode(error) ?? String(error);
      const message = `Porchlight made the weekly backup, but couldn’t remove older ones from “${folder}” (${why}). Remove them yourself, or check the folder’s permissions.`;
      return { code: copiesStay, message };
    }
  }

  async function failed(error: unknown): Promise<void> {
    const why = error instanceof PorchlightError ? error.message : `Something went wrong (${String(error)}).`;
    const next =
      failure === undefined ? '' : ' It is tried again in a day, or when you change where it goes.';
    const message = `Porchlight couldn’t make the weekly backup. ${why}${next}`;
    const isNews = problem?.message !== message;
    problem = { code: 'weekly_copy_failed', message };
    if (!isNews) return;
    deps.changed();
    await activity.tell('data.weeklyFailed', message);
  }

  return {
    /** Why the last weekly backup failed, or why older backups could not be deleted; undefined if nothing failed. */
    get problem(): Problem | undefined {
      return problem;
    },

    /** Returns when the newest weekly backup was made; null if there is none. */
    async last(): Promise<string | null> {
      const { backup, profile } = settings();
      if (backup.folder === '') return null;
      const [newest] = await weeklyCopiesIn(backup.folder, profile.me, now()).catch(() => []);
      return newest === undefined ? null : new Date(newest.at).toISOString();
    },

    /** Makes a weekly backup if one is due. Never fails: an error becomes `problem`. */
    async look(): Promise<void> {
      if (desk.busy) return; // another task is running; the hourly check tries again
      try {
        const found = await copy();
        if (found?.message === problem?.message) return;
        problem = found;
        deps.changed();
      } catch (error) {
        if (isNoFailure(error)) return;
        await failed(error);
      }
    },
  };
}

const copiesStay = 'weekly_copies_stay';
/**
 * Returns whether an error doesn't count as a failed backup. Such an error means that the backup was cancelled, that
 * another task was running, or that the data folder is missing, which the status already reports.
 */
const isNoFailure = (error: unknown) =>
  error instanceof PorchlightError && ['cancelled', 'busy', 'storage_gone'].includes(error.code);

/** Returns the weekly backups in a folder. Never creates the folder, because its disk may not be connected. */
async function copiesIn(folder: string, whose: string | null, now: number) {
  try {
    return await weeklyCopiesIn(folder, whose, now);
  } catch (error) {
    const code = errorCode(error);
    throw new PorchlightError(
      'storage_unreadable',
      code === 'ENOENT'
        ? `The folder “${folder}” doesn’t exist. Connect its disk, or choose another folder.`
        : `The folder “${folder}” can’t be read (${code ?? String(error)}).`,
      500,
    );
  }
}
