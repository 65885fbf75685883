import { readFileSync, writeFileSync } from 'node:fs';
import type { Problem } from '../contract/status.ts';
import type { Log } from '../platform/log.ts';
import { showMessageBox } from './message-box.ts';

/** An app that failed twice within this time is not started a third time by itself. In ms. */
const pauseMs = 60_000;
/** How long it waits for an answer then, before it tries again all the same. In ms. */
const answerMs = 3 * 60_000;

export interface CrashPlan {
  readonly log: Pick<Log, 'fatal'>;
  /** Where it is noted when the app failed; outlives the process. */
  readonly file: string;
  /** Ends what can be ended in an orderly way. */
  readonly stop: () => Promise<unknown>;
  readonly relaunch: () => void;
  readonly exit: (code: number) => void;
  /** True once the app ends because somebody wants it to. */
  readonly isEnding: () => boolean;
  readonly now: () => number;
}

/**
 * What to do when the main process fails where nobody expected it. What it still knows cannot be trusted then, so it
 * stops and starts anew; the start after that tells the owner. Failing again within a minute, it asks first, and where
 * nobody answers it starts anew some minutes later: the light of somebody who is away does not stay off. `answerEnds`
 * makes the signal that ends the question.
 */
export function onUnexpected(
  plan: CrashPlan,
  answerEnds = () => AbortSignal.timeout(answerMs),
): (error: unknown) => Promise<void> {
  let ending = false;
  return async (error) => {
    // Before anything is stopped: the log's file is closed then.
    plan.log.fatal({ err: error }, 'unexpected failure');
    if (ending) return;
    ending = true;
    if (plan.isEnding()) return; // it ends already, and whoever ended it wants it to stay so
    const failedAt = plan.now();
    const again = failedAt - (lastCrash(plan.file) ?? -Infinity) < pauseMs;
    noteCrash(plan.file, failedAt);
    await plan.stop();
    if (!again) plan.relaunch();
    else if (await wantsAnotherTry(answerEnds())) {
      // The start that follows tells of it, and counts its own minute from now.
      noteCrash(plan.file, plan.now());
      plan.relaunch();
    }
    plan.exit(1);
  };
}

/** Tells of a crash that this start follows at once; undefined where there was none. */
export function problemOfCrash(file: string, now: number): Problem | undefined {
  const at = lastCrash(file);
  if (at === undefined || now - at > pauseMs) return undefined;
  return {
    code: 'restarted',
    message: 'Porchlight crashed and restarted by itself. Nothing that was saved is lost.',
  };
}

/** Calls `handle` for every failure that nobody caught. A terminal that went away is none. */
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
    // It never failed, or nobody can tell.
    return undefined;
  }
}

function noteCrash(file: string, at: number): void {
  try {
    writeFileSync(file, JSON.stringify(at));
  } catch {
    // The log has it; the restart goes on.
  }
}
