import { say } from '../../support/cross-posting-services.ts';
import { openReceivers, type Receivers } from '../../support/webmention-receivers.ts';
import type { KnownPost } from './census.ts';
import type { Scene } from './scene.ts';

const service = '/copies';

/** Opens the site of the pages that posts link to. It also has a service that makes a copy of each post. */
export async function openWorldAround(): Promise<Receivers> {
  const receivers = await openReceivers();
  receivers.add(service, (response) => {
    const source = receivers.received.at(-1)?.source ?? '';
    const url = copyOf(source.split('/').at(-1) ?? '');
    say(response, 201, { url }, url);
  });
  return receivers;
}

/** Returns the address of the service that makes copies. */
export const serviceOf = ({ origin }: Receivers): string => origin + service;

/** Returns the URL of the copy of a post, always the same. The slug of such a post is its name. */
const copyOf = (name: string): string => `https://copies.example/${name}`;

/** Returns whether the service gets the post with this name. Such a post stays public. */
export const isCopied = (name: string): boolean => name.startsWith('c');

/** Returns whether the post with this name links to a page, in each version to another one. */
const hasLink = (name: string): boolean => isCopied(name) || /[02468]$/.test(name);

/** Returns the page that a version of a post links to, such as `p12-4/v3`; undefined if it links to none. */
const pageOf = (name: string, text: string): string | undefined =>
  hasLink(name) ? text.replace(' ', '/') : undefined;

/** Returns the link in the text of a post, with a space before it, and makes its page. Empty if the post has none. */
export function linkIn({ receivers }: Scene, name: string, text: string): string {
  const page = pageOf(name, text);
  return page === undefined ? '' : ` ${receivers.add(`/${page}`)}`;
}

/** Returns what the ledger has of a post that is public: which pages are notified, and which copy the post gets. */
export function sentFor(name: string, { text, status, isDeleted }: KnownPost): (readonly [string, string])[] {
  const page = pageOf(name, text);
  if (status === 'draft' || isDeleted) return [];
  return [
    ...(page === undefined ? [] : [[`send ${page}`, 'sent'] as const]),
    ...(isCopied(name) ? [[`copy ${name}`, copyOf(name)] as const] : []),
  ];
}

/** Returns the source of the last webmention for each page, such as `p12-4/v3`. */
export function sourcesByPage({ received, origin }: Receivers): Map<string, string> {
  const pages = received.filter(({ target }) => target !== origin + service);
  return new Map(pages.map(({ target, source }) => [target?.slice(origin.length + 1) ?? '', source ?? '']));
}
