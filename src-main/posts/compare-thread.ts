import { Worker } from 'node:worker_threads';
import type { CompareData, CompareNews, CompareOrder } from './compare-worker.ts';
import type { ComparedBatch } from './post-reconcile.ts';

// The worker's file is next to this file: a .ts file in the sources, a .js file in the build (see vite.main.config.ts).
const program = `./compare-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;

/** Thrown if the thread stopped before all months were compared. `isDamaged`: because the index file is damaged. */
export class CompareFailed extends Error {
  readonly isDamaged: boolean;

  constructor(reason: string, isDamaged: boolean) {
    super(`The posts could not be compared with their index: ${reason}`);
    this.isDamaged = isDamaged;
  }
}

/** Compares months of posts with the index in a thread of its own; see reconcilePosts. */
export function startCompareThread(data: CompareData, compared: (found: ComparedBatch) => void) {
  const thread = new Worker(new URL(program, import.meta.url), {
    name: 'posts',
    workerData: data,
    // Inherits the arguments of the process: two versions of SQLite in one process would drop each other's locks.
    env: {},
  });
  thread.unref();
  const done = new Promise<void>((resolve, reject) => {
    let failure: CompareFailed | undefined;
    thread.on('message', (news: CompareNews) => {
      if ('failed' in news) failure = new CompareFailed(news.failed, news.isDamaged);
      else compared(news);
    });
    thread.on('error', (error) => (failure = new CompareFailed(String(error), false)));
    thread.once('exit', (code) => {
      if (failure !== undefined) reject(failure);
      else if (code === 0) resolve();
      else reject(new CompareFailed(`the thread ended with ${code}`, false));
    });
  });
  const order = (what: CompareOrder) => thread.postMessage(what);

  return {
    /** Resolves when the thread has ended. @throws CompareFailed */
    done,
    /** Compares a month before the others, if it hasn't been compared yet. */
    first: (month: string) => order({ first: month }),
    /** Asks the thread to end after the current batch. It is never stopped by force, because it has the index open. */
    stop(): void {
      thread.ref();
      order('stop');
    },
  };
}
