import type { Post } from '../contract/posts.ts';
import { FetchError } from '../platform/fetched-response.ts';
import type { PostFinder } from '../posts/address.ts';
import type { AdoptedPost, AdoptedPosts, ChangedAdopted, ChangedPost } from '../posts/post-store.ts';
import { publishedAt } from '../posts/visibility.ts';
import { RetryLater } from '../http/errors.ts';
import { overLimit } from '../untrusted/kinds.ts';
import type { RenderMarkdown } from '../posts/post-reading.ts';
import type { PageReading } from '../mentions/receiving/read-source.ts';
import type { OpenWebmention } from '../mentions/sending/sending.ts';
import type { Common } from '../http/common.ts';

/**
 * How long Porchlight waits after an edit of an adopted post before it sends webmentions, in ms. The wait gives the
 * owner's site time to rebuild, because the page of an adopted post doesn't say which version of the post it shows.
 * (Adopted posts were in the folder of the owner's site before Porchlight began to publish there.)
 */
const buildMs = 300_000;

/**
 * The prefix of the paths by which the webmention sender identifies adopted posts. The post's URL follows the prefix.
 * Adopted posts are only on the owner's own site, so they have no path on this server.
 */
const folder = '/adopted/';
const pathOf = (url: string) => folder + encodeURIComponent(url);
const urlAt = (path: string) =>
  path.startsWith(folder) ? decodeURIComponent(path.slice(folder.length)) : undefined;

/** Converts a change to an adopted post into the form that the webmention sender expects. */
export async function asChange(
  { post, before }: ChangedAdopted,
  now: number,
  markdown: RenderMarkdown,
): Promise<ChangedPost> {
  const after = await asPost(post.url, post, markdown);
  const due = new Date(Math.max(publishedAt(after), now + buildMs)).toISOString();
  return {
    post: { ...after, properties: { ...after.properties, published: [due] } },
    before: await asPost(before.url, before, markdown),
    change: 'updated',
    url: post.url,
  };
}

/** Returns a PostFinder for the webmention sender. It finds the posts of `posts` and all adopted posts. */
export function withAdopted(
  posts: PostFinder,
  adopted: Pick<AdoptedPosts, 'at'>,
  markdown: RenderMarkdown,
): PostFinder {
  return {
    async get(path) {
      const url = urlAt(path);
      return url === undefined ? posts.get(path) : asPost(url, await adopted.at(url), markdown);
    },
    movedTo: (path) => posts.movedTo(path),
    atHome: async (url) => (await posts.atHome(url)) ?? ((await adopted.at(url)) && pathOf(url)),
  };
}

/**
 * Converts an adopted post into a Post. If `adopted` is absent, the Post contains only the URL and default values. A post
 * whose Markdown takes too long to convert has no links.
 */
async function asPost(
  url: string,
  adopted: AdoptedPost | undefined,
  markdown: RenderMarkdown,
): Promise<Post> {
  const at = adopted?.createdAt ?? new Date(0).toISOString();
  const { properties = {}, markdown: text, file = '' } = adopted ?? {};
  const [content] = properties['content'] ?? [];
  const markup = text === undefined ? undefined : await htmlOrNothing(text, file, markdown);
  // Remove links that aren't absolute. They lead to the owner's own site, or contain templates (such as Liquid tags)
  // whose output Porchlight doesn't know.
  const links = markup?.replace(/ href="(?!https?:\/\/)[^"]*"/gi, '');
  return {
    path: pathOf(url),
    type: adopted?.type ?? ['h-entry'],
    commands: {},
    deletedAt: null,
    properties:
      links === undefined || content === undefined
        ? properties
        : { ...properties, content: [{ html: links }] },
    status: adopted?.status ?? 'draft',
    visibility: adopted?.visibility ?? 'public',
    createdAt: at,
    updatedAt: at,
    home: { url, file, former: [], written: {}, liveAt: at },
  };
}

async function htmlOrNothing(text: string, file: string, markdown: RenderMarkdown): Promise<string> {
  try {
    return await markdown(text, file);
  } catch (error) {
    if (overLimit(error) === undefined) throw error;
    return '';
  }
}

const pageLimits = { maxBytes: 5_000_000, timeoutMs: 20_000 };

/**
 * Returns the reason why a webmention of an adopted post has to wait, for example because the post's page doesn't show
 * the added link yet or still shows the removed link. Returns undefined if the webmention can be sent.
 */
export async function notLiveYet(
  { path, source, target, linked }: OpenWebmention,
  { fetch, reading }: Pick<Common, 'fetch'> & { readonly reading: Pick<PageReading, 'source'> },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (urlAt(path) === undefined) return undefined;
  try {
    const { status, url, headers, body } = await fetch(source, { ...pageLimits, signal });
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
