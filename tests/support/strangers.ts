import { mostCopyBytes } from '../../src-main/platform/mailbox-protocol.ts';

/** What a stranger sees at an address. */
export interface Seen {
  readonly status: number;
  readonly body: Buffer;
}

const fixed = [
  '/',
  '/archive',
  '/categories',
  '/feed.atom',
  '/feed.rss',
  '/feed.json',
  '/sitemap.xml',
  '/robots.txt',
  '/favicon.ico',
  '/apple-touch-icon.png',
  '/.well-known/oauth-authorization-server',
];
const neverCopied =
  /^\/(search|auth|token|media$|micropub|webmention$|webmention\?|websub|introspect|revoke|userinfo|api|\.well-known)/;

const isPart = (url: URL, at: string) =>
  url.pathname === at.split('?')[0] && /^\?(after|responses)=/.test(url.search);

/** Asks a server for an address. */
export async function seenAt(base: string, address: string): Promise<Seen> {
  const answer = await fetch(base + address, { redirect: 'manual' });
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
}

/**
 * Returns what strangers find on a site and may be copied, by address: what its pages link to, read in another way than
 * the program does. `more`: where they look as well.
 */
export async function strangersFind(base: string, more: readonly string[]): Promise<Map<string, Seen>> {
  const found = new Map<string, Seen>();
  const next = [...fixed, ...more];
  for (let address = next.pop(); address !== undefined; address = next.pop()) {
    if (found.has(address)) continue;
    const answer = await seenAt(base, address);
    if ((answer.status !== 200 && answer.status !== 301) || answer.body.length > mostCopyBytes) continue;
    found.set(address, answer);
    const text = answer.body.toString();
    if (!text.startsWith('<!doctype html>')) continue;
    const named = [...text.matchAll(/(?:\s(?:href|src)|<meta property="og:image" content)="([^"]+)"/g)];
    const offered = [...text.matchAll(/\ssrcset="([^"]+)"/g)].flatMap(([, list = '']) => [
      ...list.matchAll(/(\S+) \d+w/g),
    ]);
    for (const [, value = ''] of [...named, ...offered]) {
      const url = new URL(value.replaceAll('&amp;', '&'), base + address);
      if (url.origin !== base || neverCopied.test(url.pathname)) continue;
      if (url.search === '' || url.search.startsWith('?v=') || isPart(url, address))
        next.push(url.pathname + url.search);
    }
  }
  return found;
}
