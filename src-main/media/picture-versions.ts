import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PictureVersionState } from '../contract/media.ts';
import type { Log } from '../platform/log.ts';
import { notNow } from '../untrusted/pictures/pictures.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import { pauseAfter } from '../platform/retry-schedule.ts';
import { monthsIn, namesIn } from '../storage/file-facts.ts';
import { verified } from '../storage/held-folders.ts';
import { derivedFile, derivedFolder, removeDerived, writeDerived } from './derived-files.ts';
import { mediaFilesIn, mediaPath, mediaPlace, type MediaPlace } from './media-name.ts';
import { causeOf, type MediaFile, type MediaStore } from './media-store.ts';
import { pageWidths, previewWidth, versionEndings } from './media-address.ts';

interface PictureVersionsOptions {
  /** The media folder. */
  readonly dir: string;
  readonly store: MediaStore;
  readonly pictures: Pick<Pictures, 'versions'>;
  /**
   * Called when the versions of a picture were made, or can't be made. Must not throw. `isNew`: whether the picture was
   * added after `start`.
   */
  readonly made: (file: MediaFile, isNew: boolean) => void;
  readonly log: Pick<Log, 'warn'>;
  /** How long to wait before trying a picture again that could not be converted for a temporary reason, in ms. */
  readonly againMs?: number;
}

/**
 * Makes the smaller versions of pictures that pages show instead of the originals. Derives everything from the folder,
 * so that versions that are missing after a kill or a restore are made again.
 */
export interface PictureVersions {
  /** The media store. Its new pictures are converted, and its deleted pictures lose their versions. */
  readonly store: MediaStore;
  /** Returns the endings of the versions that exist (see versionEndings). */
  of(file: MediaFile): Promise<readonly string[]>;
  /** Returns `made` also for a file that needs no smaller versions. */
  stateOf(file: MediaFile): Promise<PictureVersionState>;
  /** Returns the path of a version's content on disk. */
  fileOf(file: MediaFile, ending: string): string;
  /** Returns the number of pictures that wait to be converted. */
  waiting(): number;
  /** Resolves when a picture is no longer waiting, and after `mostMs` at the latest. */
  settled(path: string, mostMs: number): Promise<void>;
  /** Starts to convert pictures: new ones first, then all others that have no versions yet. */
  start(): void;
  /** Starts no more conversions. Call it before the pictures are closed, and `stop` afterwards. */
  interrupt(): void;
  /** Stops, and waits for files that are being written. The remaining pictures are converted after the next start. */
  stop(): Promise<void>;
}

/** The types that have versions. Browsers scale SVG drawings by themselves, and show no HEIC. */
const types = ['jpeg', 'png', 'gif', 'webp', 'avif'].map((name) => `image/${name}`);
/** The empty files that say that a picture needs no more work. */
const markers = ['made', 'failed'] as const;
const allEndings: readonly string[] = [...versionEndings, ...markers];
const filesAtOnce = 200;
/** How long files that are still being added keep pictures waiting, in ms. A long video must not do so. */
const longestAdding = 5000;
/** The number of months whose derived files are known without reading their folder. */
const mostMonths = 24;

interface Job {
  readonly path: string;
  isDeleted: boolean;
  /** Resolves when the job no longer writes files. */
  writing: Promise<void>;
}

