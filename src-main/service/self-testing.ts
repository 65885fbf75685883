import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { FastifyPluginCallback } from 'fastify';
import { Type } from 'typebox';
import { SelfTest } from '../contract/setup.ts';
import { closed } from '../contract/shapes.ts';
import { createPublicCheck } from '../http/public-check.ts';
import type { EventHub } from '../owner/event-hub.ts';
import { createOwnAddresses } from '../owner/self-test/own-addresses.ts';
import { createSelfTest, type Present } from '../owner/self-test/self-test.ts';
import type { SiteQuestion } from '../owner/self-test/site-side.ts';
import { setupHandlers } from '../owner/setup.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import { openDocument } from '../storage/document.ts';
import type { Recovery } from '../storage/recovery.ts';

/** The content of self-test.json. */
const Kept = closed({
  last: Type.Union([SelfTest, Type.Null()]),
  /** The public addresses of this computer: at most one IPv4 and one IPv6 address. */
  addresses: Type.Optional(Type.Array(Type.String({ maxLength: 45 }), { maxItems: 2 })),
});

export const keptFormat = { schema: Kept, format: 1, initial: { last: null } };

/**
 * A provider may assign a new address to the router unnoticed, so the addresses are learned again at this interval, in
 * ms.
 */
const learnEveryMs = 60 * 60_000;

export interface SelfTestingDeps {
  readonly dataDir: string;
  readonly onRecovered: (recovery: Recovery) => void;
  readonly hub: EventHub;
  readonly clock: Clock;
  readonly fetch: GuardedFetch;
  readonly readRels: SiteQuestion['readRels'];
  readonly base: () => string;
  readonly present: () => Omit<Present, 'base'>;
  /** Development and tests only: tests a loopback address in the same way as a public one. */
  readonly allowPrivate: boolean;
  readonly tell: Background;
}

/** The part of the service that tests how the server looks from outside. */
export interface SelfTesting {
  readonly routes: FastifyPluginCallback;
  readonly handlers: ReturnType<typeof setupHandlers>;
  /** The last completed test; null before the first one. */
  readonly last: () => SelfTest | null;
  /** Returns this computer's public addresses, as far as they are known. */
  readonly ownAddresses: () => readonly string[];
  /** Resolves with whether this very server answers at the public address. Never rejects. */
  readonly answers: (signal: AbortSignal) => Promise<boolean>;
  /** Must be called after anything that may change the public address; tests a new address in the background. */
  changed(): Promise<void>;
  /** Learns the computer's addresses again, because it woke or its network changed. */
  wake(): Promise<void>;
  stop(): void;
}

/** Wires the self-test: its requests go out through the guarded fetch and come back in at the public app. */
export async function openSelfTesting(deps: SelfTestingDeps): Promise<SelfTesting> {
  const { dataDir, onRecovered, hub, base, present } = deps;
  const check = createPublicCheck({ base });
  const stopping = new AbortController();
  const kept = await openDocument({
    file: path.join(dataDir, 'self-test.json'),
    ...keptFormat,
    onRecovered,
  });
  const own = createOwnAddresses({ check, fetch: deps.fetch, base, kept, signal: stopping.signal });
  const selfTest = createSelfTest({
    fetch: deps.fetch,
    readRels: deps.readRels,
    allowPrivate: deps.allowPrivate,
    now: deps.clock,
    check,
    present: () => ({ ...present(), base: base() }),
    last: kept,
    reached: () => own.learn(),
    checked: (test) => hub.emit('setup.checked', test),
    pause: (ms, signal) => setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined),
  });
  const timer = setInterval(() => deps.tell(learn()), learnEveryMs).unref();
  let wasUp = false;

  /**
   * Learns this computer's addresses, but not through a new public address: for that one, the self-test learns them
   * once DNS knows the name.
   */
  async function learn(): Promise<void> {
    if (selfTest.isUp() && kept.data.last?.base === base()) await own.learn();
  }

  return {
    routes: check.routes,
    handlers: setupHandlers({ base, selfTest }),
    last: () => selfTest.last(),
    ownAddresses: () => own.list(),
    answers: (signal) => own.answers(signal),
    async changed() {
      const cameUp = selfTest.isUp() && !wasUp;
      wasUp = selfTest.isUp();
      await Promise.all([selfTest.addressMayHaveChanged(), cameUp ? learn() : undefined]);
    },
    wake: learn,
    stop() {
      clearInterval(timer);
      stopping.abort();
      selfTest.stop();
    },
  };
}
