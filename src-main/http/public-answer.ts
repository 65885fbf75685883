import { markupOf, policyOf, type Page } from './page.ts';

/** An answer that is the same for everybody: in the request, only the address and `Accept-Encoding` matter. */
export interface PublicAnswer {
  /** 200 if absent. */
  readonly status?: number;
  readonly type: string;
  /** Additional headers. `cache-control` is `no-cache` unless it is among them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Returns a page as an answer. `changedAt`: when it last changed, if that is known (ISO 8601). */
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

/** Returns an answer that leads elsewhere. */
export function redirectAnswer(location: string, status: 301 | 302): PublicAnswer {
  return { status, type: 'text/plain; charset=utf-8', headers: { location }, text: '' };
}
