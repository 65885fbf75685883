import { median } from '../measure.ts';

/** One look at the server while it works. */
export interface Sample {
  /** Seconds since the load began. */
  readonly at: number;
  /** Bytes after a garbage collection, without compiled code. */
  readonly heap: number;
  /** Bytes of all its processes. */
  readonly resident: number;
}

/** The server at rest: before the load, and after it. */
export interface Rest {
  readonly handles: number;
  readonly threads: number;
  readonly processes: number;
  readonly zombies: number;
}

export interface Verdict {
  readonly isGood: boolean;
  readonly words: string;
}

/** Fewer samples in the second half say nothing about a trend. */
const fewestSamples = 6;
const megabyte = 1e6;

/**
 * What memory may grow by in the second half of a run, after warm-up, beside what the data itself takes: the larger of
 * a share of its mean and a floor. A heap is never quite even; what comes with every request and stays is far above
 * this within the hour.
 */
const mayGrow = {
  heap: { share: 0.15, floor: 8 * megabyte },
  resident: { share: 0.15, floor: 48 * megabyte },
};

/** A listener's backlog, a journal that is open, the pipes of a worker: what may be open at rest that was not before. */
const handlesToSpare = 12;
/** Readers of pages and pictures, which come with the first work and stay for the next. */
const threadsToSpare = 8;

/**
 * Whether memory is flat, by the slope of the second half of the samples. `forData`: bytes that a fresh start on all the
 * data holds more than one on none. The list of apps and the pages that SQLite caches are in memory, and grow with the
 * data: so much of the growth is no leak, spread evenly over the run.
 */
export function judgeMemory(kind: 'heap' | 'resident', samples: readonly Sample[], forData = 0): Verdict {
  const name = kind === 'heap' ? 'Heap after collection' : 'Resident memory';
  const last = samples.at(-1)?.at ?? 0;
  const half = samples.filter(({ at }) => at >= last / 2);
  const seconds = last - (half[0]?.at ?? last);
  if (half.length < fewestSamples)
    return { isGood: true, words: `${name}: not judged, ${half.length} samples are too few.` };
  const mean = half.reduce((sum, sample) => sum + sample[kind], 0) / half.length;
  const slope = slopeOf(half.map((sample) => [sample.at, sample[kind]]));
  const data = last > 0 ? (Math.max(0, forData) * seconds) / last : 0;
  const grown = slope * seconds;
  const { share, floor } = mayGrow[kind];
  const most = Math.max(share * mean, floor);
  const isGood = grown - data <= most;
  const ofData = data === 0 ? '' : `of that the data takes ${(data / megabyte).toFixed(1)} MB; `;
  const numbers = `${signed(grown)} MB in the last ${(seconds / 60).toFixed(1)} min of ${(mean / megabyte).toFixed(0)} MB (${signed(slope * 3600)} MB an hour; ${ofData}up to ${(most / megabyte).toFixed(0)} MB in that time is let pass)`;
  return { isGood, words: `${name} ${isGood ? 'is flat' : 'grows'}: ${numbers}.` };
}

/** Whether the server, after the load, holds more than a fresh start that has read the same data. In bytes. */
export function judgeFresh(atRest: number, fresh: number): Verdict {
  const most = Math.max(mayGrow.heap.share * fresh, mayGrow.heap.floor);
  const isGood = atRest - fresh <= most;
  const [held, renewed] = [atRest, fresh].map((bytes) => `${(bytes / megabyte).toFixed(0)} MB`);
  const words = `Heap at rest: ${held}; a fresh start that has read it all: ${renewed} (up to ${(most / megabyte).toFixed(0)} MB more is let pass).`;
  return { isGood, words };
}

/** Whether something stays open, or runs on, that was not there before the load. */
export function judgeRest(before: Rest, after: Rest): Verdict[] {
  const compared = (name: string, kind: keyof Rest, spare: number): Verdict => {
    const isGood = after[kind] <= before[kind] + spare;
    return {
      isGood,
      words: `${name} at rest: ${before[kind]} before, ${after[kind]} after${isGood ? '' : ': they leak'}.`,
    };
  };
  return [
    compared('File handles', 'handles', handlesToSpare),
    compared('Threads', 'threads', threadsToSpare),
    compared('Processes', 'processes', 0),
    compared('Ended children that nobody took note of', 'zombies', 0),
  ];
}

/** Of y over x: the median of the slopes between every two points (Theil and Sen), which one odd point does not turn. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const slopes = points.flatMap(([x1, y1], index) =>
    points.slice(index + 1).map(([x2, y2]) => (y2 - y1) / (x2 - x1)),
  );
  return median(slopes);
}

const signed = (bytes: number) => `${bytes < 0 ? '-' : '+'}${(Math.abs(bytes) / megabyte).toFixed(1)}`;
