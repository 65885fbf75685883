/** A page as a server sent it. */
export interface FetchedPage {
  /** The URL after redirects, against which relative URLs are resolved. */
  readonly url: string;
  /** All Link headers, joined by commas; null if there are none. */
  readonly linkHeader: string | null;
  readonly text: string;
}

/** Converts a response of the guarded fetch to a page. */
export function fetchedPage(answer: {
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  text(): string;
}): FetchedPage {
  return { url: answer.url, linkHeader: answer.headers.get('link'), text: answer.text() };
}
