import { markupOf, policyOf, type Page } from './page.ts';

/** A response that is the same for everybody. It depends only on the request's URL and `Accept-Encoding` header. */
export interface PublicAnswer {
  /** The HTTP status; 200 if absent. */
  readonly status?: number;
  readonly type: string;
  /** Additional headers. If `cache-control` is missing, its value is `no-cache`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Returns a page as a response. `changedAt`: the time of the page's last change (ISO 8601); undefined if unknown. */
export function pageAnswer(
  page: Page,
  { status = 200, changedAt = '' }: { status?: number; changedAt?: string } = {},
): PublicAnswer & { readonly headers: Readonly<Record<string, string>> } {
  const changed = Date.parse(changedAt);
  return {
    status,
    type: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': policyOf(page),
      ...(!Number.isNaN(changed) && { 'last-modified': new Date(changed).toUTCString() }),
    },
    text: markupOf(page),
  };
}

/** Returns a response that redirects to `location`. */
export function redirectAnswer(location: string, status: 301 | 302): PublicAnswer {
  return { status, type: 'text/plain; charset=utf-8', headers: { location }, text: '' };
}
