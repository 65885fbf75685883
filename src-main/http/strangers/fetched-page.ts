/** A page as it was fetched. */
export interface FetchedPage {
  /** Its final address, against which relative ones are resolved. */
  readonly url: string;
  /** All Link headers, joined by commas; null where there is none. */
  readonly linkHeader: string | null;
  readonly text: string;
}

/** An answer to the guarded fetch, as a page. */
export function pageOf(answer: {
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  text(): string;
}): FetchedPage {
  return { url: answer.url, linkHeader: answer.headers.get('link'), text: answer.text() };
}
