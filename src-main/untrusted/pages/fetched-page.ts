/** A page as received from a server. */
export interface FetchedPage {
  /** The page's URL after redirects. Relative URLs are resolved against it. */
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
