/**
 * Makes `work` shareable: callers that come before a run starts share it, callers that come while one runs
 * share the next. A run starts after the current tick's code, so that a burst costs one run.
 * The promise settles as its run does; a failed run does not touch the ones after it.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function start(): Promise<void> {
    // A failure belongs to those who shared that run; they hear of it from their own promise.
    await running?.catch(() => undefined);
    running = next;
    next = undefined;
    await work();
  }

  return () => (next ??= start());
}
