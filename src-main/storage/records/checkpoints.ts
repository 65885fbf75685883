import { fstatSync } from 'node:fs';
import type { oneAtATime } from '../pacing.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Place } from './records-place.ts';

/** The size of the write-ahead log from which it is moved into the database, in bytes. */
const largestLog = 16 * 1024 * 1024;
/** How long nothing must have been saved before the log is moved into the database, in ms. */
const quietLogMs = 60_000;
/** How long the log may grow before it is moved into the database, in ms. */
const longestLogMs = 300_000;
/** How long to wait before trying again to make a checkpoint that could not be made, in ms. */
const checkpointPauseMs = 5000;

interface CheckpointOptions {
  /** Returns the open database. */
  readonly place: () => Place | undefined;
  readonly commits: Pick<GroupCommit, 'holding'>;
  readonly exclusive: ReturnType<typeof oneAtATime>;
  readonly failure: (error: unknown) => Error;
  readonly log: { warn(about: { readonly err: unknown }, words: string): void };
  readonly largestLogBytes?: number;
  readonly quietMs?: number;
}

/** Moves the whole write-ahead log into the database, while nothing is committed. Returns whether that was possible. */
export const writeWhole = (current: Place): Promise<boolean> =>
  current.thread.run({ kind: 'checkpoint', whole: true });

/** Moves the write-ahead log into the database when it is large or old, and when nothing was saved for a while. */
export class Checkpoints {
  readonly #options: CheckpointOptions;
  #running: Promise<void> | undefined;
  #notBefore = 0;
  /** When the first of the changes that are only in the log was saved. */
  #logSince: number | undefined;
  #quiet: NodeJS.Timeout | undefined;

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  /** Notes that the log has grown, and checks whether to move it into the database. */
  logged(): void {
    const { quietMs = quietLogMs } = this.#options;
    this.#logSince ??= performance.now();
    this.#quiet = this.#quiet?.refresh() ?? setTimeout(() => this.#check(true), quietMs).unref();
    this.#check(performance.now() - this.#logSince >= longestLogMs);
  }

  /** Moves the write-ahead log into the database. Commits go on until only the last part is left. */
  async make(current: Place): Promise<void> {
    this.#notBefore = performance.now() + checkpointPauseMs;
    try {
      await current.thread.run({ kind: 'checkpoint', whole: false });
      const isDone = await this.#options.commits.holding(() => writeWhole(current));
      if (isDone) [this.#notBefore, this.#logSince] = [0, undefined];
    } finally {
      await current.thread.run({ kind: 'end' });
    }
  }

  /** Waits for the checkpoint that is being made. */
  async stop(): Promise<void> {
    clearTimeout(this.#quiet);
    await this.#running;
  }

  #check(isDue: boolean): void {
    const { place, log, failure } = this.#options;
    const current = place();
    if (current === undefined || performance.now() < this.#notBefore) return;
    this.#running ??= this.#makeIfDue(current, isDue)
      .catch((error: unknown) =>
        log.warn({ err: failure(error) }, 'the database could not be written in full'),
      )
      .finally(() => (this.#running = undefined));
  }

  async #makeIfDue(current: Place, isDue: boolean): Promise<void> {
    const { place, exclusive, largestLogBytes = largestLog } = this.#options;
    // This runs after each sync, and asking the system in another thread would take longer than its answer.
    const { log } = current.file;
    if (log === undefined || (!isDue && fstatSync(log.fd).size < largestLogBytes)) return;
    current.mustBeHere();
    if (place() === current) await exclusive(() => this.make(current));
  }
}
