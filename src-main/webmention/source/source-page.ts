/** A source as it was fetched, with what it is asked about. Plain data: it crosses into the reading thread. */
export interface SourcePage {
  /** Its final address, after redirects. */
  readonly url: string;
  readonly contentType: string | null;
  /** All Link headers, joined by commas. */
  readonly linkHeader: string | null;
  readonly body: Uint8Array;
}

export type PageKind = 'html' | 'json' | 'text' | 'other';

/** How a page is read, by its type; one without a type is HTML where it looks so. */
export function kindOf({ contentType, body }: Pick<SourcePage, 'contentType' | 'body'>): PageKind {
  const type = mediaType(contentType);
  if (type === '')
    return /^\s*</.test(Buffer.from(body.subarray(0, 256)).toString('latin1')) ? 'html' : 'text';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  return type === 'text/plain' ? 'text' : 'other';
}

/** `text/html` of `Text/HTML; charset=...`. */
export function mediaType(contentType: string | null): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
