/**
 * Runs `work` on each item, at most `most` items at a time, so that writes share their waits for the disk. After a
 * failure, takes no further item, waits for the running ones, and throws the first error.
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
