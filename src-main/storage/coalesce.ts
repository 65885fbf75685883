/**
 * Returns a function whose callers share runs of `work`. Callers that arrive before a run starts share it, and callers
 * that arrive during a run share the next. A run starts after the current tick, so a burst of calls costs one run. The
 * promise settles as its run does, and a failed run doesn't affect later ones.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function start(): Promise<void> {
    // A failure concerns only the callers that shared that run; their own promise rejects.
    await running?.catch(() => undefined);
    running = next;
    next = undefined;
    await work();
  }

  return () => (next ??= start());
}
