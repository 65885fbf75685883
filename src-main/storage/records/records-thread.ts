import { Worker } from 'node:worker_threads';
import type { RecordsAnswer, RecordsJob } from './records-worker.ts';

// The worker's file is next to this file: a .ts file in the sources, a .js file in the build (see vite.main.config.ts).
const worker = `./records-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
/** How long the thread waits for another job before it ends, in ms. */
const idleMs = 10_000;

/** What works on the database beside the main thread's queries and changes. Run one job at a time. */
export interface RecordsThread {
  /** Runs a job. Returns whether it could do all of its work. Rejects with the errors of SQLite and of files. */
  run(job: RecordsJob): Promise<boolean>;
  /** Asks the thread to close its connection, and resolves when it has ended. */
  close(): Promise<void>;
}

/**
 * Starts a thread that works on the database or the index in `file`, when the first job comes. It syncs and reads much, and the main
 * thread must not. It ends after 10 s without a job. Run one job at a time.
 */
export function createRecordsThread(file: string): RecordsThread {
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  function started(): Worker {
    const one = new Worker(new URL(worker, import.meta.url), {
      name: 'records',
      workerData: { file },
      // Inherits the arguments of the process: two versions of SQLite in one process would drop each other's locks.
      env: {},
    });
    one.once('exit', () => {
      if (thread === one) thread = undefined;
    });
    one.unref();
    return one;
  }

  function end(): void {
    clearTimeout(idle);
    thread?.postMessage('close');
    thread = undefined;
  }

  return {
    async run(job) {
      clearTimeout(idle);
      // Another database may be at the path by now.
      if (isClosed) throw new Error('The thread of the database is closed.');
      const current = (thread ??= started());
      try {
        return await new Promise<boolean>((resolve, reject) => {
          const settle = (answer: RecordsAnswer): void => {
            current.off('exit', gone);
            current.off('error', reject);
            if ('failed' in answer) reject(Object.assign(new Error(answer.failed), answer.codes));
            else resolve(answer.isDone);
          };
          const gone = (): void => {
            current.off('message', settle);
            current.off('error', reject);
            reject(new Error('The thread of the database has ended.'));
          };
          current.once('message', settle);
          current.once('error', reject);
          current.once('exit', gone);
          current.ref();
          current.postMessage(job);
        });
      } finally {
        current.unref();
        idle = setTimeout(end, idleMs).unref();
      }
    },
    async close() {
      const current = thread;
      isClosed = true;
      end();
      if (current === undefined) return;
      current.ref();
      await new Promise((resolve) => current.once('exit', resolve));
    },
  };
}
