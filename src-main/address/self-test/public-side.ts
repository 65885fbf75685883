import type { Finding, TunnelStatus } from '../../contract/reach.ts';
import type { PublicCheck } from '../../http/public-check.ts';
import { hostIsLoopback } from '../../platform/address.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { ClockReading } from './clock-finding.ts';
import {
  authorizationStep,
  cacheStep,
  cookieStep,
  endpointStep,
  metadataStep,
  pageStep,
  reachStep,
  redirectStep,
  uploadStep,
  visitorStep,
} from './public-steps.ts';
import { openTalk, runStep } from './public-talk.ts';

export interface PublicQuestion {
  readonly base: string;
  readonly on: boolean;
  readonly tunnel: TunnelStatus;
  readonly mediaLimitBytes: number;
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
  const { base, check, fetch, now, signal } = question;
  const obstacle = obstacleIn(question);
  if (obstacle) return { findings: [obstacle], clocks: [] };
  const challenge = check.begin();
  try {
    const talk = openTalk({ base, challenge, fetch, now, signal });
    const reach = await runStep(reachStep, talk);
    if (reach.level === 'fail') return { findings: [reach], clocks: [] };
    const findings = [reach];
    const steps = [
      metadataStep,
      authorizationStep,
      cookieStep,
      redirectStep,
      cacheStep,
      endpointStep,
      uploadStep(question),
      pageStep,
      visitorStep,
    ];
    for (const step of steps) {
      const finding = await runStep(step, talk);
      if (signal.aborted) return { findings: [...findings, outOfTime], clocks: talk.clocks };
      findings.push(finding);
    }
    return { findings, clocks: talk.clocks };
  } finally {
    challenge.end();
  }
}

const outOfTime: Finding = {
  id: 'time',
  area: 'address',
  level: 'warning',
  title: 'The check didn’t finish in time',
  detail: 'Your public address answered so slowly that the last checks were left out.',
  fix: 'Check again when your connection is less busy.',
};

/** Returns a finding if the public address can't be tested; null if it can be tested. */
function obstacleIn({ base, on, tunnel, allowPrivate }: PublicQuestion): Finding | null {
  const finding = {
    id: 'address',
    area: 'address',
    level: 'fail',
    title: 'You don’t have a public address yet',
  } as const;
  if (!on)
    return {
      ...finding,
      id: 'on',
      title: 'Porchlight is off',
      detail: 'While Porchlight is off, nobody can sign in with your website.',
      fix: 'Turn Porchlight on, on the Porch screen.',
    };
  // If the tunnel isn't connected, its status explains why the address does not respond.
  if (tunnel.mode !== 'off' && tunnel.state !== 'connected')
    return {
      ...finding,
      id: 'tunnel',
      title: 'The tunnel isn’t connected',
      detail: `${tunnel.words.replace(/\.$/, '')}.`,
      fix: 'Look at your public address in the settings. Check again when the tunnel is connected.',
    };
  if (allowPrivate || !hostIsLoopback(new URL(base).hostname)) return null;
  return {
    ...finding,
    detail: `${base} works on this computer only, so no app on the web can reach you.`,
    fix: 'Choose how the web can reach you: with Cloudflare, a reverse proxy or Tailscale.',
  };
}
