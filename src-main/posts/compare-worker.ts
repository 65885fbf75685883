import { parentPort, workerData } from 'node:worker_threads';
import { openIndexBeside } from '../storage/index/index-database.ts';
import { sqliteFailure } from '../storage/sqlite.ts';
import { reconcilePosts, type ComparedBatch } from './post-reconcile.ts';

/** What the thread that compares posts with their index receives when it starts. */
export interface CompareData {
  readonly dir: string;
  /** The path of the index. */
  readonly file: string;
  readonly months: readonly string[];
}

/** What the thread tells: see ComparedBatch, or why it stopped. */
export type CompareNews = ComparedBatch | { readonly failed: string; readonly isDamaged: boolean };

/** What the thread is told: to stop, or to compare a month before the others. */
export type CompareOrder = 'stop' | { readonly first: string };

const { dir, file, months } = workerData as CompareData;
const port = parentPort;
const waiting = [...months];
const ending = new AbortController();
port?.on('message', (order: CompareOrder) => {
  if (order === 'stop') ending.abort();
  else if (waiting.includes(order.first)) waiting.unshift(...waiting.splice(waiting.indexOf(order.first), 1));
});
const report = (news: CompareNews) => port?.postMessage(news);

try {
  const index = openIndexBeside(file);
  try {
    await reconcilePosts({ dir, index, months: waiting, signal: ending.signal, compared: report });
  } finally {
    index.close();
  }
} catch (error) {
  const isDamaged = sqliteFailure(error) === 'damaged' || sqliteFailure((error as Error).cause) === 'damaged';
  report({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error), isDamaged });
}
port?.close();
