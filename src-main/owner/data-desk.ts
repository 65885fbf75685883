import type { DataProgress, DataTask } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Work } from '../storage/backup/work.ts';
import type { EventHub } from './event-hub.ts';

/**
 * Runs long data tasks: one at a time, with progress events for the windows. The owner can cancel a task. Closing the
 * service cancels it too.
 */
export interface DataDesk {
  /** The current task or the last one; null if there was none since Porchlight started. */
  readonly progress: DataProgress | null;
  readonly busy: boolean;
  /**
   * Runs a task. `ended`: returns the success message for the task's result.
   * @throws PorchlightError `busy` (409) while another task runs, `cancelled` (409) after `close`.
   */
  run<T>(task: DataTask, work: (work: Work) => Promise<T>, ended: (result: T) => string): Promise<T>;
  /**
   * Forgets how the last task of this kind ended, so that no window shows the outcome any longer. A running task is not
   * affected.
   */
  forget(task: DataTask): void;
  /** Cancels the running task. Resolves when it has ended. */
  cancel(): Promise<void>;
  /** Cancels the running task, and refuses all later tasks as `cancelled`. */
  close(): Promise<void>;
}

/** The shortest time between two progress events with the same words, in ms. */
const patience = 200;

/** Creates the data desk. `now`: returns the time in ms. */
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
