import type { DataProgress, DataTask } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Work } from '../storage/paced-work.ts';
import type { EventHub } from '../contract/event-hub.ts';

export type DataDesk = ReturnType<typeof createDataDesk>;

/** The minimum time between two progress events with the same text, in ms. */
const patience = 200;

/**
 * Creates the runner for long-running data tasks. It runs one task at a time and sends progress events to the windows.
 * `now`: returns the time in ms.
 */
export function createDataDesk({ hub, now }: { hub: EventHub; now: () => number }) {
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

  /** Cancels the running task. Resolves when the task has ended. */
  async function cancel(): Promise<void> {
    ending?.abort();
    await underWay;
  }

  return {
    /** The progress of the current task, or else of the last one; null if none has run since Porchlight started. */
    get progress(): DataProgress | null {
      return progress;
    },
    get busy(): boolean {
      return ending !== undefined;
    },
    /**
     * Runs a task. `ended`: returns the success message for the task's result.
     * @throws PorchlightError `busy` (409) while another task runs, `cancelled` (409) after `close`.
     */
    async run<T>(task: DataTask, work: (work: Work) => Promise<T>, ended: (result: T) => string): Promise<T> {
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
    /** Forgets the outcome of the last task of this kind, so that windows no longer show it. */
    forget(task: DataTask): void {
      if (progress?.task === task && progress.state !== 'running') progress = null;
    },
    cancel,
    /** Cancels the running task, and refuses all later tasks as `cancelled`. */
    close(): Promise<void> {
      isClosed = true;
      return cancel();
    },
  };
}
