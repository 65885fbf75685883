import type { DataProgress, DataTask } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Work } from '../storage/backup/work.ts';
import type { EventHub } from './event-hub.ts';

/** Where long work with the data is done: one at a time, told of to the windows, ended by the owner or the end of the service. */
export interface DataDesk {
  /** The last work, or the one under way; null where there was none since the start. */
  readonly progress: DataProgress | null;
  readonly busy: boolean;
  /** Does work. `ended`: what to say at its end. @throws PorchlightError `busy` (409) while there is other work. */
  run<T>(task: DataTask, work: (work: Work) => Promise<T>, ended: (result: T) => string): Promise<T>;
  /** Forgets how the last work of this kind went, so that no window shows it any more. Work under way stays. */
  forget(task: DataTask): void;
  /** Ends what is under way; resolves when it has ended. */
  cancel(): Promise<void>;
  /** The same, for good: what is asked for later is refused as `cancelled`. */
  close(): Promise<void>;
}

/** Milliseconds between two words about the same work. */
const patience = 200;

/** `now` in ms. */
export function createDataDesk({ hub, now }: { hub: EventHub; now: () => number }): DataDesk {
  let progress: DataProgress | null = null;
  let ending: AbortController | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function tell(next: DataProgress): void {
    progress = next;
    hub.emit('data.progress', next);
  }

  async function doWork<T>(
    task: DataTask,
    work: (work: Work) => Promise<T>,
    ended: (result: T) => string,
    { signal }: AbortController,
  ): Promise<T> {
    let toldAt = now();
    tell({ task, state: 'running', done: 0, total: 0, words: 'Starting.' });
    try {
      const result = await work({
        signal,
        progress(done, total, words) {
          if (now() - toldAt < patience && words === progress?.words) return;
          toldAt = now();
          tell({ task, state: 'running', done, total, words });
        },
      });
      tell({ task, state: 'done', done: 1, total: 1, words: ended(result) });
      return result;
    } catch (error) {
      const cancelled = error instanceof PorchlightError && error.code === 'cancelled';
      const words =
        error instanceof PorchlightError ? error.message : 'Something went wrong. See the log for details.';
      tell({ task, state: cancelled ? 'cancelled' : 'failed', done: 0, total: 0, words });
      throw error;
    }
  }

  async function cancel(): Promise<void> {
    ending?.abort();
    await underWay;
  }

  return {
    get progress() {
      return progress;
    },
    get busy() {
      return ending !== undefined;
    },
    async run(task, work, ended) {
      if (isClosed)
        throw new PorchlightError('cancelled', 'Porchlight is stopping, so it didn’t start this.', 409);
      if (ending !== undefined) {
        throw new PorchlightError(
          'busy',
          'Porchlight is already working on your data. Wait until it finishes, or cancel it.',
          409,
        );
      }
      ending = new AbortController();
      const running = doWork(task, work, ended, ending).finally(() => (ending = undefined));
      underWay = running.catch(() => undefined);
      return running;
    },
    forget(task) {
      if (progress?.task === task && progress.state !== 'running') progress = null;
    },
    cancel,
    close() {
      isClosed = true;
      return cancel();
    },
  };
}
