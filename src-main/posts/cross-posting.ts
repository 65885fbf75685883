import { bridgyFed, crossPostingServices, isSendableTarget, type Post } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import { isOpen } from './visibility.ts';

/** The parts of a post that decide where the post is cross-posted. */
export type CrossPosted = Pick<Post, 'commands' | 'status' | 'visibility' | 'deletedAt'>;

/**
 * Returns the URLs of the services that cross-post a post: the values of its mp-syndicate-to that are web addresses. The
 * post's page must link to each of them, and each of them gets a webmention. `offered`: the uids of the owner's targets.
 * Other values are ignored, because an app must not be able to add hidden links to the owner's pages. Returns nothing
 * for a post that isn't public.
 */
export function crossPostTargets(post: CrossPosted, offered: readonly string[]): string[] {
  if (!isOpen(post) || post.visibility !== 'public') return [];
  const chosen = new Set(post.commands['syndicate-to'] ?? []);
  return targetAddresses(offered.filter((uid) => chosen.has(uid)));
}

/** Returns the URLs among the uids of cross-posting targets, in ASCII and each once. */
export function targetAddresses(uids: readonly string[]): string[] {
  return [...new Set(uids.filter(isSendableTarget).map((uid) => new URL(uid.trim()).href))];
}

/**
 * Returns whether the service at a URL is known to update its copy of a post after an edit. Others would make
 * a second copy, or refuse.
 */
export function updatesCopies(url: string): boolean {
  const { origin } = new URL(url);
  return crossPostingServices.some(({ uid, updates }) => updates === true && new URL(uid).origin === origin);
}

/**
 * Returns the invisible link to a service that cross-posts a post. The service looks for this link when it reads the
 * post's page. Bridgy looks for a plain link, and would treat one with a microformats class as one of the post's tags;
 * Bridgy Fed has a class of its own. IndieNews reads the link as a category: if it were a syndication link, the link to
 * the copy would hide it.
 */
export function serviceLink(url: string): Html {
  if (url === bridgyFed.uid) return html`<a class="u-bridgy-fed" href="${url}" hidden></a>`;
  return /^(?:www\.)?brid\.gy$/.test(new URL(url).hostname)
    ? html`<a href="${url}" hidden></a>`
    : html`<a class="u-category" href="${url}" hidden></a>`;
}
