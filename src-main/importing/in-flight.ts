import { PorchlightError } from '../contract/error.ts';

/**
 * Runs `work` on up to `most` items at the same time. This is faster, because several writes can wait for the disk
 * together. After a failure, starts no work on further items, waits for the work in progress, and throws the first
 * error.
 */
export async function inFlight<T>(
  items: AsyncIterable<T> | Iterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  try {
    for await (const item of items) {
      const task: Promise<void> = work(item)
        .catch((error: unknown) => void errors.push(error))
        .finally(() => running.delete(task));
      running.add(task);
      if (running.size >= most) await Promise.race(running);
      if (errors.length > 0) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (errors.length > 0) throw errors[0];
}

/** The abort reason of an import that ends early because Porchlight is closing. The import can be continued later. */
export const stopping = Symbol('stopping');

/** Yields items until the signal is aborted. The work on items that were already yielded can still finish. */
export async function* untilAborted<T>(
  items: AsyncIterable<T> | Iterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  try {
    for await (const item of items) {
      if (signal.aborted) return;
      yield item;
    }
  } catch (error) {
    if (!(error instanceof PorchlightError && error.code === 'cancelled')) throw error;
  }
}

/** Yields items in groups of `size`; the last group may be smaller. */
export async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
