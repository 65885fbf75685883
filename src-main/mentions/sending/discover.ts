import { relsInHeader } from '../../untrusted/pages/link-header.ts';
import { FetchError, type FetchedResponse, type GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { PageReading } from '../receiving/page-reading.ts';
import { isSuccess } from './answers.ts';

const limits = {
  accept: 'text/html, application/xhtml+xml;q=0.9, */*;q=0.5',
  maxRedirects: 10,
  maxBytes: 1024 * 1024,
  timeoutMs: 10_000,
};

const longestAddress = 4096;

export interface Discovery {
  /** The page's response; only its headers if the page is too large. */
  readonly answer: FetchedResponse;
  /** The endpoint's absolute URL; undefined if the page doesn't accept webmentions. */
  readonly endpoint: string | undefined;
}

/**
 * Discovers a page's webmention endpoint (Webmention 3.1.2) from its Link header, or else from its first matching
 * `link` or `a`. Caches nothing, because each update must discover the endpoint again (3.1.4).
 * @throws FetchError, and the errors of PageReading
 */
export async function discover(
  { fetch, reading }: { readonly fetch: GuardedFetch; readonly reading: Pick<PageReading, 'endpoint'> },
  target: string,
  signal: AbortSignal,
): Promise<Discovery> {
  try {
    const answer = await fetch(target, { ...limits, signal });
    const endpoint = await endpointOf(answer, reading);
    return { answer, endpoint: (endpoint?.length ?? 0) > longestAddress ? undefined : endpoint };
  } catch (error) {
    if (!(error instanceof FetchError) || error.code !== 'fetch_too_large') throw error;
    // A video or a very long page may still state the endpoint in its headers, so request only the headers.
    const answer = await fetch(target, { ...limits, method: 'HEAD', signal });
    const endpoint = endpointInHeader(answer);
    if (endpoint === undefined) throw error;
    return { answer, endpoint };
  }
}

async function endpointOf(
  answer: FetchedResponse,
  reading: Pick<PageReading, 'endpoint'>,
): Promise<string | undefined> {
  const inHeader = endpointInHeader(answer);
  if (inHeader !== undefined) return inHeader;
  // The page of an error may belong to the server, not to the target.
  if (!isSuccess(answer.status)) return undefined;
  const contentType = answer.headers.get('content-type');
  if (contentType !== null && !/^\s*(text\/html|application\/xhtml\+xml)\b/i.test(contentType))
    return undefined;
  return reading.endpoint({ url: answer.url, contentType, body: answer.body });
}

function endpointInHeader({ url, headers }: FetchedResponse): string | undefined {
  return relsInHeader(headers.get('link'), url)['webmention']?.[0];
}
