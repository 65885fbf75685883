import { readPage } from '../../http/strangers/web-page.ts';
import { FetchError, type FetchedResponse, type GuardedFetch } from '../../platform/guarded-fetch.ts';
import { pageText } from '../source/page-text.ts';
import { endpointInHtml } from './endpoint-in-html.ts';

const limits = {
  accept: 'text/html, application/xhtml+xml;q=0.9, */*;q=0.5',
  maxRedirects: 10,
  maxBytes: 1024 * 1024,
  timeoutMs: 10_000,
};

const longestAddress = 4096;

export interface Discovery {
  /** What the page answered, whole or (where it is too large) its headers only. */
  readonly answer: FetchedResponse;
  /** Absolute; undefined where the page takes no webmentions. */
  readonly endpoint: string | undefined;
}

/**
 * Asks a page where it takes webmentions (Webmention 3.1.2): by its Link header, else by its first `link` or `a`.
 * Nothing is remembered, for an update must ask anew (3.1.4). @throws FetchError
 */
export async function discover(fetch: GuardedFetch, target: string, signal: AbortSignal): Promise<Discovery> {
  try {
    const answer = await fetch(target, { ...limits, signal });
    const endpoint = endpointOf(answer);
    return { answer, endpoint: (endpoint?.length ?? 0) > longestAddress ? undefined : endpoint };
  } catch (error) {
    if (!(error instanceof FetchError) || error.code !== 'fetch_too_large') throw error;
    // A film or a very long page may still say it in its headers.
    const answer = await fetch(target, { ...limits, method: 'HEAD', signal });
    const endpoint = endpointInHeader(answer);
    if (endpoint === undefined) throw error;
    return { answer, endpoint };
  }
}

function endpointOf(answer: FetchedResponse): string | undefined {
  const inHeader = endpointInHeader(answer);
  if (inHeader !== undefined) return inHeader;
  const type = answer.headers.get('content-type');
  if (type !== null && !/^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type)) return undefined;
  return endpointInHtml(pageText(answer.body, type), answer.url);
}

function endpointInHeader({ url, headers }: FetchedResponse): string | undefined {
  return readPage({ url, linkHeader: headers.get('link'), text: '' }).rels['webmention']?.[0];
}
