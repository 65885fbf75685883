import { Type } from 'typebox';
import { closed } from '../contract/shapes.ts';
import type { ClockWatch } from '../platform/fetch-watch.ts';
import { type Clock, createTrustedTime } from '../platform/clock.ts';
import type { Common } from '../http/common.ts';

/** The content of clock.json: the latest plausible time, in ms. */
const Kept = closed({ latest: Type.Union([Type.Integer(), Type.Null()]) });
export const clockFormat = { schema: Kept, kind: 'note' as const, format: 1, initial: { latest: null } };

/** How often to check the clock (`checkMs`) and how often to store the trusted time (`keepMs`), in ms. */
const checkMs = 60_000;
const keepMs = 60 * 60_000;

interface TimingDeps extends Pick<Common, 'documents' | 'changed' | 'background'> {
  readonly wall: Clock;
  /** A monotonic clock, in ms. */
  readonly steady: Clock;
  readonly watch: Pick<ClockWatch, 'agrees'>;
}

/** Opens the part of the service that decides which time to trust, starting from the stored time. */
export async function openTiming(deps: TimingDeps) {
  const kept = await deps.documents.open('clock.json', clockFormat);
  const time = createTrustedTime({
    wall: deps.wall,
    steady: deps.steady,
    latest: kept.data.latest,
    isConfirmed: () => deps.watch.agrees(),
  });
  let before = time.problem() !== null;
  // The first check stores the time, so that even a process that is killed soon leaves one.
  let keptAt = -Infinity;

  const keep = () => kept.update((data) => void (data.latest = Math.floor(time.now())));

  function check(): void {
    const isWrong = time.problem() !== null;
    if (isWrong !== before) {
      before = isWrong;
      deps.changed();
    }
    if (deps.steady() - keptAt < keepMs) return;
    keptAt = deps.steady();
    deps.background(keep());
  }

  const timer = setInterval(check, checkMs).unref();
  return {
    ...time,
    /** Checks the clock now. */
    check,
    /** Stops checking the clock, and stores the time for the next startup. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await keep();
    },
  };
}
