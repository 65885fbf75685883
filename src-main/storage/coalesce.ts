/**
 * Returns a function whose callers share runs of `work`. Callers that arrive before a run starts share that run.
 * Callers that arrive during a run share the next run. A run starts after the current tick, so many calls in one tick
 * cost one run. Each returned promise settles with its run. A failed run doesn't affect later runs.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function start(): Promise<void> {
    // The failure of an earlier run concerns only the callers that shared that run.
    await running?.catch(() => undefined);
    running = next;
    next = undefined;
    await work();
  }

  return () => (next ??= start());
}