/** Creates the maker of versions. It converts one picture at a time. */
export function createPictureVersions(options: PictureVersionsOptions): PictureVersions {
  const { dir, store, pictures, log, againMs = pauseAfter('pictureVersions', 1) } = options;
  /** The endings of the derived files of each month, by the name of the picture. Each bit is one of `allEndings`. */
  const months = new Map<string, Promise<Map<string, number>>>();
  const fresh = new Set<string>();
  const older = new Set<string>();
  const later = new Set<string>();
  const waiters = new Map<string, (() => void)[]>();
  const ending = new AbortController();
  let isStarted = false;
  /** The number of files that are being added. Their senders wait, so they go before pictures that nobody waits for. */
  let adding = 0;
  /** Whether copies of strangers' pictures wait for the next attempt. */
  let isResting = false;
  let current: Job | undefined;
  let running: Promise<void> | undefined;
  let searching: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Returns whether the maker is stopping. If code read it directly, the type checker would assume that it stays. */
  const isEnding = (): boolean => ending.signal.aborted;

  async function readMonth(month: string): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (const name of await namesIn(derivedFolder(join(dir, month)))) {
      const bit = allEndings.findIndex((one) => name.endsWith(`.${one}`));
      if (bit === -1) continue;
      const file = name.slice(0, -(allEndings[bit] ?? '').length - 1);
      found.set(file, (found.get(file) ?? 0) | (1 << bit));
    }
    return found;
  }

  function derivedIn(month: string): Promise<Map<string, number>> {
    const known = months.get(month) ?? readMonth(month);
    // The month that was used longest ago comes first.
    months.delete(month);
    months.set(month, known);
    if (months.size > mostMonths) months.delete(months.keys().next().value ?? '');
    // A failure to read the folder is not remembered, because a later attempt may succeed.
    known.catch(() => months.delete(month));
    return known;
  }

  async function endingsOf({ path }: MediaFile): Promise<readonly string[]> {
    const place = mediaPlace(path);
    const bits = place === undefined ? 0 : ((await derivedIn(place.month)).get(place.file) ?? 0);
    return allEndings.filter((_, bit) => (bits & (1 << bit)) !== 0);
  }

  const mayNeed = ({ type, width }: MediaFile): boolean =>
    types.includes(type) && (width === null || width > pageWidths[0]);

  async function stateOf(file: MediaFile): Promise<PictureVersionState> {
    const endings = mayNeed(file) ? await endingsOf(file) : ['made'];
    return markers.find((marker) => endings.includes(marker)) ?? 'waiting';
  }

  /** Makes the versions of a picture. Returns false if that isn't possible now. */
  async function make(job: Job): Promise<boolean> {
    const { path } = job;
    const place = mediaPlace(path);
    const file = await store.get(path);
    if (place === undefined || file === undefined || (await stateOf(file)) !== 'waiting') return true;
    const source = store.fileOf(file);
    // The file may be missing although the list has it, because somebody deleted it manually.
    if (!(await access(source).then(() => true, () => false))) return true; // prettier-ignore
    // The budget of a host is used up. Other copies would only be refused, too.
    if (file.copyOf !== null && isResting) return false;
    const requested = { widths: pageWidths, previewWidth };
    const made = await verified(source, () => pictures.versions(source, { requested, ...causeOf(file) }));
    if (ending.signal.aborted || job.isDeleted) return true;
    if (made === notNow) {
      isResting = file.copyOf !== null;
      return false;
    }
    const files = (made ?? []).map(({ width, ending, bytes }) => [`${width}.${ending}`, bytes] as const);
    const all = [...files, [made === null ? 'failed' : 'made', new Uint8Array()] as const];
    const writing = write(job, place, all);
    job.writing = writing.catch(() => undefined);
    await writing;
    if (!isDeletedNow(job)) options.made(file, fresh.has(path));
    return true;
  }

  async function write(
    job: Job,
    { month, file }: MediaPlace,
    all: readonly (readonly [string, Uint8Array])[],
  ) {
    for (const [one, bytes] of all) {
      if (job.isDeleted) return;
      await writeDerived(derivedFile(join(dir, month), file, one), bytes);
    }
    const bits = all.reduce((sum, [one]) => sum | (1 << allEndings.indexOf(one)), 0);
    // `isDeleted` may have changed during the last write.
    if (!isDeletedNow(job)) (await derivedIn(month)).set(file, bits);
  }

  async function work(): Promise<void> {
    for (let path = next(); path !== undefined && !isEnding() && adding === 0; path = next()) {
      current = { path, isDeleted: false, writing: Promise.resolve() };
      const isDone = await make(current).catch((error: unknown) => {
        if (!ending.signal.aborted) log.warn({ err: error, path }, 'a picture could not be converted');
        return false;
      });
      const { isDeleted } = current;
      current = undefined;
      for (const set of [fresh, older]) set.delete(path);
      if (!isDone && !isDeleted && !isEnding()) tryLater(path);
      for (const notify of waiters.get(path) ?? []) notify();
      waiters.delete(path);
      await nextTurn();
    }
  }

  const next = (): string | undefined => [fresh, older].flatMap((set) => [...first(set)])[0];

  function tryLater(path: string): void {
    later.add(path);
    timer ??= setTimeout(() => {
      timer = undefined;
      isResting = false;
      for (const one of later) older.add(one);
      later.clear();
      run();
    }, againMs).unref();
  }

  function run(): void {
    if (!isStarted || adding > 0 || ending.signal.aborted) return;
    running ??= work().finally(() => {
      running = undefined;
      // A picture may have come after `work` looked for the last time.
      if (next() !== undefined) run();
    });
  }

  /** Counts a file that is being added. Returns the function that ends this, and converts what has come. */
  function beginAdding(): () => void {
    let isCounted = true;
    adding += 1;
    const uncount = (): void => {
      if (isCounted) adding -= 1;
      isCounted = false;
      run();
    };
    const late = setTimeout(uncount, longestAdding).unref();
    return () => {
      clearTimeout(late);
      uncount();
    };
  }

  /** Queues all pictures that have no versions yet, and deletes versions whose originals no longer exist. */
  async function search(): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await store.list({ limit: filesAtOnce, cursor, filter: { kind: 'image' } });
      for (const file of page.items) {
        if ((await stateOf(file)) === 'waiting' && !fresh.has(file.path)) older.add(file.path);
      }
      run();
      await nextTurn();
      ending.signal.throwIfAborted();
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    for (const month of await monthsIn(dir)) await sweep(month);
  }

  async function sweep(month: string): Promise<void> {
    const known = await derivedIn(month);
    const files = await mediaFilesIn(join(dir, month));
    for (const file of known.keys()) {
      if (files.has(file) || (await store.get(mediaPath({ month, file }))) !== undefined) continue;
      known.delete(file);
      await removeDerived(join(dir, month), file);
    }
  }

  /** Deletes the versions of a deleted picture, also those that are being written. */
  async function forget(path: string): Promise<void> {
    for (const set of [fresh, older, later]) set.delete(path);
    const place = mediaPlace(path);
    if (place === undefined) return;
    (await derivedIn(place.month)).delete(place.file);
    if (current?.path !== path) return;
    current.isDeleted = true;
    await current.writing;
    await removeDerived(join(dir, place.month), place.file);
  }

  function interrupt(): void {
    ending.abort();
    clearTimeout(timer);
  }

  const has = (path: string) => [fresh, older, later].some((set) => set.has(path));

  return {
    store: {
      ...store,
      async add(content, about) {
        const added = beginAdding();
        try {
          const file = await store.add(content, about);
          if (mayNeed(file)) fresh.add(file.path);
          return file;
        } finally {
          added();
        }
      },
      async delete(path) {
        const file = await store.delete(path);
        await forget(path).catch((error: unknown) =>
          log.warn({ err: error, path }, 'the versions of a deleted picture could not be removed'),
        );
        return file;
      },
    },
    of: async (file) => (await endingsOf(file)).filter((one) => versionEndings.includes(one)),
    stateOf,
    fileOf(file, one) {
      const place = mediaPlace(file.path);
      if (place === undefined) throw new Error(`No file can have the path ${file.path}.`);
      return derivedFile(join(dir, place.month), place.file, one);
    },
    waiting: () => fresh.size + older.size + later.size,

    async settled(path, mostMs) {
      if (!has(path)) return;
      await new Promise<void>((resolve) => {
        const giveUp = setTimeout(resolve, mostMs);
        const notify = (): void => {
          clearTimeout(giveUp);
          resolve();
        };
        waiters.set(path, [...(waiters.get(path) ?? []), notify]);
      });
    },

    start() {
      isStarted = true;
      run();
      searching = search().catch((error: unknown) => {
        if (!ending.signal.aborted) log.warn({ err: error }, 'older pictures could not be converted');
      });
    },

    interrupt,

    async stop() {
      interrupt();
      await Promise.all([running, searching]);
    },
  };
}

/** Returns `isDeleted`. If code read it directly, the type checker would assume that it stays the same. */
const isDeletedNow = ({ isDeleted }: Job): boolean => isDeleted;

function* first<T>(values: Iterable<T>): Generator<T> {
  for (const value of values) {
    yield value;
    return;
  }
}
