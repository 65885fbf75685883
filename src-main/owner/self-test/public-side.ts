import type { Finding } from '../../contract/setup.ts';
import type { TunnelStatus } from '../../contract/tunnel.ts';
import type { PublicCheck } from '../../http/public-check.ts';
import { hostIsLoopback } from '../../platform/address.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { ClockReading } from './clock-finding.ts';
import { endpointStep } from './endpoint-step.ts';
import {
  authorizationStep,
  cacheStep,
  metadataStep,
  pageStep,
  reachStep,
  redirectStep,
  visitorStep,
} from './public-steps.ts';
import { openTalk, runStep } from './public-talk.ts';
import { uploadStep } from './upload-step.ts';

export interface PublicSide {
  readonly findings: readonly Finding[];
  readonly clocks: readonly ClockReading[];
}

export interface PublicQuestion {
  readonly base: string;
  /** Whether the server is on. */
  readonly on: boolean;
  readonly tunnel: TunnelStatus;
  readonly mediaLimitBytes: number;
  /** Development and tests only: a loopback address is tested like a public one. */
  readonly allowPrivate: boolean;
  /** The owner waits for it: a large file is tried too. */
  readonly thorough: boolean;
  readonly check: PublicCheck;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Tests the public side from the outside. What can not be judged because of something before it is left out. */
export async function checkPublicSide(question: PublicQuestion): Promise<PublicSide> {
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
  title: 'The test was finished in time',
  detail: 'Answers took so long that the rest was left out.',
  fix: 'Check again when your connection has less to do.',
};

/** Why there is nothing to be tested; null where there is. */
function obstacleIn({ base, on, tunnel, allowPrivate }: PublicQuestion): Finding | null {
  const finding = {
    id: 'address',
    area: 'address',
    level: 'fail',
    title: 'You have a public address',
  } as const;
  if (!on)
    return {
      ...finding,
      id: 'on',
      title: 'The light is on',
      detail: 'Porchlight is off, so nobody can be let in.',
      fix: 'Turn the light on, on the porch.',
    };
  // A tunnel that does not stand knows best why the address does not answer.
  if (tunnel.mode !== 'off' && tunnel.state !== 'connected')
    return {
      ...finding,
      id: 'tunnel',
      title: 'The tunnel is connected',
      detail: `${tunnel.words.replace(/\.$/, '')}.`,
      fix: 'See how you are reached, in the settings. Check again when the tunnel is connected.',
    };
  if (allowPrivate || !hostIsLoopback(new URL(base).hostname)) return null;
  return {
    ...finding,
    detail: `${base} leads to this computer, and only from itself. No app elsewhere finds you.`,
    fix: 'Choose how you are reached: a Cloudflare tunnel, or your own reverse proxy.',
  };
}
