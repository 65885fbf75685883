/** Processor time that a measurement takes, in ms. */
const measuredMs = 20;

/**
 * Measures how much longer than its processor time something takes at the moment: 1 on a quiet computer, 3 if three
 * threads share a processor. Takes 20 ms of processor time.
 */
export function slowness(clock = () => performance.now(), processor = threadMs): number {
  const [started, before] = [clock(), processor()];
  let used = 0;
  while (used < measuredMs) used = processor() - before;
  return Math.max(1, (clock() - started) / used);
}

/** Returns the processor time of this thread, in ms. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns a limit for this computer as busy as it is now, from the limit for a quiet one, in ms. */
export const limitOf = (ms: number): number => Math.ceil(ms * slowness());

/** For vi.waitUntil, vi.waitFor and expect.poll: as long as this computer takes. Their own second is too short. */
export const patience = {
  get timeout() {
    return limitOf(20_000);
  },
};
