import type { Common } from '../../http/common.ts';
import type { SelfTest, Finding, TunnelStatus } from '../../contract/reach.ts';
import { checkPath, type PublicCheck, type Challenge } from '../../http/public-check.ts';
import { hostIsLoopback, parseDestination } from '../../platform/address.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import { attemptsLeft, pauseAfter } from '../../platform/retry-schedule.ts';
import { timeoutSignal } from '../../platform/clock.ts';
import { clockFinding, clockIn, type ClockReading } from './clock-finding.ts';
import { checkOwnPage, type SiteQuestion } from './site-side.ts';
import { type CheckWords, findingOf } from './check.ts';
import { assistantsCheck, publicChecks, reachCheck, type Talk } from './public-checks.ts';

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

interface OwnAddressesDeps extends Pick<Common, 'fetch' | 'base'> {
  readonly check: PublicCheck;
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
    answers: async (given: AbortSignal): Promise<boolean> => {
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

interface PublicQuestion {
  readonly base: string;
  readonly on: boolean;
  readonly tunnel: TunnelStatus;
  readonly mediaLimitBytes: number;
  /** Whether assistants are on. */
  readonly hasAssistants: boolean;
  /** Whether to leave out all checks but those of the address itself and of the one for assistants. */
  readonly only?: 'assistants' | 'site';
  /** Whether to test a loopback address like a public one; only for development and tests. */
  readonly allowPrivate: boolean;
  /** Whether the owner is waiting for the result. If so, the test also tries to upload a large file. */
  readonly thorough: boolean;
  readonly check: PublicCheck;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * Tests the server through its public address. If the address doesn't lead to this server, skips all further checks.
 * `clocks`: the clock readings from the responses.
 */
async function checkPublicSide(
  question: PublicQuestion,
): Promise<{ findings: readonly Finding[]; clocks: readonly ClockReading[] }> {
  const { base, tunnel, check, signal } = question;
  const obstacle = obstacleIn(question);
  if (obstacle !== null) {
    const facts = { base, tunnel: tunnel.words.replace(/\.$/, '') };
    const finding = { title: '', problem: noAddress, words: obstacles, id: obstacle };
    return { findings: [findingOf(finding, 'address', obstacle, facts)], clocks: [] };
  }
  const challenge = check.begin();
  try {
    const clocks: ClockReading[] = [];
    const talk = openTalk(question, challenge, clocks);
    const reach = await reachCheck(talk);
    if (reach.level === 'fail') return { findings: [reach], clocks: [] };
    const findings = [reach];
    const checks = question.only === 'assistants' ? [] : publicChecks;
    for (const run of question.hasAssistants ? [...checks, assistantsCheck] : checks) {
      const finding = await run(talk);
      if (signal.aborted) return { findings: [...findings, outOfTime], clocks };
      findings.push(finding);
    }
    return { findings, clocks };
  } finally {
    challenge.end();
  }
}

/** Returns what sends the requests of the checks. It adds clock readings from the responses to `clocks`. */
function openTalk(question: PublicQuestion, challenge: Challenge, clocks: ClockReading[]): Talk {
  const { base, mediaLimitBytes, thorough, fetch, now, signal } = question;
  const { nonce } = challenge;
  const get: Talk['get'] = (path, more = {}) =>
    fetch(`${base}${path}`, { maxRedirects: 0, timeoutMs: questionMs, signal, ...more });
  return {
    base,
    nonce,
    mediaLimitBytes,
    thorough,
    get,
    async ask(more) {
      const answer = await get(`${checkPath}?nonce=${nonce}`, more);
      const sight = answer.status === 200 ? challenge.sightIn(answer.text()) : null;
      const clock = sight && clockIn(answer.headers, now());
      if (clock) clocks.push(clock);
      return { answer, sight };
    },
  };
}

const outOfTime: Finding = {
  id: 'time',
  area: 'address',
  level: 'warning',
  title: 'The check didn’t finish in time',
  detail: 'Your public address answered so slowly that the last checks were left out.',
  fix: 'Check again when your connection is less busy.',
};

const noAddress = 'You don’t have a public address yet';

/** Why the public address can't be tested. */
const obstacles: CheckWords<'on' | 'tunnel' | 'address'>['words'] = {
  on: {
    title: 'Porchlight is off',
    detail: 'While Porchlight is off, nobody can sign in with your domain.',
    fix: 'Turn Porchlight on in Overview.',
  },
  tunnel: {
    title: 'The tunnel isn’t connected',
    detail: '{tunnel}.',
    fix: 'Look at your public address in the settings. Check again when the tunnel is connected.',
  },
  address: {
    detail: '{base} works on this computer only, so no app on the web can reach you.',
    fix: 'Choose how the web can reach you: with Cloudflare, a reverse proxy or Tailscale.',
  },
};

/** Returns why the public address can't be tested; null if it can be tested. */
function obstacleIn({ base, on, tunnel, allowPrivate }: PublicQuestion): keyof typeof obstacles | null {
  if (!on) return 'on';
  // If the tunnel isn't connected, its status explains why the address does not respond.
  if (tunnel.mode !== 'off' && tunnel.state !== 'connected') return 'tunnel';
  return !allowPrivate && hostIsLoopback(new URL(base).hostname) ? 'address' : null;
}
