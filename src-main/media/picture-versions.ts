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

const mayNeed = ({ type, width }: MediaFile): boolean =>
  types.includes(type) && (width === null || width > pageWidths[0]);

/**
 * Makes the smaller versions of pictures that pages show instead of the originals, one picture at a time. Derives
 * everything from the folder, so that versions that are missing after a kill or a restore are made again.
 */
export class PictureVersions {
  /** The media store. Its new pictures are converted, and its deleted pictures lose their versions. */
  readonly store: MediaStore;
  readonly #options: PictureVersionsOptions;
  /** The endings of the derived files of each month, by the name of the picture. Each bit is one of `allEndings`. */
  readonly #months = new Map<string, Promise<Map<string, number>>>();
  readonly #fresh = new Set<string>();
  readonly #older = new Set<string>();
  readonly #later = new Set<string>();
  readonly #waiters = new Map<string, (() => void)[]>();
  readonly #ending = new AbortController();
  #isStarted = false;
  /** The number of files that are being added. Their senders wait, so they go before pictures that nobody waits for. */
  #adding = 0;
  /** Whether copies of strangers' pictures wait for the next attempt. */
  #isResting = false;
  #current: Job | undefined;
  #running: Promise<void> | undefined;
  #searching: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PictureVersionsOptions) {
    this.#options = options;
    const { store, log } = options;
    this.store = {
      ...store,
      add: async (content, about) => {
        const added = this.#beginAdding();
        try {
          const file = await store.add(content, about);
          if (mayNeed(file)) this.#fresh.add(file.path);
          return file;
        } finally {
          added();
        }
      },
      delete: async (path) => {
        const file = await store.delete(path);
        await this.#forget(path).catch((error: unknown) =>
          log.warn({ err: error, path }, 'the versions of a deleted picture could not be removed'),
        );
        return file;
      },
    };
  }

  /** Returns the endings of the versions that exist (see versionEndings). */
  async of(file: MediaFile): Promise<readonly string[]> {
    return (await this.#endingsOf(file)).filter((one) => versionEndings.includes(one));
  }

  /** Returns `made` also for a file that needs no smaller versions. */
  async stateOf(file: MediaFile): Promise<PictureVersionState> {
    const endings = mayNeed(file) ? await this.#endingsOf(file) : ['made'];
    return markers.find((marker) => endings.includes(marker)) ?? 'waiting';
  }

  /** Returns the path of a version's content on disk. */
  fileOf(file: MediaFile, ending: string): string {
    const place = mediaPlace(file.path);
    if (place === undefined) throw new Error(`No file can have the path ${file.path}.`);
    return derivedFile(join(this.#options.dir, place.month), place.file, ending);
  }

  /** Returns the number of pictures that wait to be converted. */
  waiting(): number {
    return this.#fresh.size + this.#older.size + this.#later.size;
  }

  /** Resolves when a picture is no longer waiting, and after `mostMs` at the latest. */
  async settled(path: string, mostMs: number): Promise<void> {
    if (![this.#fresh, this.#older, this.#later].some((set) => set.has(path))) return;
    await new Promise<void>((resolve) => {
      const giveUp = setTimeout(resolve, mostMs);
      const notify = (): void => {
        clearTimeout(giveUp);
        resolve();
      };
      this.#waiters.set(path, [...(this.#waiters.get(path) ?? []), notify]);
    });
  }

  /** Starts to convert pictures: new ones first, then all others that have no versions yet. */
  start(): void {
    this.#isStarted = true;
    this.#run();
    this.#searching = this.#search().catch((error: unknown) => {
      if (!this.#isEnding()) this.#options.log.warn({ err: error }, 'older pictures could not be converted');
    });
  }

  /** Starts no more conversions. Call it before the pictures are closed, and `stop` afterwards. */
  interrupt(): void {
    this.#ending.abort();
    clearTimeout(this.#timer);
  }

  /** Stops, and waits for files that are being written. The remaining pictures are converted after the next start. */
  async stop(): Promise<void> {
    this.interrupt();
    await Promise.all([this.#running, this.#searching]);
  }

  /** Returns whether the maker is stopping. If code read it directly, the type checker would assume that it stays. */
  #isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  async #readMonth(month: string): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (const name of await namesIn(derivedFolder(join(this.#options.dir, month)))) {
      const bit = allEndings.findIndex((one) => name.endsWith(`.${one}`));
      if (bit === -1) continue;
      const file = name.slice(0, -(allEndings[bit] ?? '').length - 1);
      found.set(file, (found.get(file) ?? 0) | (1 << bit));
    }
    return found;
  }

  #derivedIn(month: string): Promise<Map<string, number>> {
    const known = this.#months.get(month) ?? this.#readMonth(month);
    // The month that was used longest ago comes first.
    this.#months.delete(month);
    this.#months.set(month, known);
    if (this.#months.size > mostMonths) this.#months.delete(this.#months.keys().next().value ?? '');
    // A failure to read the folder is not remembered, because a later attempt may succeed.
    known.catch(() => this.#months.delete(month));
    return known;
  }

  async #endingsOf({ path }: MediaFile): Promise<readonly string[]> {
    const place = mediaPlace(path);
    const bits = place === undefined ? 0 : ((await this.#derivedIn(place.month)).get(place.file) ?? 0);
    return allEndings.filter((_, bit) => (bits & (1 << bit)) !== 0);
  }

  /** Makes the versions of a picture. Returns false if that isn't possible now. */
  async #make(job: Job): Promise<boolean> {
    const { path } = job;
    const place = mediaPlace(path);
    const file = await this.#options.store.get(path);
    if (place === undefined || file === undefined || (await this.stateOf(file)) !== 'waiting') return true;
    const source = this.#options.store.fileOf(file);
    // The file may be missing although the list has it, because somebody deleted it manually.
    if (!(await access(source).then(() => true, () => false))) return true; // prettier-ignore
    // The budget of a host is used up. Other copies would only be refused, too.
    if (file.copyOf !== null && this.#isResting) return false;
    const requested = { widths: pageWidths, previewWidth };
    const made = await verified(source, () =>
      this.#options.pictures.versions(source, { requested, ...causeOf(file) }),
    );
    if (this.#isEnding() || job.isDeleted) return true;
    if (made === notNow) {
      this.#isResting = file.copyOf !== null;
      return false;
    }
    const files = (made ?? []).map(({ width, ending, bytes }) => [`${width}.${ending}`, bytes] as const);
    const all = [...files, [made === null ? 'failed' : 'made', new Uint8Array()] as const];
    const writing = this.#write(job, place, all);
    job.writing = writing.catch(() => undefined);
    await writing;
    if (!isDeletedNow(job)) this.#options.made(file, this.#fresh.has(path));
    return true;
  }

  async #write(job: Job, { month, file }: MediaPlace, all: readonly (readonly [string, Uint8Array])[]) {
    for (const [one, bytes] of all) {
      if (job.isDeleted) return;
      await writeDerived(derivedFile(join(this.#options.dir, month), file, one), bytes);
    }
    const bits = all.reduce((sum, [one]) => sum | (1 << allEndings.indexOf(one)), 0);
    // `isDeleted` may have changed during the last write.
    if (!isDeletedNow(job)) (await this.#derivedIn(month)).set(file, bits);
  }

  async #work(): Promise<void> {
    for (
      let path = this.#next();
      path !== undefined && !this.#isEnding() && this.#adding === 0;
      path = this.#next()
    ) {
      this.#current = { path, isDeleted: false, writing: Promise.resolve() };
      const isDone = await this.#make(this.#current).catch((error: unknown) => {
        if (!this.#isEnding())
          this.#options.log.warn({ err: error, path }, 'a picture could not be converted');
        return false;
      });
      const { isDeleted } = this.#current;
      this.#current = undefined;
      for (const set of [this.#fresh, this.#older]) set.delete(path);
      if (!isDone && !isDeleted && !this.#isEnding()) this.#tryLater(path);
      for (const notify of this.#waiters.get(path) ?? []) notify();
      this.#waiters.delete(path);
      await nextTurn();
    }
  }

  #next(): string | undefined {
    return [this.#fresh, this.#older].flatMap((set) => [...first(set)])[0];
  }

  #tryLater(path: string): void {
    this.#later.add(path);
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#isResting = false;
        for (const one of this.#later) this.#older.add(one);
        this.#later.clear();
        this.#run();
      },
      this.#options.againMs ?? pauseAfter('pictureVersions', 1),
    ).unref();
  }

  #run(): void {
    if (!this.#isStarted || this.#adding > 0 || this.#isEnding()) return;
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
      // A picture may have come after `work` looked for the last time.
      if (this.#next() !== undefined) this.#run();
    });
  }

  /** Counts a file that is being added. Returns the function that ends this, and converts what has come. */
  #beginAdding(): () => void {
    let isCounted = true;
    this.#adding += 1;
    const uncount = (): void => {
      if (isCounted) this.#adding -= 1;
      isCounted = false;
      this.#run();
    };
    const late = setTimeout(uncount, longestAdding).unref();
    return () => {
      clearTimeout(late);
      uncount();
    };
  }

  /** Queues all pictures that have no versions yet, and deletes versions whose originals no longer exist. */
  async #search(): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await this.#options.store.list({ limit: filesAtOnce, cursor, filter: { kind: 'image' } });
      for (const file of page.items) {
        if ((await this.stateOf(file)) === 'waiting' && !this.#fresh.has(file.path))
          this.#older.add(file.path);
      }
      this.#run();
      await nextTurn();
      this.#ending.signal.throwIfAborted();
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    for (const month of await monthsIn(this.#options.dir)) await this.#sweep(month);
  }

  async #sweep(month: string): Promise<void> {
    const known = await this.#derivedIn(month);
    const files = await mediaFilesIn(join(this.#options.dir, month));
    for (const file of known.keys()) {
      if (files.has(file) || (await this.#options.store.get(mediaPath({ month, file }))) !== undefined)
        continue;
      known.delete(file);
      await removeDerived(join(this.#options.dir, month), file);
    }
  }

  /** Deletes the versions of a deleted picture, also those that are being written. */
  async #forget(path: string): Promise<void> {
    for (const set of [this.#fresh, this.#older, this.#later]) set.delete(path);
    const place = mediaPlace(path);
    if (place === undefined) return;
    (await this.#derivedIn(place.month)).delete(place.file);
    if (this.#current?.path !== path) return;
    this.#current.isDeleted = true;
    await this.#current.writing;
    await removeDerived(join(this.#options.dir, place.month), place.file);
  }
}

/** Returns `isDeleted`. If code read it directly, the type checker would assume that it stays the same. */
const isDeletedNow = ({ isDeleted }: Job): boolean => isDeleted;

function* first<T>(values: Iterable<T>): Generator<T> {
  for (const value of values) {
    yield value;
    return;
  }
}
