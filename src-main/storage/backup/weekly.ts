import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The names of weekly copies: what they are of and when they were made can be read from them, and nothing else is touched. */

const weekMs = 7 * 86_400_000;
/** A clock that was wrong once must not put off copies for ever. In ms. */
const clockSlack = 86_400_000;

export interface WeeklyCopy {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** `whose`: the owner's profile address, so that two owners can share a folder. `now` in ms. */
export function weeklyName(whose: string | null, now: number): string {
  return `${prefixOf(whose)}${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}Z.zip`;
}

/**
 * The weekly copies of one owner among the names in a folder, newest first. Those that a wrong clock dated later than
 * now come last: nobody knows how old they are, and they are no reason to make others, or to remove them.
 */
function weeklyCopies(whose: string | null, names: readonly string[], now: number): WeeklyCopy[] {
  const isAhead = ({ at }: WeeklyCopy) => at - now > clockSlack;
  const prefix = prefixOf(whose);
  return names
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ name, at: momentIn(name.slice(prefix.length)) }))
    .filter(({ at }) => !Number.isNaN(at))
    .sort((a, b) => Number(isAhead(a)) - Number(isAhead(b)) || b.at - a.at);
}

/** True where it is time for the next one. `now` in ms. */
export function isDue(newest: WeeklyCopy | undefined, now: number): boolean {
  return newest === undefined || now - newest.at >= weekMs || newest.at - now > clockSlack;
}

/** Finds the weekly copies in a folder, those first that were made last. `now` in ms. @throws the system's error where it can't be read. */
export async function weeklyCopiesIn(
  folder: string,
  whose: string | null,
  now: number,
): Promise<WeeklyCopy[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return weeklyCopies(
    whose,
    entries.filter((entry) => entry.isFile()).map(({ name }) => name),
    now,
  );
}

/**
 * Removes the oldest of them, so that `keep` stay; `newest`, just made, is among these whatever the clock said before.
 * `now` in ms.
 * What a kill left of one that was being written goes too.
 * @throws the system's error where one may not be removed.
 */
export async function pruneWeekly(
  folder: string,
  { whose, keep, newest, now }: { whose: string | null; keep: number; newest: string; now: number },
): Promise<void> {
  const others = (await weeklyCopiesIn(folder, whose, now)).filter(({ name }) => name !== newest);
  // One that may not be removed keeps no other.
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

/** The name that zip-writer.ts gives to one under way; none is, right after one was made. */
function isUnfinished(rest: string): boolean {
  const [, whole] = /^(.*)\.[0-9a-f]{8}\.part$/.exec(rest) ?? [];
  return whole !== undefined && !Number.isNaN(momentIn(whole));
}

function momentIn(rest: string): number {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)Z\.zip$/.exec(rest) ?? [];
  return day === undefined || time === undefined ? NaN : Date.parse(`${day}T${time.replaceAll('-', ':')}Z`);
}
