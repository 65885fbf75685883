import os from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorCode, PorchlightError } from '../contract/error.ts';
import type { Kind } from './kinds.ts';

/** The data that a thread receives when it starts. */
export interface ThreadData {
  readonly program: Kind['program'];
  /** True if the thread runs at low priority, so that the server's main thread gets processor time first. */
  readonly inBackground: boolean;
}

/** The jobs that a thread can run, by name. Inputs and results are passed by structured clone. */
export type Jobs = Readonly<Record<string, (input: never) => unknown>>;

export interface JobCall {
  readonly job: string;
  readonly input: unknown;
}

/** How a thread answers. `refusal`: a PorchlightError. `failure`: the stack of any other error. */
export type JobAnswer =
  | { readonly result: unknown }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly status: number } }
  | { readonly failure: string };

/**
 * A message of a thread. Without an answer, the thread is ready, or it waits, for example for a disk. Such a wait is no
 * reason to end the thread.
 */
export interface ThreadMessage {
  readonly answer?: JobAnswer;
  /**
   * The processor time that the thread has used so far, so that nobody has to interrupt it to learn that; undefined in a
   * Node that doesn't tell (before 23.9).
   */
  readonly used: NodeJS.CpuUsage | undefined;
}

const workingMs = 500;

/** Thrown by a job if its program may be in a broken state. The thread then ends. */
export class ProgramBroken extends Error {}

/**
 * Runs the jobs that the main thread requests (thread.ts). Called by the program of a thread. Also tells the main thread
 * that the program is ready.
 */
export function serveJobs(jobs: Jobs): void {
  if ((workerData as ThreadData).inBackground) lowerPriority();
  const tell = (answer?: JobAnswer, moved: readonly ArrayBuffer[] = []): void => {
    const used = 'threadCpuUsage' in process ? process.threadCpuUsage() : undefined;
    parentPort?.postMessage({ used, ...(answer && { answer }) } satisfies ThreadMessage, moved);
  };
  const run = async ({ job, input }: JobCall): Promise<void> => {
    const waiting = setInterval(tell, workingMs);
    try {
      const result = await jobs[job]?.(input as never);
      // Moves bytes to the main thread instead of copying them.
      const moved = result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : [];
      tell({ result }, moved);
    } catch (error) {
      if (error instanceof ProgramBroken) throw error;
      // Includes a result that can't be cloned, for example because its objects are nested too deeply.
      tell(answerOf(error));
    } finally {
      clearInterval(waiting);
    }
  };
  parentPort?.on('message', (call: JobCall) => void run(call));
  tell();
}

function answerOf(error: unknown): JobAnswer {
  if (error instanceof PorchlightError) {
    const { code, message, status } = error;
    return { refusal: { code, message, status } };
  }
  return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/**
 * Lowers the priority of the current thread, so that the server's main thread is preferred on a busy processor. Called
 * in threads that process content from strangers. Works only on Linux. On other systems, this function does nothing,
 * because the call would lower the priority of the whole process (setpriority(2), NOTES).
 */
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
}

const mostCharacters = 10_000_000;
const mostValues = 100_000;
const deepestResult = 100;

/**
 * Returns the same jobs with a limit on their results: 10 million characters, 100,000 values, and 100 levels. An object
 * that occurs repeatedly counts each time, because the main thread may write it out each time, for example as JSON. A
 * job with a larger result fails.
 */
export function limited<J extends Jobs>(jobs: J): J {
  const entries = Object.entries(jobs).map(([name, job]) => [
    name,
    (input: never) => {
      const result = job(input);
      if (result instanceof Promise) return result.then(checked);
      return checked(result);
    },
  ]);
  return Object.fromEntries(entries) as J;
}

function checked<T>(result: T): T {
  checkSize(result);
  return result;
}

function checkSize(result: unknown): void {
  let characters = 0;
  let values = 0;
  const count = (value: unknown, depth: number): void => {
    values += 1;
    characters += typeof value === 'string' ? value.length : ArrayBuffer.isView(value) ? value.byteLength : 0;
    if (values > mostValues || characters > mostCharacters || depth > deepestResult)
      throw new Error('The result of the job is too large.');
    const isList = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
    for (const [name, inner] of isList ? Object.entries(value) : []) {
      characters += name.length;
      count(inner, depth + 1);
    }
  };
  count(result, 0);
}
