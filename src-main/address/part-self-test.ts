import { setTimeout } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Handlers } from '../contract/contract.ts';
import { SelfTest } from '../contract/reach.ts';
import { closed } from '../contract/shapes.ts';
import type { Common } from '../http/common.ts';
import { createPublicCheck } from '../http/public-check.ts';
import { setupHandlers } from './owner.ts';
import { checkBridge, type BridgeQuestion } from './self-test/bridge-side.ts';
import { createOwnAddresses, createSelfTest, type Present } from './self-test/self-test.ts';
import type { SiteQuestion } from './self-test/site-side.ts';

/** The content of self-test.json. */
const Kept = closed({
  last: Type.Union([SelfTest, Type.Null()]),
  /** The public addresses of this computer: at most one IPv4 and one IPv6 address. */
  addresses: Type.Optional(Type.Array(Type.String({ maxLength: 45 }), { maxItems: 2 })),
});

export const keptFormat = { schema: Kept, kind: 'note' as const, format: 1, initial: { last: null } };

/**
 * The interval between look-ups of this computer's public IP addresses, in ms. They are repeated because an internet
 * provider may assign a new address at any time.
 */
const learnEveryMs = 60 * 60_000;

interface SelfTestingDeps extends Pick<
  Common,
  'documents' | 'hub' | 'clock' | 'fetch' | 'base' | 'allowPrivate' | 'background'
> {
  readonly readRels: SiteQuestion['readRels'];
  readonly readProfile: BridgeQuestion['readProfile'];
  /** Returns the site for which Bridgy Fed may answer. */
  readonly bridge: () => Pick<BridgeQuestion, 'home' | 'own' | 'redirectsFile'>;
  readonly present: () => Omit<Present, 'base'>;
  /** Returns the port of this computer that the public address leads to. */
  readonly port: () => number;
}

/**
 * Opens the part of the service that tests the server through its public address. The requests leave through the
 * guarded fetch, and arrive in the same way as a visitor's requests.
 */
export async function openSelfTesting(deps: SelfTestingDeps) {
  const { hub, clock, fetch, readRels, base, allowPrivate, present, background } = deps;
  const check = createPublicCheck({ base });
  const stopping = new AbortController();
  const kept = await deps.documents.open('self-test.json', keptFormat);
  const own = createOwnAddresses({ check, fetch, base, kept, signal: stopping.signal });
  const selfTest = createSelfTest({
    fetch,
    readRels,
    allowPrivate,
    now: clock,
    check,
    present: () => ({ ...present(), base: base() }),
    last: kept,
    reached: () => own.learn(),
    checked: (test) => hub.emit('setup.checked', test),
    pause: (ms, signal) => setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined),
  });
  const timer = setInterval(() => background(learn()), learnEveryMs).unref();
  let wasUp = false;

  /**
   * Looks up this computer's IP addresses if the server is on, its tunnel (if any) is connected, and the public address
   * has been tested. For a new public address, the self-test looks them up once the host name is in DNS.
   */
  async function learn(): Promise<void> {
    if (selfTest.isUp() && kept.data.last?.base === base()) await own.learn();
  }

  return {
    routes: check.routes,
    handlers: {
      ...setupHandlers(base, selfTest, () => (present().on ? deps.port() : null)),
      'setup.checkBridge': () =>
        checkBridge({ ...deps.bridge(), fetch, readProfile: deps.readProfile, signal: stopping.signal }),
    } satisfies Partial<Handlers>,
    /** Returns the last completed test; null before the first one. */
    last: selfTest.last,
    /** Returns the public IP addresses of this computer that were found so far. */
    ownAddresses: own.list,
    /** Resolves to true if this server, and not another one, responds at the public address. Never rejects. */
    answers: own.answers,
    /** Tests a new public address in the background. Call this after anything that may change the address. */
    async changed(): Promise<void> {
      const cameUp = selfTest.isUp() && !wasUp;
      wasUp = selfTest.isUp();
      await Promise.all([selfTest.addressMayHaveChanged(), cameUp ? learn() : undefined]);
    },
    /** Looks up this computer's IP addresses again. Called when the computer wakes up or its network changes. */
    wake: learn,
    stop(): void {
      clearInterval(timer);
      stopping.abort();
      selfTest.stop();
    },
  };
}
