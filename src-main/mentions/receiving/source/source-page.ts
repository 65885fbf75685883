/** A source after it was fetched. It is plain data, because it is passed to the reading thread. */
export interface SourcePage {
  /** The final URL, after redirects. */
  readonly url: string;
  readonly contentType: string | null;
  /** All Link headers, joined by commas. */
  readonly linkHeader: string | null;
  readonly body: Uint8Array;
}

export type PageKind = 'html' | 'json' | 'text' | 'other';

/**
 * Returns the kind of a page, based on its media type. A page without a media type is HTML if it looks like HTML,
 * otherwise text.
 */
export function pageKindOf({ contentType, body }: Pick<SourcePage, 'contentType' | 'body'>): PageKind {
  const type = mediaType(contentType);
  if (type === '')
    return /^\s*</.test(Buffer.from(body.subarray(0, 256)).toString('latin1')) ? 'html' : 'text';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  return type === 'text/plain' ? 'text' : 'other';
}

/** Returns the media type without parameters: `text/html` for `Text/HTML; charset=...`. */
export function mediaType(contentType: string | null): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
