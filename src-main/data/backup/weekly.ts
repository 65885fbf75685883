import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { momentOfName, nameOfMoment } from '../../storage/kept-paths.ts';

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

export interface WeeklyCopy {
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
      await rm(join(folder, name), { force: true });
  for (const one of removed) if (one.status === 'rejected') throw one.reason;
}

function prefixOf(whose: string | null): string {
  const host = whose !== null && URL.canParse(whose) ? new URL(whose).host : 'data';
  return `porchlight-weekly-${host.replace(/[^a-z0-9.-]/gi, '-')}-`;
}

/**
 * Returns whether a file name belongs to an unfinished backup (zip-writer.ts chooses those names). `rest`: the name
 * without the prefix of weekly backups. Called only while no weekly backup is being written.
 */
function isUnfinished(rest: string): boolean {
  const [, whole] = /^(.*)\.[0-9a-f]{8}\.part$/.exec(rest) ?? [];
  return whole !== undefined && !Number.isNaN(momentIn(whole));
}

const momentIn = (rest: string) => (rest.endsWith('Z.zip') ? momentOfName(rest.slice(0, -5)) : NaN);
