import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as rest } from 'node:timers/promises';
import type { ProbedInside } from '../bench/soak/probe.ts';
import type { Pulse } from './oracles.ts';

/** How often a harmless request asks whether the server answers, in ms. */
const everyMs = 100;
/** How often the probe in the server is asked, in ms. */
const glanceMs = 500;

/** Whose pulse is taken. */
export interface Patient {
  readonly baseUrl: string;
  /** Asks the probe in the program, without disturbing it. */
  readonly glance: () => Promise<ProbedInside>;
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
export function watchPulse({ baseUrl, glance }: Patient, felt: (pulse: Pulse) => void): PulseWatch {
  const over = new AbortController();
  const isOver = () => over.signal.aborted;
  const own = monitorEventLoopDelay({ resolution: 10 });
  own.enable();
  const worst = { answered: 0, blocked: 0 };
  let answered = 0;

  async function ask(): Promise<void> {
    while (!isOver()) {
      const began = performance.now();
      await fetch(`${baseUrl}/.well-known/oauth-authorization-server`, { signal: over.signal })
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
      if (!isOver()) answered = Math.max(answered, performance.now() - began);
      await pause(everyMs);
    }
  }

  async function look(): Promise<void> {
    while (!isOver()) {
      await pause(glanceMs);
      const inside = await glance().catch(() => undefined);
      if (inside === undefined) return;
      // What was late in the server and not its own doing, and what was late here.
      const contended = Math.max(0, inside.latest - inside.blocked) + own.max / 1e6;
      felt({ blocked: inside.blocked, answered, contended });
      worst.answered = Math.max(worst.answered, answered - contended);
      worst.blocked = Math.max(worst.blocked, inside.blocked);
      answered = 0;
      own.reset();
    }
  }

  const pause = (ms: number) => rest(ms, undefined, { signal: over.signal }).catch(() => undefined);
  const lanes = Promise.all([ask(), look()]);
  return {
    worst,
    async stop() {
      over.abort();
      await lanes;
      own.disable();
    },
  };
}
