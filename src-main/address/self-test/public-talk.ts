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

export type Talk = ReturnType<typeof openTalk>;

/** The time limit of one request, in ms. */
const questionMs = 6000;

/**
 * Creates the client that sends the self-test's requests to this server's public address. `signal` cancels the
 * requests.
 */
export function openTalk(options: {
  base: string;
  challenge: Challenge;
  fetch: GuardedFetch;
  now: () => number;
  signal: AbortSignal;
}) {
  const { base, challenge, fetch, now, signal } = options;
  const clocks: ClockReading[] = [];

  /**
   * Requests a path at the public address. Does not follow redirects.
   * @throws FetchError
   */
  async function get(path: string, more: FetchOptions = {}): Promise<FetchedResponse> {
    return fetch(`${base}${path}`, { maxRedirects: 0, timeoutMs: questionMs, signal, ...more });
  }

  return {
    base,
    nonce: challenge.nonce,
    /** The clock readings from the responses so far. */
    clocks,
    get,
    /**
     * Sends a request, and returns the response. `sight`: how the request looked when it arrived at this server; null
     * unless the response proves that it comes from this server.
     * @throws FetchError
     */
    async ask(more: FetchOptions = {}): Promise<{ answer: FetchedResponse; sight: Sight | null }> {
      const answer = await get(`${checkPath}?nonce=${challenge.nonce}`, more);
      const sight = answer.status === 200 ? challenge.sightIn(answer.text()) : null;
      const clock = sight && clockIn(answer.headers, now());
      if (clock) clocks.push(clock);
      return { answer, sight };
    },
  };
}

/** A check of the public address. Its finding has the heading `title` if it passes, and `problem` if it fails. */
export interface PublicStep {
  readonly id: string;
  readonly title: string;
  readonly problem: string;
  /** Runs the check. May throw a FetchError, which `runStep` turns into a finding. */
  readonly look: (talk: Talk) => Promise<StepOutcome>;
}

export type StepOutcome = Pick<Finding, 'level' | 'detail' | 'fix'>;

/** Runs a check and returns its finding. A fetch error becomes a finding too. */
export async function runStep({ id, title, problem, look }: PublicStep, talk: Talk): Promise<Finding> {
  const outcome = await look(talk).catch((error: unknown): StepOutcome => {
    if (!(error instanceof FetchError)) throw error;
    return { level: 'fail', ...fetchTrouble(talk.base, error) };
  });
  return { id, area: 'address', title: outcome.level === 'pass' ? title : problem, ...outcome };
}

export function pass(detail: string): StepOutcome {
  return { level: 'pass', detail };
}

export function fail(detail: string, fix: string): StepOutcome {
  return { level: 'fail', detail, fix };
}

/** Returns the outcome of a check when another server has responded at the public address. */
export function interrupted({ base }: Talk, answer: FetchedResponse): StepOutcome {
  return { level: 'fail', ...strangerAt(base, answer) };
}
