import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../../platform/low-priority.ts';

/** The data that a thread receives when it starts. */
export interface ThreadData {
  /** True if the thread runs at low priority, so that the server's main thread gets processor time first. */
  readonly inBackground: boolean;
}

/** The jobs that a reading thread can run, by name. Inputs and results are passed by structured clone. */
export type Jobs = Readonly<Record<string, (input: never) => unknown>>;

export interface JobCall {
  readonly job: string;
  readonly input: unknown;
}

export type JobAnswer = { readonly result: unknown } | { readonly failure: string };

/**
 * Runs the jobs that the main thread requests. Called by the program of a reading thread (see createReadingThread).
 * Also tells the main thread that the program is ready.
 */
export function serveJobs(jobs: Jobs): void {
  if ((workerData as ThreadData).inBackground) lowerPriority();
  const port = parentPort;
  port?.on('message', ({ job, input }: JobCall) => {
    const answer = answerTo(jobs, job, input);
    try {
      port.postMessage(answer);
    } catch (error) {
      // The result can't be cloned, for example because its objects are nested too deeply.
      port.postMessage({ failure: wordsOf(error) } satisfies JobAnswer);
    }
  });
  port?.postMessage('ready');
}

function answerTo(jobs: Jobs, job: string, input: unknown): JobAnswer {
  try {
    return { result: jobs[job]?.(input as never) };
  } catch (error) {
    return { failure: wordsOf(error) };
  }
}

const wordsOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));
