import type { Finding } from '../../contract/setup.ts';
import { checkPath, type Challenge, type Sight } from '../../http/public-check.ts';
import {
  FetchError,
  type FetchOptions,
  type FetchedResponse,
  type GuardedFetch,
} from '../../platform/guarded-fetch.ts';
import { clockIn, type ClockReading } from './clock-finding.ts';
import { fetchTrouble } from './fetch-trouble.ts';
import { strangerAt } from './stranger-answer.ts';

/** A talk with this server through its public address. */
export interface Talk {
  readonly base: string;
  readonly nonce: string;
  /** What the clocks on the way said so far. */
  readonly clocks: readonly ClockReading[];
  /** Requests a path of the public address; redirects are not followed. @throws FetchError */
  get(path: string, options?: FetchOptions): Promise<FetchedResponse>;
  /** Asks what comes in here of a request. `sight` is null where somebody else answers. @throws FetchError */
  ask(options?: FetchOptions): Promise<{ answer: FetchedResponse; sight: Sight | null }>;
}

/** The bounds of one question, in milliseconds. */
const questionMs = 6000;

/** Opens a talk. `signal` ends it. */
export function openTalk(options: {
  base: string;
  challenge: Challenge;
  fetch: GuardedFetch;
  now: () => number;
  signal: AbortSignal;
}): Talk {
  const { base, challenge, fetch, now, signal } = options;
  const clocks: ClockReading[] = [];

  async function get(path: string, more: FetchOptions = {}): Promise<FetchedResponse> {
    return fetch(`${base}${path}`, { maxRedirects: 0, timeoutMs: questionMs, signal, ...more });
  }

  return {
    base,
    nonce: challenge.nonce,
    clocks,
    get,
    async ask(more = {}) {
      const answer = await get(`${checkPath}?nonce=${challenge.nonce}`, more);
      const sight = answer.status === 200 ? challenge.sightIn(answer.text()) : null;
      const clock = sight && clockIn(answer.headers, now());
      if (clock) clocks.push(clock);
      return { answer, sight };
    },
  };
}

/** One thing that is tested. `title` names it where it is right, `problem` where it is not. */
export interface Step {
  readonly id: string;
  readonly title: string;
  readonly problem: string;
  /** Returns what it found; `runStep` reports fetches that fail. @throws FetchError */
  readonly look: (talk: Talk) => Promise<Outcome>;
}

export type Outcome = Pick<Finding, 'level' | 'detail' | 'fix'>;

/** Runs a step; whatever the network does becomes a finding. */
export async function runStep({ id, title, problem, look }: Step, talk: Talk): Promise<Finding> {
  const outcome = await look(talk).catch((error: unknown): Outcome => {
    if (!(error instanceof FetchError)) throw error;
    return { level: 'fail', ...fetchTrouble(talk.base, error) };
  });
  return { id, area: 'address', title: outcome.level === 'pass' ? title : problem, ...outcome };
}

export function pass(detail: string): Outcome {
  return { level: 'pass', detail };
}

/** Someone else answers a question that this server answered before. */
export function interrupted({ base }: Talk, answer: FetchedResponse): Outcome {
  return { level: 'fail', ...strangerAt(base, answer) };
}
