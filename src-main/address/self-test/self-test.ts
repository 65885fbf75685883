import type { SelfTest } from '../../contract/reach.ts';
import { checkPath, type PublicCheck } from '../../http/public-check.ts';
import { hostIsLoopback, parseDestination } from '../../platform/address.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import { attemptsLeft, pauseAfter } from '../../platform/retry-schedule.ts';
import { timeoutSignal } from '../../platform/clock.ts';
import { clockFinding } from './clock-finding.ts';
import { checkPublicSide, type PublicQuestion } from './public-side.ts';
import { checkOwnPage, type SiteQuestion } from './site-side.ts';

/** The state of the server when a test starts. */
export type Present = Pick<PublicQuestion, 'base' | 'on' | 'tunnel' | 'mediaLimitBytes' | 'hasAssistants'> & {
  readonly me: string | null;
};

interface SelfTestDeps
  extends Pick<PublicQuestion, 'check' | 'fetch' | 'allowPrivate' | 'now'>, Pick<SiteQuestion, 'readRels'> {
  readonly present: () => Present;
  readonly last: {
    readonly data: { last: SelfTest | null };
    update(change: (data: { last: SelfTest | null }) => void): Promise<unknown>;
  };
  /** Called if the public address leads to this server. This computer can then find out its public IP addresses. */
  readonly reached: () => Promise<void>;
  /** Called with each full test after its result is on disk. */
  readonly checked: (test: SelfTest) => void;
  /** Waits for `ms` milliseconds, or until the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type SelfTester = ReturnType<typeof createSelfTest>;

/** The time limit of the whole test, in ms. Checks that haven't finished by then are left out. */
const wholeMs = 27_000;

/** Creates the self-test of this server's public address and of the owner's site. It stores the latest result. */
export function createSelfTest(deps: SelfTestDeps) {
  const { present, last, now } = deps;
  const stopping = new AbortController();
  let running: Promise<SelfTest> | null = null;
  let watching: string | null = null;

  async function test(thorough: boolean): Promise<SelfTest> {
    const at = present();
    const signal = AbortSignal.any([timeoutSignal(wholeMs), stopping.signal]);
    const [address, site] = await Promise.all([
      checkPublicSide({ ...deps, ...at, thorough, signal }),
      checkOwnPage({ ...deps, ...at, signal }),
    ]);
    const clock = clockFinding([...address.clocks, ...(site.clock ? [site.clock] : [])]);
    const findings = [...address.findings, ...site.findings, ...(clock ? [clock] : [])];
    if (address.findings.some(({ id, level }) => id === 'reach' && level === 'pass')) await deps.reached();
    return { findings, at: new Date(now()).toISOString(), base: at.base };
  }

  async function keep(found: SelfTest): Promise<SelfTest> {
    if (stopping.signal.aborted) return found;
    await last.update((data) => void (data.last = found));
    deps.checked(found);
    return found;
  }

  /** Runs all checks. If a test is already running, returns its result. */
  function run(): Promise<SelfTest> {
    running ??= test(true)
      .then(keep)
      .finally(() => (running = null));
    return running;
  }

  /** Returns whether the server is on and the tunnel, if the owner wants one, is connected. */
  const isUp = (): boolean => {
    const { on, tunnel } = present();
    return on && (tunnel.mode === 'off' || tunnel.state === 'connected');
  };

  /** Returns whether there is a public address that the last test did not cover. */
  const isNew = (): boolean => {
    const { base } = present();
    return isUp() && !hostIsLoopback(new URL(base).hostname) && base !== last.data.last?.base;
  };

  async function watch(base: string): Promise<void> {
    for (let tries = 1; attemptsLeft('newAddress', tries) > 0; tries += 1) {
      await deps.pause(pauseAfter('newAddress', tries) ?? 0, stopping.signal);
      if (stopping.signal.aborted || present().base !== base || !isNew()) return;
      const found = await test(false);
      // A new host name may not be in DNS yet, so report a failure only after the last attempt.
      if (isReached(found) || attemptsLeft('newAddress', tries) === 1) await keep(found);
      if (isReached(found)) return;
    }
  }

  return {
    run,
    /** Tests only the owner's site, or only whether assistants can connect. */
    async runOnly(only: 'site' | 'assistants'): Promise<SelfTest> {
      const at = present();
      const { base } = at;
      const question = { ...deps, ...at, only, thorough: false, signal: stopping.signal };
      const { findings } = await (only === 'site' ? checkOwnPage(question) : checkPublicSide(question));
      return { findings: [...findings], at: new Date(now()).toISOString(), base };
    },
    last: (): SelfTest | null => last.data.last,
    isUp,
    /** If the public address has changed since the last test, tests again in the background. */
    async addressMayHaveChanged(): Promise<void> {
      const { base } = present();
      if (stopping.signal.aborted || watching === base || !isNew()) return;
      watching = base;
      try {
        await watch(base);
      } finally {
        if (watching === base) watching = null;
      }
    },
    stop: () => stopping.abort(),
  };
}

function isReached({ findings }: SelfTest): boolean {
  return !findings.some(({ id, level }) => id === 'reach' && level === 'fail');
}

interface OwnAddressesDeps {
  readonly check: PublicCheck;
  readonly fetch: GuardedFetch;
  /** Returns the public origin. */
  readonly base: () => string;
  readonly kept: {
    readonly data: { addresses?: string[] };
    update(change: (data: { addresses?: string[] }) => void): Promise<unknown>;
  };
  readonly signal: AbortSignal;
}

const versions = { ipv4: 4, ipv6: 6 } as const;
/** The time limit of one request, in ms. */
const questionMs = 6_000;

/**
 * Creates the functions that find this computer's public IP addresses. These are usually the addresses of the router.
 * The functions send a request to this server's public address. The server that forwards the request (Cloudflare or a
 * reverse proxy) reports the sender's IP address. Nobody else can send such a request, because only this process knows
 * its nonce.
 */
export function createOwnAddresses({ check, fetch, base, kept, signal }: OwnAddressesDeps) {
  const list = (): readonly string[] => kept.data.addresses ?? [];
  let running: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const challenge = check.begin();
    const url = `${base()}${checkPath}?nonce=${challenge.nonce}`;
    const options = { maxRedirects: 0, timeoutMs: questionMs, signal };
    // Ignores failures, because a network may lack IPv4 or IPv6. The self-test reports a missing network.
    await Promise.allSettled(Object.values(versions).map((family) => fetch(url, { ...options, family })));
    challenge.end();
    // A newly found address takes precedence over an earlier address of the same IP version.
    const known = [...challenge.visitors(), ...list()];
    const found = Object.keys(versions).flatMap(
      (kind) => known.find((address) => parseDestination(address)?.kind() === kind) ?? [],
    );
    if (signal.aborted || found.join() === list().join()) return;
    await kept.update((data) => void (data.addresses = found));
  }

  return {
    /** Returns the IPv4 address and the IPv6 address that were found last. Either may be missing. */
    list,
    /** Finds the addresses over IPv4 and over IPv6. If one of these requests fails, keeps the previous address. */
    learn(): Promise<void> {
      running ??= ask().finally(() => (running = null));
      return running;
    },
    /** Returns whether this server itself responds at the public address. Never rejects. */
    async answers(given: AbortSignal): Promise<boolean> {
      const challenge = check.begin();
      try {
        const url = `${base()}${checkPath}?nonce=${challenge.nonce}`;
        const both = AbortSignal.any([signal, given]);
        const answer = await fetch(url, { maxRedirects: 0, timeoutMs: questionMs, signal: both });
        return challenge.sightIn(answer.text()) !== null;
      } catch {
        return false;
      } finally {
        challenge.end();
      }
    },
  };
}
