import { PorchlightError } from '../contract/error.ts';
import type { PostEntry } from './post-entry.ts';
import type { Place } from './post-path.ts';
import { earliestIn, latestIn } from './month-bounds.ts';

/** A post in the order of all: by the moment it was published, then by its place. */
export type Step = Place & Pick<PostEntry, 'at'>;

export interface WalkSource {
  /** `2026/11`, newest first. */
  months(): Promise<string[]>;
  /** Newest first. */
  entries(month: string): Promise<readonly PostEntry[]>;
}

export interface Walk {
  /** Starts beyond this one. */
  from?: Step | undefined;
  direction: 'older' | 'newer';
}

/**
 * Every post, in order, reading one month after the other as far as it is asked to. Clocks differ by up to a day, so
 * posts of neighbouring months may overlap: one is told only when no unread month can hold one before it.
 */
export async function* walk(
  source: WalkSource,
  { from, direction }: Walk,
): AsyncGenerator<PostEntry & Place> {
  const older = direction === 'older';
  const sign = older ? 1 : -1;
  const all = await source.months();
  const months = (older ? all : all.reverse()).filter((month) => mayHold(month, from, older));
  let waiting: (PostEntry & Place)[] = [];
  for (const [index, month] of months.entries()) {
    const entries = (await source.entries(month)).map((entry) => ({ ...entry, month }));
    const ahead = from === undefined ? entries : entries.filter((entry) => sign * compare(entry, from) > 0);
    waiting = [...waiting, ...ahead].sort((a, b) => sign * compare(a, b));
    const next = months[index + 1];
    const unsafe = waiting.findIndex(({ at }) => next !== undefined && !isBefore(at, next, older));
    const told = unsafe === -1 ? waiting : waiting.slice(0, unsafe);
    waiting = unsafe === -1 ? [] : waiting.slice(unsafe);
    yield* told;
  }
}

/** Newest first. */
function compare(a: Step, b: Step): number {
  return b.at - a.at || compareText(b.month, a.month) || compareText(b.slug, a.slug);
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function mayHold(month: string, from: Step | undefined, older: boolean): boolean {
  if (from === undefined) return true;
  return older ? earliestIn(month) <= from.at : latestIn(month) >= from.at;
}

const isBefore = (at: number, month: string, older: boolean) =>
  older ? at > latestIn(month) : at < earliestIn(month);

/** An opaque text that names a place in the order; it stays good while posts come and go. */
export const cursorOf = ({ at, month, slug }: Step) =>
  Buffer.from(`${at} ${month} ${slug}`).toString('base64url');

/** @throws PorchlightError `invalid_request` on a cursor that is not one of ours. */
export function stepOf(cursor: string): Step {
  const found = /^(-?\d{1,16}) (\d{4}\/\d{2}) (\S{1,200})$/.exec(
    Buffer.from(cursor, 'base64url').toString('utf8'),
  );
  const [, at, month, slug] = found ?? [];
  if (at === undefined || month === undefined || slug === undefined) {
    throw new PorchlightError('invalid_request', 'This cursor is not one that the list gave.');
  }
  return { at: Number(at), month, slug };
}
