import { readFileSync, writeFileSync } from 'node:fs';
import type { Problem } from '../contract/status.ts';
import type { Log } from '../platform/log.ts';
import { showMessageBox } from './message-box.ts';

/** An app that crashes twice within this time asks before it restarts. In ms. */
const pauseMs = 60_000;
/** How long the app waits for an answer before it restarts anyway. In ms. */
const answerMs = 3 * 60_000;

interface CrashPlan {
  readonly log: Pick<Log, 'fatal'>;
  /** The file that records the time of the last crash. */
  readonly file: string;
  /** Stops everything that can be stopped in an orderly way. */
  readonly stop: () => Promise<unknown>;
  readonly relaunch: () => void;
  readonly exit: (code: number) => void;
  /** True once the app has been asked to quit. */
  readonly isEnding: () => boolean;
  readonly now: () => number;
}

/**
 * Returns the handler of unexpected failures in the main process. After a failure, the state of the process can't be
 * trusted, so the app stops and restarts, and then tells the owner. After a second failure within a minute, it asks
 * before it restarts. If nobody answers, it restarts after some minutes, so that the server of an owner who is away
 * does not stay off. `answerEnds`: returns the signal that ends the question.
 */
export function onUnexpected(
  plan: CrashPlan,
  answerEnds = () => AbortSignal.timeout(answerMs),
): (error: unknown) => Promise<void> {
  let ending = false;
  return async (error) => {
    // Logged before anything is stopped, because stopping closes the log file.
    plan.log.fatal({ err: error }, 'unexpected failure');
    if (ending) return;
    ending = true;
    if (plan.isEnding()) return; // the app is quitting already, and must not restart
    const failedAt = plan.now();
    const again = failedAt - (lastCrash(plan.file) ?? -Infinity) < pauseMs;
    noteCrash(plan.file, failedAt);
    await plan.stop();
    if (!again) plan.relaunch();
    else if (await wantsAnotherTry(answerEnds())) {
      // Recorded again, because the minute in which another crash makes the app ask begins at the restart.
      noteCrash(plan.file, plan.now());
      plan.relaunch();
    }
    plan.exit(1);
  };
}

/** Returns the problem to report if the app was started because of a crash; otherwise undefined. */
export function problemOfCrash(file: string, now: number): Problem | undefined {
  const at = lastCrash(file);
  if (at === undefined || now - at > pauseMs) return undefined;
  return {
    code: 'restarted',
    message: 'Porchlight crashed and restarted by itself. Nothing that was saved is lost.',
  };
}

/** Calls `handle` for every uncaught failure. Ignores errors of stdout and stderr, such as a closed terminal. */
export function watchUnexpected(handle: (error: unknown) => void): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.on('uncaughtException', handle);
  process.on('unhandledRejection', handle);
}

async function wantsAnotherTry(signal: AbortSignal): Promise<boolean> {
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
    return undefined; // there was no crash, or its record can't be read
  }
}

function noteCrash(file: string, at: number): void {
  try {
    writeFileSync(file, JSON.stringify(at));
  } catch {
    // The app restarts even if the time of the crash can't be recorded. The log contains the crash.
  }
}
