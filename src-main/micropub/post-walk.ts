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
  const all = await source.months();
  const months = (older ? all : all.reverse()).filter((month) => mayHold(month, from, older));
  let lanes: Lane[] = [];
  for (const [index, month] of months.entries()) {
    const next = months[index + 1];
    lanes.push(laneOf(await source.entries(month), { month, from, older }));
    for (;;) {
      lanes = lanes.filter((lane) => lane.head() !== undefined);
      const first = lanes.reduce<Lane | undefined>((best, lane) => sooner(best, lane, older), undefined);
      const head = first?.head();
      if (first === undefined || head === undefined) break;
      if (next !== undefined && !isBefore(head.at, next, older)) break;
      first.step();
      yield head;
    }
  }
}

/** What is left of a month, without a copy of it: months are long, and most walks end early. */
interface Lane {
  head(): (PostEntry & Place) | undefined;
  step(): void;
}

function laneOf(
  entries: readonly PostEntry[],
  { month, from, older }: { month: string; from: Step | undefined; older: boolean },
): Lane {
  // Entries are newest first: those before `cut` are not older than where the walk starts.
  const isPast = (entry: PostEntry, start: Step) => {
    const order = compare({ ...entry, month }, start);
    return older ? order <= 0 : order < 0;
  };
  const none = older ? 0 : entries.length;
  const cut = from === undefined ? none : firstIndex(entries, (entry) => !isPast(entry, from));
  let at = older ? cut : cut - 1;
  return {
    head() {
      const entry = entries[at];
      return entry && { ...entry, month };
    },
    step() {
      at += older ? 1 : -1;
    },
  };
}

/** The first index whose entry passes, in a list that ends with those that do. */
function firstIndex<T>(list: readonly T[], passes: (item: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = list[middle];
    if (item === undefined || passes(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sooner(best: Lane | undefined, lane: Lane, older: boolean): Lane {
  const [a, b] = [best?.head(), lane.head()];
  if (best === undefined || a === undefined) return lane;
  if (b === undefined) return best;
  return (older ? compare(a, b) : compare(b, a)) <= 0 ? best : lane;
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
    throw new PorchlightError(
      'invalid_request',
      'This cursor is not valid. Load the list again from its start.',
    );
  }
  return { at: Number(at), month, slug };
}
