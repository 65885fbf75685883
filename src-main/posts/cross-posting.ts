import { isSendableTarget, type Post } from '../contract/posts.ts';
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
 * Returns whether a URL belongs to Bridgy Publish. Bridgy looks for a plain link to this URL in the post's page, and
 * would treat a link with a microformats class as one of the post's tags.
 */
export function isBridgy(url: string): boolean {
  return /^(?:www\.)?brid\.gy$/.test(new URL(url).hostname);
}
