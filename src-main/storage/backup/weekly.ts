import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { momentOfName, nameOfMoment } from './kept-paths.ts';

/**
 * Manages the weekly copies of the data. A copy's name tells whose data it contains and when it was made. This module
 * changes no other files.
 */

const weekMs = 7 * 86_400_000;
/**
 * A copy with a date further in the future than this, in ms, was made while the clock was wrong. It must not delay new
 * copies.
 */
const clockSlack = 86_400_000;

export interface WeeklyCopy {
  readonly name: string;
  /** When the copy was made, in ms since 1970. */
  readonly at: number;
}

/**
 * Returns the name of a copy made at `now` (ms). `whose`: the URL of the owner's profile. Its host is part of the
 * name, so that two owners can share a folder.
 */
export function weeklyName(whose: string | null, now: number): string {
  return `${prefixOf(whose)}${nameOfMoment(now)}Z.zip`;
}

/** Returns whether the next weekly copy is due. `newest`: the newest copy. `now` is in ms. */
export function isDue(newest: WeeklyCopy | undefined, now: number): boolean {
  return newest === undefined || now - newest.at >= weekMs || newest.at - now > clockSlack;
}

/**
 * Returns one owner's weekly copies in a folder, newest first. Copies with dates in the future, from a wrong clock,
 * come last. Their age is unknown, so they never cause other copies to be made or removed. `now` is in ms.
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
 * Removes the oldest weekly copies until `keep` copies remain. `newest` was just made and is always kept, even if the
 * clock was wrong. Also removes unfinished copies that a killed process left behind. `now` is in ms.
 * @throws the system's error if a copy can't be removed.
 */
export async function pruneWeekly(
  folder: string,
  { whose, keep, newest, now }: { whose: string | null; keep: number; newest: string; now: number },
): Promise<void> {
  const others = (await weeklyCopiesIn(folder, whose, now)).filter(({ name }) => name !== newest);
  // Even if one copy can't be removed, remove the others.
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
 * Returns whether a file name belongs to an unfinished copy (zip-writer.ts chooses those names). `rest`: the name
 * without the prefix of weekly copies. Called right after a copy was made, when no other copy is being written.
 */
function isUnfinished(rest: string): boolean {
  const [, whole] = /^(.*)\.[0-9a-f]{8}\.part$/.exec(rest) ?? [];
  return whole !== undefined && !Number.isNaN(momentIn(whole));
}

const momentIn = (rest: string) => (rest.endsWith('Z.zip') ? momentOfName(rest.slice(0, -5)) : NaN);
