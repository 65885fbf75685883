import type { EventHub } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { PostImportProgress } from '../contract/post-import.ts';
import type { ImportWork } from './import-run.ts';
import { stopping } from './in-flight.ts';

/** The minimum time between two progress events, in ms. */
const patience = 200;

/** What the window shows at the end of a task. */
type Ending = Omit<PostImportProgress, 'id'>;

/** Runs one import or undo at a time, and tells the window about its progress. */
export class ImportTasks {
  readonly #hub: EventHub;
  readonly #now: () => number;
  #progress: PostImportProgress | null = null;
  #running: { readonly ending: AbortController; readonly ended: Promise<unknown> } | undefined;
  #isStopped = false;

  constructor(hub: EventHub, now: () => number) {
    this.#hub = hub;
    this.#now = now;
  }

  get progress(): PostImportProgress | null {
    return this.#progress;
  }

  isRunning(id: string): boolean {
    return this.#running !== undefined && this.#progress?.id === id;
  }

  /** Runs a task. `ended`: returns the final progress event for the task's result. */
  async run<T>(id: string, work: (work: ImportWork) => Promise<T>, ended: (result: T) => Ending): Promise<T> {
    if (this.#isStopped)
      throw new PorchlightError('cancelled', 'Porchlight is stopping, so it didn’t start this.', 409);
    if (this.#running)
      throw new PorchlightError(
        'busy',
        'Another import is running. Wait until it finishes, or cancel it.',
        409,
      );
    const ending = new AbortController();
    const task = this.#work(id, work, ended, ending.signal).finally(() => (this.#running = undefined));
    this.#running = { ending, ended: task.catch(() => undefined) };
    return task;
  }

  /** Cancels the running task. Returns whether there was one. `id`: cancels only this task. */
  async cancel(id: string | undefined): Promise<boolean> {
    const task = this.#running;
    if (!task || (id !== undefined && this.#progress?.id !== id)) return false;
    task.ending.abort();
    await task.ended;
    return true;
  }

  /** Interrupts the running import once the posts in progress are written. The owner can continue it later. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#running?.ending.abort(stopping);
    await this.#running?.ended;
  }

  async #work<T>(
    id: string,
    work: (work: ImportWork) => Promise<T>,
    ended: (result: T) => Ending,
    signal: AbortSignal,
  ): Promise<T> {
    let reportedAt = -Infinity;
    let current = id;
    try {
      const result = await work({
        signal,
        continues: (other) => void (current = other),
        progress: (state, done, total, hasMentions = false) => {
          if (this.#now() - reportedAt < patience) return;
          reportedAt = this.#now();
          const words = underWay(state, done, total, hasMentions ? 'item' : 'post');
          this.#report({ id: current, state, done, total, words });
        },
      });
      this.#report({ id: current, ...ended(result) });
      return result;
    } catch (error) {
      const isCancelled = error instanceof PorchlightError && error.code === 'cancelled';
      const words =
        error instanceof PorchlightError ? error.message : 'Something went wrong. See the log for details.';
      this.#report({ id: current, state: isCancelled ? 'cancelled' : 'failed', done: 0, total: 0, words });
      throw error;
    }
  }

  #report(next: PostImportProgress): void {
    this.#progress = next;
    this.#hub.emit('posts.importProgress', next);
  }
}

function underWay(
  state: 'checking' | 'importing' | 'undoing',
  done: number,
  total: number,
  one: string,
): string {
  if (state === 'checking') return `Checking: ${countInWords(done)} so far.`;
  const verb = state === 'importing' ? 'Imported' : 'Deleted';
  return `${verb} ${done.toLocaleString('en')} of ${countInWords(total, one)}.`;
}

/** Returns a number with its noun, such as “2 posts”. */
export const countInWords = (count: number, one = 'post'): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`;
