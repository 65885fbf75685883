import { performance as eventLoop } from 'node:perf_hooks';
import { setTimeout as rest } from 'node:timers/promises';
import type { ProbedInside } from '../bench/soak/probe.ts';
import { takenByOtherMachines, waitedForDisk, waitedForProcessor } from '../bench/soak/processor-wait.ts';
import type { Pulse } from './oracles.ts';

/** How often a harmless request asks whether the server answers, in ms. */
const everyMs = 100;
/** How often the probe in the server is asked, in ms. */
const probeEveryMs = 500;
/** The computer is as fast as in the best of so many readings: one may fall together with a collection of garbage. */
const lastReadings = 10;

/** About 1 MB, whose reading takes a quiet computer 10 ms of processor time. */
const measured = JSON.stringify(
  Array.from({ length: 12_000 }, (_, number) => ({
    type: ['h-entry'],
    properties: { name: [`Post ${number}`], url: [`https://owner.example/${number}`] },
  })),
);

/** Returns the ms of processor time that reading 1 MB of JSON takes at the moment. */
function readingMs(): number {
  const before = process.threadCpuUsage();
  JSON.parse(measured);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Whose pulse is taken. */
export interface Patient {
  readonly baseUrl: string;
  readonly pid: number;
  /** Asks the probe in the program, without disturbing it. */
  readonly probe: () => Promise<ProbedInside>;
}

export interface PulseWatch {
  /** The longest answer so far, and the longest time that the main thread was not free, in ms. */
  readonly worst: { answered: number; blocked: number };
  stop(): Promise<void>;
}

/**
 * Asks for the metadata every 100 ms and looks at the event loop of the server from inside, until it is stopped.
 * `felt` hears of each look. A server that has ended is noticed elsewhere.
 */
export function watchPulse({ baseUrl, pid, probe }: Patient, felt: (pulse: Pulse) => void): PulseWatch {
  const over = new AbortController();
  const isOver = () => over.signal.aborted;
  /**
   * Ms so far in which something other than the server kept an answer waiting: other programs had the processor or the
   * disk, or the fuzzer itself was at work, for example on other answers. While the server stalls, the fuzzer is idle.
   */
  const contention = () =>
    waitedForProcessor(pid) +
    waitedForProcessor(process.pid) +
    takenByOtherMachines() +
    waitedForDisk() +
    eventLoop.eventLoopUtilization().active;
  const worst = { answered: 0, blocked: 0 };
  let slowest = { answered: 0, contended: 0 };
  const readings: number[] = [];

  async function ask(): Promise<void> {
    while (!isOver()) {
      const [began, waited] = [performance.now(), contention()];
      await fetch(`${baseUrl}/.well-known/oauth-authorization-server`, { signal: over.signal })
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
      const now = { answered: performance.now() - began, contended: contention() - waited };
      const isSlower = now.answered - now.contended > slowest.answered - slowest.contended;
      if (!isOver() && isSlower) slowest = now;
      await pause(everyMs);
    }
  }

  async function check(): Promise<void> {
    while (!isOver()) {
      await pause(probeEveryMs);
      const inside = await probe().catch(() => undefined);
      if (inside === undefined) return;
      readings.push(readingMs());
      felt({ blocked: inside.blocked, ...slowest, reading: Math.min(...readings.slice(-lastReadings)) });
      worst.answered = Math.max(worst.answered, slowest.answered - slowest.contended);
      worst.blocked = Math.max(worst.blocked, inside.blocked);
      slowest = { answered: 0, contended: 0 };
    }
  }

  const pause = (ms: number) => rest(ms, undefined, { signal: over.signal }).catch(() => undefined);
  const lanes = Promise.all([ask(), check()]);
  return {
    worst,
    async stop() {
      over.abort();
      await lanes;
    },
  };
}
