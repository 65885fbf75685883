import type { Finding, TunnelStatus } from '../../contract/reach.ts';
import { type Challenge, checkPath, type PublicCheck } from '../../http/public-check.ts';
import { hostIsLoopback } from '../../platform/address.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import { type CheckWords, findingOf } from './check.ts';
import { clockIn, type ClockReading } from './clock-finding.ts';
import { assistantsCheck, publicChecks, reachCheck, type Talk } from './public-checks.ts';

export interface PublicQuestion {
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
export async function checkPublicSide(
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

/** The time limit of one request, in ms. */
const questionMs = 6000;

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
