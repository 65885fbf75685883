/**
 * Returns a function that runs `work` once for many calls. Calls in the same tick share a run. Calls during a run share
 * the next run. Each returned promise settles with its run. A failed run doesn't affect later runs.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function start(): Promise<void> {
    // Only the callers that shared the earlier run get its error.
    await running?.catch(() => undefined);
    running = next;
    next = undefined;
    await work();
  }

  return () => (next ??= start());
}
