import { readFileSync, writeFileSync } from 'node:fs';
import type { BrowserWindow, MessageBoxOptions } from 'electron';
import type { Problem } from '../contract/status.ts';
import type { Log } from '../platform/log.ts';
import { limitAttempts } from './attempts.ts';
import { showMessageBox } from './message-box.ts';

/** If the app crashes twice within this time (in ms), it asks the owner before it restarts. */
const pauseMs = 60_000;
/** The time (in ms) that the app waits for the owner's answer before it restarts anyway. */
const answerMs = 3 * 60_000;

interface CrashPlan {
  readonly log: Pick<Log, 'fatal'>;
  /** The file that records the time of the last crash. */
  readonly file: string;
  /** Stops all parts of the app that can be stopped cleanly. */
  readonly stop: () => Promise<unknown>;
  readonly relaunch: () => void;
  readonly exit: (code: number) => void;
  /** True once the app has been asked to quit. */
  readonly isEnding: () => boolean;
  readonly now: () => number;
}

/**
 * Returns a function that handles unexpected errors in the main process. After such an error, the state of the process
 * can't be trusted. The app therefore stops and restarts, and then tells the owner. After a second error within a
 * minute, it asks before it restarts. Without an answer, it restarts after a few minutes, because the owner may be
 * away. `answerEnds`: returns the signal that ends the wait for an answer.
 */
export function onUnexpected(
  plan: CrashPlan,
  answerEnds = () => AbortSignal.timeout(answerMs),
): (error: unknown) => Promise<void> {
  let ending = false;
  return async (error) => {
    // The error is logged before anything is stopped, because stopping closes the log file.
    plan.log.fatal({ err: error }, 'unexpected failure');
    if (ending) return;
    ending = true;
    if (plan.isEnding()) return; // An app that is quitting must not restart.
    const failedAt = plan.now();
    const again = failedAt - (lastCrash(plan.file) ?? -Infinity) < pauseMs;
    noteCrash(plan.file, failedAt);
    await plan.stop();
    if (!again) plan.relaunch();
    else if (await askToRetry(answerEnds())) {
      // Record the time of this restart too, because another crash within a minute counts as a repeated crash.
      noteCrash(plan.file, plan.now());
      plan.relaunch();
    }
    plan.exit(1);
  };
}

/** Returns a problem to show to the owner if the app was restarted after a crash; otherwise undefined. */
export function problemOfCrash(file: string, now: number): Problem | undefined {
  const at = lastCrash(file);
  if (at === undefined || now - at > pauseMs) return undefined;
  return {
    code: 'restarted',
    message: 'Porchlight crashed and restarted by itself. Nothing that was saved is lost.',
  };
}

/** Calls `handle` for every uncaught error. Ignores errors of stdout and stderr, such as those of a closed terminal. */
export function watchUnexpected(handle: (error: unknown) => void): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.on('uncaughtException', handle);
  process.on('unhandledRejection', handle);
}

async function askToRetry(signal: AbortSignal): Promise<boolean> {
  const { response } = await showMessageBox({
    type: 'error',
    title: 'Porchlight',
    message: 'Porchlight crashed twice within a minute',
    detail:
      'Your server has stopped. Your saved data is safe. Porchlight restarts by itself in three minutes. ' +
      'You can also restart it now, or quit.',
    buttons: ['Restart now', 'Quit'],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
    signal,
  });
  return response === 0 || signal.aborted;
}

function lastCrash(file: string): number | undefined {
  try {
    const at: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof at === 'number' ? at : undefined;
  } catch {
    return undefined; // There was no crash, or the record of the crash can't be read.
  }
}

function noteCrash(file: string, at: number): void {
  try {
    writeFileSync(file, JSON.stringify(at));
  } catch {
    // The app restarts even if the time of the crash can't be recorded. The log contains the crash.
  }
}

/** The maximum number of times per minute that a crashed page is reopened without asking the owner. */
const most = 3;
const minute = 60_000;

/**
 * Reloads the window's page when the page's process crashes. If the page keeps crashing or hangs, asks the owner first.
 * The server keeps running in the meantime, because it is in another process.
 */
export function rescueWindow(window: BrowserWindow, log: (problem: string) => void): void {
  const contents = window.webContents;
  const mayTry = limitAttempts(most, minute);
  // The reload is deferred, because the page's process is still exiting while the handler of `render-process-gone`
  // runs. A reload keeps the page's URL.
  const reopen = () =>
    void setImmediate(() => {
      if (!window.isDestroyed()) contents.reload();
    });
  let asking: AbortController | undefined;
  const askOnce = async (options: MessageBoxOptions, yes: () => void) => {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    const { response } = await showMessageBox({ ...options, ...dialogDefaults, signal });
    if (response === 0 && !signal.aborted) yes();
  };

  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return;
    log(`the window's process is gone: ${reason}`);
    if (mayTry()) reopen();
    else void askOnce(gone, reopen);
  });
  window.on('unresponsive', () => {
    log('the window does not answer');
    // End the page's process. The handler of `render-process-gone` then reloads the page.
    void askOnce(hangs, () => contents.forcefullyCrashRenderer());
  });
  window.on('responsive', () => asking?.abort());
}

const dialogDefaults = {
  type: 'warning',
  title: 'Porchlight',
  defaultId: 0,
  cancelId: 1,
  noLink: true,
} as const;

const gone = {
  message: 'Porchlight’s window keeps crashing',
  detail: 'Your server is still running. Unsaved changes in the window may be lost.',
  buttons: ['Open it again', 'Leave it closed'],
};

const hangs = {
  message: 'Porchlight’s window isn’t responding',
  detail: 'Your server is still running. If you open the window again, you lose unsaved changes in it.',
  buttons: ['Open it again', 'Wait'],
};
