import type { Common } from '../http/common.ts';
import type { EventHub, Params, Result } from '../contract/contract.ts';
import type { DataProgress, DataTask } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import type { LongTask } from '../storage/pacing.ts';
import { readPlace } from './backup/find-data.ts';
import { dropMove } from './backup/move.ts';
import { dropPending, readPending } from './backup/pending.ts';
import { forgetQuietly, type RestoreDesk } from './restore-desk.ts';

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

  function report(next: DataProgress): void {
    progress = next;
    hub.emit('data.progress', next);
  }

  async function doWork<T>(
    task: DataTask,
    work: (work: LongTask) => Promise<T>,
    ended: (result: T) => string,
    { signal }: AbortController,
  ): Promise<T> {
    let reportedAt = now();
    report({ task, state: 'running', done: 0, total: 0, words: 'Starting.' });
    try {
      const result = await work({
        signal,
        progress(done, total, words) {
          if (now() - reportedAt < patience && words === progress?.words) return;
          reportedAt = now();
          report({ task, state: 'running', done, total, words });
        },
      });
      report({ task, state: 'done', done: 1, total: 1, words: ended(result) });
      return result;
    } catch (error) {
      const cancelled = error instanceof PorchlightError && error.code === 'cancelled';
      const words =
        error instanceof PorchlightError ? error.message : 'Something went wrong. See the log for details.';
      report({ task, state: cancelled ? 'cancelled' : 'failed', done: 0, total: 0, words });
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
    async run<T>(
      task: DataTask,
      work: (work: LongTask) => Promise<T>,
      ended: (result: T) => string,
    ): Promise<T> {
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

/** Returns the restore or move that runs at the next start; null if there is none. */
export async function waitingFor(
  dataDir: string,
  placeFile: string | undefined,
): Promise<Result<'data.folder'>['waiting']> {
  const pending = await readPending(dataDir);
  if (pending) {
    const whose = pending.me === null ? '' : ` of ${pending.me}`;
    const words = `The backup${whose} from ${pending.madeAt.slice(0, 10)} replaces your data when Porchlight restarts.`;
    return { task: 'restore', me: pending.me, madeAt: pending.madeAt, folder: null, words };
  }
  const moving = placeFile === undefined ? null : (await readPlace(placeFile)).moving;
  if (moving === null) return null;
  const words = `Your data moves to “${moving.to}” when Porchlight restarts.`;
  return { task: 'move', me: null, madeAt: null, folder: moving.to, words };
}

interface CancelDeps extends Pick<Common, 'dataDir' | 'secrets' | 'log'> {
  readonly placeFile: string | undefined;
  readonly desk: Pick<DataDesk, 'busy' | 'cancel' | 'forget'>;
  readonly restore: Pick<RestoreDesk, 'discard'>;
}

/**
 * If `what` is `work`, cancels the running task. If `what` is `waiting`, discards the checked backup and any pending
 * restore or move. In both cases, windows no longer show the progress of a restore afterwards.
 */
export async function cancelData(
  { dataDir, placeFile, desk, restore, secrets, log }: CancelDeps,
  { what = desk.busy ? 'work' : 'waiting' }: Params<'data.cancel'>,
): Promise<void> {
  if (what === 'work') {
    await desk.cancel();
    desk.forget('restore');
    return;
  }
  await restore.discard();
  desk.forget('restore');
  // If no restore or move is pending, delete nothing, because a restore that is still being prepared uses the same
  // folder.
  if ((await waitingFor(dataDir, placeFile)) === null) return;
  await dropPending(dataDir);
  if (placeFile !== undefined) await dropMove(placeFile);
  await forgetQuietly(secrets, log);
}
