import { PorchlightError } from '../../contract/error.ts';
import { FetchError, type FetchedResponse, type GuardedFetch } from '../../platform/guarded-fetch.ts';
import { retryAfter } from '../../platform/fetched-response.ts';
import { nextAttempt } from '../../platform/retry-schedule.ts';
import { parsedJson } from '../receiving/source/source-page.ts';
import { isRecord, own } from '../../storage/json-value.ts';

/** A record as received from the aggregator. Its fields may have values of any type. */
export type RawRecord = Readonly<Record<string, unknown>>;
export type Format = 'jf2' | 'json';

/** Selects the mentions to request, and their sort order (PROTOCOLS 8.2). */
export interface MentionListing {
  readonly sortBy: 'created' | 'updated';
  readonly sortDir: 'up' | 'down';
  readonly sinceId?: number;
  readonly domain?: string | undefined;
}

/**
 * Returns one page of a listing in the given format. Pages are counted from 0. Returns null if the aggregator doesn't
 * offer the format.
 * @throws AggregatorError
 */
export type ReadListing = (
  format: Format,
  listing: MentionListing,
  page: number,
  perPage: number,
) => Promise<RawRecord[] | null>;

interface AggregatorOptions {
  readonly fetch: GuardedFetch;
  /** The aggregator's base URL, without `/api/mentions`. */
  readonly base: string;
  readonly token: string;
  readonly signal: AbortSignal;
  /** Waits `ms` milliseconds before the next attempt. */
  readonly pause: (ms: number) => Promise<void>;
  /** Called once the aggregator has returned its first list of mentions. If it throws, the page can't be read. */
  readonly answered: () => Promise<void>;
}

/**
 * A failed request to an aggregator. `refused`: the aggregator rejected the token. `too-much`: a request for fewer
 * records may succeed. `unreachable`: the aggregator sent no usable response. `stopped`: this server is closing. The
 * message contains neither the token nor a URL.
 */
export class AggregatorError extends PorchlightError {
  override readonly name = 'AggregatorError';
  readonly reason: 'refused' | 'too-much' | 'unreachable' | 'stopped';

  constructor(reason: AggregatorError['reason'], message: string, cause?: unknown) {
    super(reason === 'refused' ? 'aggregator_refused' : 'aggregator_failed', message, 502, { cause });
    this.reason = reason;
  }
}

const aggregatorLimits = { maxBytes: 48 * 1024 * 1024, timeoutMs: 60_000, maxRedirects: 3 };
const keys: Readonly<Record<Format, string>> = { jf2: 'children', json: 'links' };

/** Creates a client for the reading API of webmention.io or of a compatible server (PROTOCOLS 8). */
export function aggregatorReader(options: AggregatorOptions): ReadListing {
  const { fetch, base, token, signal, pause, answered } = options;
  let hasAnswered = false;

  function addressOf(format: Format, listing: MentionListing, page: number, perPage: number): string {
    const url = new URL(`api/mentions.${format}`, base.endsWith('/') ? base : `${base}/`);
    const { sortBy, sortDir, sinceId, domain } = listing;
    const asked = {
      token,
      ...(domain !== undefined && { domain }),
      'per-page': String(perPage),
      page: String(page),
      'sort-by': sortBy,
      'sort-dir': sortDir,
      ...(sinceId !== undefined && { since_id: String(sinceId) }),
    };
    url.search = new URLSearchParams(asked).toString();
    return url.href;
  }

  /** Requests a URL. Retries after a pause if the network fails, or if the aggregator is busy or reports an error. */
  async function asked(address: string): Promise<FetchedResponse> {
    for (let failures = 1; ; failures += 1) {
      const answer = await once(address);
      const isFailed = answer instanceof AggregatorError;
      if (!isFailed && answer.status < 500 && answer.status !== 429) return answer;
      const now = Date.now();
      const asked = isFailed ? undefined : retryAfter(answer, now);
      const next = nextAttempt('aggregator', { failures, now, asked });
      if (isFailed && (next === undefined || answer.reason !== 'unreachable')) throw answer;
      if (!isFailed && next === undefined) throw unexpected(answer.status);
      await pause((next ?? now) - now);
      if (signal.aborted) throw stopped();
    }
  }

  async function once(address: string): Promise<FetchedResponse | AggregatorError> {
    try {
      // If Accept includes HTML, webmention.io returns an HTML page (WI-5).
      return await fetch(address, { ...aggregatorLimits, accept: 'application/json', signal });
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      if (signal.aborted) return stopped();
      const tooMuch = error.code === 'fetch_too_large' || error.code === 'fetch_timeout';
      return new AggregatorError(tooMuch ? 'too-much' : 'unreachable', error.detail, error);
    }
  }

  return async (...page) => {
    const answer = await asked(addressOf(...page));
    if (answer.status === 401 || answer.status === 403)
      throw new AggregatorError('refused', 'The aggregator does not accept this token.');
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw unexpected(answer.status);
    const value = parsedJson(new TextDecoder().decode(answer.body));
    const records = isRecord(value) ? own(value, keys[page[0]]) : undefined;
    if (!Array.isArray(records))
      throw new AggregatorError('unreachable', 'The aggregator did not answer with a list of mentions.');
    const isFirst = !hasAnswered;
    hasAnswered = true;
    if (isFirst) await answered();
    return records.filter(isRecord);
  };
}

const stopped = () =>
  new AggregatorError('stopped', 'The import was stopped. The next import continues from there.');

function unexpected(status: number): AggregatorError {
  return new AggregatorError(
    'unreachable',
    `The aggregator answered with status ${status} instead of mentions.`,
  );
}
