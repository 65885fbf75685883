/** A service that cross-posts public posts when it receives a webmention. */
export interface CrossPostingService {
  /** The ID of the target, which is also the URL that receives the webmention. */
  readonly uid: string;
  /** The name of the target. Apps show it. */
  readonly name: string;
  /** The hosts of the copies that the service makes; absent if a copy can be on any host. */
  readonly copyHosts?: readonly string[];
}

/** The services that the settings offer by name. */
export const crossPostingServices: readonly CrossPostingService[] = [
  { uid: 'https://brid.gy/publish/mastodon', name: 'Mastodon (Bridgy)' },
  { uid: 'https://brid.gy/publish/bluesky', name: 'Bluesky (Bridgy)', copyHosts: ['bsky.app'] },
  { uid: 'https://brid.gy/publish/github', name: 'GitHub (Bridgy)', copyHosts: ['github.com'] },
  { uid: 'https://news.indieweb.org/en', name: 'IndieNews', copyHosts: ['news.indieweb.org'] },
];

/**
 * Returns whether a cross-posting target is a web address, so that Porchlight can send posts there. All other targets
 * are only offered to apps.
 */
export function isSendableTarget(uid: string): boolean {
  if (!/^https?:\/\//i.test(uid.trim()) || !URL.canParse(uid.trim())) return false;
  const { username, password } = new URL(uid.trim());
  return username === '' && password === '';
}
