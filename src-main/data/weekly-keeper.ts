import type { Common } from '../http/common.ts';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LastCopy } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import type { Problem } from '../contract/status.ts';
import { nextAttempt, plausibleDue } from '../platform/retry-schedule.ts';
import { momentOfName, nameOfMoment } from '../storage/kept-paths.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { Records } from '../storage/records/records.ts';
import { errorCode } from '../storage/storage-error.ts';
import { makeBackup, type Prove } from './backup/backup.ts';
import type { DataDesk } from './data-desk.ts';

export type WeeklyKeeper = ReturnType<typeof createWeeklyKeeper>;

interface WeeklyDeps extends Pick<Common, 'dataDir' | 'version'> {
  readonly now: () => number;
  readonly desk: DataDesk;
  readonly settings: () => Pick<Settings, 'backup'> & { readonly profile: Pick<Settings['profile'], 'me'> };
  readonly activity: Pick<Activity, 'record'>;
  readonly records: Pick<Records, 'lines' | 'documentFolders'>;
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
            dataDir,
            file: join(folder, name),
            version: deps.version,
            me: profile.me,
            now: now(),
            records: deps.records,
            prove: deps.prove,
            work,
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
    await activity.record('data.weekly', `Weekly backup saved: ${name}.`);
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
    await activity.record('data.weeklyFailed', message);
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
    async makeIfDue(): Promise<void> {
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

/**
 * Functions for the weekly backups of the data. A backup's name contains the owner's host and the time of the backup.
 * Files with other names stay untouched.
 */

const weekMs = 7 * 86_400_000;
/**
 * The maximum difference, in ms, between the current time and a backup date in the future. If a date is further in the
 * future, the clock was wrong when the backup was made, so the backup must not delay new backups.
 */
const clockSlack = 86_400_000;

interface WeeklyCopy {
  readonly name: string;
  /** When the backup was made, in ms since 1970. */
  readonly at: number;
}

/**
 * Returns the name of a backup made at `now` (ms). `whose`: the URL of the owner's profile. Its host is part of the
 * name, so that two owners can share a folder.
 */
export function weeklyName(whose: string | null, now: number): string {
  return `${prefixOf(whose)}${nameOfMoment(now)}Z.zip`;
}

/** Returns whether the next weekly backup is due. `newest`: the newest backup. `now` is in ms. */
export function isDue(newest: WeeklyCopy | undefined, now: number): boolean {
  return newest === undefined || now - newest.at >= weekMs || newest.at - now > clockSlack;
}

/**
 * Returns the weekly backups of one owner from a folder, newest first. If a backup's date is more than a day in the
 * future, the clock was wrong, so the backup's age is unknown. Such backups come last, and they never delay new
 * backups. `now` is in ms.
 * @throws the system's error if the folder can't be read.
 */
export async function weeklyCopiesIn(
  folder: string,
  whose: string | null,
  now: number,
): Promise<WeeklyCopy[]> {
  const isAhead = ({ at }: WeeklyCopy) => at - now > clockSlack;
  const prefix = prefixOf(whose);
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.startsWith(prefix))
    .map(({ name }) => ({ name, at: momentIn(name.slice(prefix.length)) }))
    .filter(({ at }) => !Number.isNaN(at))
    .sort((a, b) => Number(isAhead(a)) - Number(isAhead(b)) || b.at - a.at);
}

/**
 * Removes the oldest weekly backups until `keep` backups remain. Always keeps the backup `newest`, which was just made,
 * even if the clock was wrong. Also removes unfinished backups that a killed process left behind. `now` is in ms.
 * @throws the system's error if a backup can't be removed.
 */
export async function pruneWeekly(
  folder: string,
  { whose, keep, newest, now }: { whose: string | null; keep: number; newest: string; now: number },
): Promise<void> {
  const others = (await weeklyCopiesIn(folder, whose, now)).filter(({ name }) => name !== newest);
  // Even if one backup can't be removed, remove the others.
  const removed = await Promise.allSettled(
    others.slice(keep - 1).map(({ name }) => rm(join(folder, name), { force: true })),
  );
  const prefix = prefixOf(whose);
  for (const name of await readdir(folder))
    if (name.startsWith(prefix) && isUnfinished(name.slice(prefix.length)))
      await rm(join(folder, name), { recursive: true, force: true });
  for (const one of removed) if (one.status === 'rejected') throw one.reason;
}

function prefixOf(whose: string | null): string {
  const host = whose !== null && URL.canParse(whose) ? new URL(whose).host : 'data';
  return `porchlight-weekly-${host.replace(/[^a-z0-9.-]/gi, '-')}-`;
}

/**
 * Returns whether a name belongs to an unfinished backup or to its work folder (zip.ts and snapshot.ts choose them). `rest`: the name
 * without the prefix of weekly backups. Called only while no weekly backup is being written.
 */
function isUnfinished(rest: string): boolean {
  const [, whole] = /^(.*)\.[0-9a-f]{8}\.part$/.exec(rest) ?? [];
  return whole !== undefined && !Number.isNaN(momentIn(whole));
}

const momentIn = (rest: string) => (rest.endsWith('Z.zip') ? momentOfName(rest.slice(0, -5)) : NaN);
