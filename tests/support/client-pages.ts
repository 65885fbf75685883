import { RetryLater } from '../../src-main/http/errors.ts';
import { ClientDirectory } from '../../src-main/sign-in/client-directory.ts';
import { clientFromHtml } from '../../src-main/sign-in/read-pages.ts';
import { fetchedResponse } from '../../src-main/platform/fetched-response.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import type { FetchedResponse, FetchOptions, GuardedFetch } from '../../src-main/platform/guarded-fetch.ts';

/** What a page of an https site answers. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** Where the answer came from after redirects; the address asked for by default. */
  readonly url?: string;
}

/** An internet of https pages, without a network: for what depends on the scheme. An unknown page is 404. */
export interface Pages {
  readonly fetch: GuardedFetch;
  readonly answers: Map<string, Answer | (() => Promise<Answer>)>;
  readonly requests: { readonly url: string; readonly options: FetchOptions }[];
}

export function openPages(): Pages {
  const answers: Pages['answers'] = new Map();
  const requests: Pages['requests'] = [];

  async function fetch(url: string, options: FetchOptions = {}): Promise<FetchedResponse> {
    requests.push({ url, options });
    const known = answers.get(url) ?? { status: 404 };
    const answer = typeof known === 'function' ? await known() : known;
    const { status = 200, headers = {}, body = '' } = answer;
    return fetchedResponse({
      status,
      url: answer.url ?? url,
      hops: answer.url === undefined ? 1 : 2,
      headers: { get: (name) => headers[name.toLowerCase()] ?? null },
      body: typeof body === 'string' ? Buffer.from(body) : body,
    });
  }
  return { fetch, answers, requests };
}

/** A JSON document as a page. */
export function documentOf(value: unknown, headers: Record<string, string> = {}): Answer {
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export interface Directory extends ClientDirectory {
  /** Milliseconds by which its clock goes on. */
  pass(milliseconds: number): void;
}

/**
 * A directory with a clock that only moves when told, and pictures that are as small as they are. `spent`: a visitor
 * who is over the budget for reading; `slow`: how the client_ids begin whose pages are never read to the end.
 */
export function openDirectory(
  fetch: GuardedFetch,
  { allowPrivate = false, spent, slow }: { allowPrivate?: boolean; spent?: string; slow?: string } = {},
): Directory {
  let now = 1_800_000_000_000;
  const directory = new ClientDirectory({
    fetch,
    readClient: ({ clientId, page }, { visitor }) =>
      spent !== undefined && visitor === spent
        ? Promise.reject(new RetryLater('Try again later.', 10_000))
        : slow !== undefined && clientId.startsWith(slow)
          ? new Promise<never>(() => undefined)
          : Promise.resolve(clientFromHtml(clientId, page)),
    shrink: (bytes) => Promise.resolve(`data:image/png;base64,${Buffer.from(bytes).toString('base64')}`),
    clock: () => now,
    log: silentLog,
    allowPrivate,
  });
  return Object.assign(directory, { pass: (milliseconds: number) => void (now += milliseconds) });
}
