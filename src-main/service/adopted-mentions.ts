import type { Post } from '../contract/posts.ts';
import { FetchError } from '../platform/fetch-error.ts';
import type { PostFinder } from '../post/address.ts';
import type { AdoptedPost, AdoptedPosts, ChangedAdopted } from '../post/adopted-post.ts';
import { publishedAt } from '../post/published.ts';
import { RetryLater } from '../http/errors.ts';
import type { ChangedPost } from '../post/changed-post.ts';
import type { PageReading } from '../webmention/page-reading.ts';
import type { OpenWebmention } from '../webmention/send/postman.ts';
import type { Common } from './common.ts';

/**
 * How long Porchlight waits for the owner's site to be rebuilt after an edit of an adopted post, in ms, before it sends
 * webmentions. The rebuilt page contains nothing that would tell Porchlight that it shows the edit.
 */
const buildMs = 300_000;

/** Adopted posts have no path on this server. The sender of webmentions knows them by this path and their URL. */
const folder = '/adopted/';
const pathOf = (url: string) => folder + encodeURIComponent(url);
const urlAt = (path: string) =>
  path.startsWith(folder) ? decodeURIComponent(path.slice(folder.length)) : undefined;

/** Returns the change of an adopted post in the form in which the sender of webmentions knows changes. */
export async function asChange({ post, before }: ChangedAdopted, now: number): Promise<ChangedPost> {
  const after = await asPost(post.url, post);
  const due = new Date(Math.max(publishedAt(after), now + buildMs)).toISOString();
  return {
    ...{ post: { ...after, properties: { ...after.properties, published: [due] } } },
    ...{ before: await asPost(before.url, before), change: 'updated', url: post.url },
  };
}

/** Returns a finder that also finds adopted posts, for the sender of webmentions. */
export function withAdopted(posts: PostFinder, adopted: Pick<AdoptedPosts, 'at'>): PostFinder {
  return {
    async get(path) {
      const url = urlAt(path);
      return url === undefined ? posts.get(path) : asPost(url, await adopted.at(url));
    },
    movedTo: (path) => posts.movedTo(path),
    atHome: async (url) => (await posts.atHome(url)) ?? ((await adopted.at(url)) && pathOf(url)),
  };
}

/** Returns an adopted post as a post. Without `adopted`, only its URL is known. */
async function asPost(url: string, adopted?: AdoptedPost): Promise<Post> {
  const { markdownHtml } = await import('../post/markdown.ts');
  const at = adopted?.createdAt ?? new Date(0).toISOString();
  const { properties = {}, markdown } = adopted ?? {};
  const [content] = properties['content'] ?? [];
  const markup = markdown === undefined ? undefined : markdownHtml(markdown);
  // Relative links lead to the owner's own site, and templates in them have no known result.
  const links = markup?.replace(/ href="(?!https?:\/\/)[^"]*"/gi, '');
  return {
    ...{ path: pathOf(url), type: adopted?.type ?? ['h-entry'], commands: {}, deletedAt: null },
    properties:
      links === undefined || content === undefined
        ? properties
        : { ...properties, content: [{ html: links }] },
    ...{ status: adopted?.status ?? 'draft', visibility: adopted?.visibility ?? 'public' },
    ...{ createdAt: at, updatedAt: at },
    home: { url, file: adopted?.file ?? '', former: [], written: {}, liveAt: at },
  };
}

const limits = { maxBytes: 5_000_000, timeoutMs: 20_000 };

/**
 * Returns why the webmention of an adopted post has to wait: its page doesn't show yet that the link was added or
 * removed. Returns undefined if nothing is in the way.
 */
export async function notLiveYet(
  { path, source, target, linked }: OpenWebmention,
  { fetch, reading }: Pick<Common, 'fetch'> & { readonly reading: Pick<PageReading, 'source'> },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (urlAt(path) === undefined) return undefined;
  try {
    const { status, url, headers, body } = await fetch(source, { ...limits, signal });
    if (status >= 500) return `Your site answered with status ${status}.`;
    const page = { url, contentType: headers.get('content-type'), linkHeader: headers.get('link'), body };
    const isLinked = status < 300 && (await reading.source({ page, source, target })).kind === 'links';
    if (isLinked === linked) return undefined;
    return linked
      ? 'The page on your site doesn’t show the link yet.'
      : 'The page on your site still shows the link.';
  } catch (error) {
    if (error instanceof FetchError) return `Your site doesn’t answer: ${error.detail}`;
    if (error instanceof RetryLater) return error.message;
    throw error;
  }
}
