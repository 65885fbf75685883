import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { FastifyPluginCallback } from 'fastify';
import { Type } from 'typebox';
import { SelfTest } from './contract/setup.ts';
import { closed } from './contract/shapes.ts';
import { createPublicCheck } from './http/public-check.ts';
import type { EventHub } from './owner/event-hub.ts';
import { createSelfTest, type Present } from './owner/self-test/self-test.ts';
import { setupHandlers } from './owner/setup.ts';
import type { Clock } from './platform/clock.ts';
import type { GuardedFetch } from './platform/guarded-fetch.ts';
import { openDocument } from './storage/document.ts';
import type { Recovery } from './storage/recovery.ts';

/** The content of self-test.json. */
const Kept = closed({ last: Type.Union([SelfTest, Type.Null()]) });

export interface SelfTestingDeps {
  readonly dataDir: string;
  readonly onRecovered: (recovery: Recovery) => void;
  readonly hub: EventHub;
  readonly clock: Clock;
  readonly fetch: GuardedFetch;
  readonly base: () => string;
  readonly present: () => Omit<Present, 'base'>;
  /** Development and tests only: a loopback address is tested like a public one. */
  readonly allowPrivate: boolean;
}

/** The part of the service that tests how it is seen from outside. */
export interface SelfTesting {
  readonly routes: FastifyPluginCallback;
  readonly handlers: ReturnType<typeof setupHandlers>;
  /** The last whole test; null where there was none yet. */
  readonly last: () => SelfTest | null;
  /** To be told of whatever may change the public address; tests a new one in the background. */
  changed(): Promise<void>;
  stop(): void;
}

/** Wires the self-test: its questions go out through the guarded fetch and come in at the public app. */
export async function openSelfTesting(deps: SelfTestingDeps): Promise<SelfTesting> {
  const { dataDir, onRecovered, hub, base, present } = deps;
  const check = createPublicCheck({ base });
  const selfTest = createSelfTest({
    fetch: deps.fetch,
    allowPrivate: deps.allowPrivate,
    now: deps.clock,
    check,
    present: () => ({ ...present(), base: base() }),
    last: await openDocument({
      file: path.join(dataDir, 'self-test.json'),
      schema: Kept,
      format: 1,
      initial: { last: null },
      onRecovered,
    }),
    checked: (test) => hub.emit('setup.checked', test),
    pause: (ms, signal) => setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined),
  });
  return {
    routes: check.routes,
    handlers: setupHandlers({ base, selfTest }),
    last: () => selfTest.last(),
    changed: () => selfTest.addressMayHaveChanged(),
    stop: () => selfTest.stop(),
  };
}
