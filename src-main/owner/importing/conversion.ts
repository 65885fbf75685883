import type { ImportSample } from '../../contract/post-import.ts';
import { contentFromBag } from '../../micropub/post-content.ts';
import type { PostContent } from '../../micropub/post-store.ts';
import { postText } from '../../post/content-text.ts';
import { postKindOf } from '../../post/kind.ts';
import { markdownHtml } from '../../post/markdown.ts';
import { propertyText } from '../../post/values.ts';
import { shortenedLine } from '../posts.ts';
import { withMarksReplaced, type FoundMedia, type FoundPost } from './found-post.ts';

/** The limits are the same as in the editor (contract/writing.ts), so the owner can edit imported posts. */
const longest = { text: 200_000, line: 1000, list: 100, url: 4096, media: 100 };

/** Returns the reason why a post can't be imported; undefined if it can be imported. */
export function importRefusal(post: FoundPost): string | undefined {
  if (post.text.length > longest.text) return 'Its text is too long.';
  if (post.media.length > longest.media) return 'It has too many pictures and other files.';
  const isEmpty =
    post.text.trim() === '' &&
    (post.name ?? '') === '' &&
    post.media.length === 0 &&
    Object.keys(post.responses).length === 0;
  return isEmpty ? 'It is empty.' : undefined;
}

/**
 * Converts a post from an archive to the form that the post store uses. `urlOf`: returns the URL of one of the post's
 * files; undefined if that file could not be imported.
 */
export function contentOfFound(
  found: FoundPost,
  urlOf: (media: FoundMedia) => string | undefined,
): PostContent {
  const text = withMarksReplaced(found.text, (index) => {
    const media = found.media[index];
    return media?.property === 'text' ? (urlOf(media) ?? media.otherwise ?? '') : undefined;
  }).trim();
  const bag = new Map<string, readonly unknown[]>();
  const put = (name: string, values: readonly unknown[]) => {
    if (values.length > 0) bag.set(name, values.slice(0, longest.list));
  };
  const lines = (values: readonly (string | undefined)[]) =>
    values.map((value) => (value ?? '').trim().slice(0, longest.line)).filter((value) => value !== '');
  const urls = (values: readonly string[]) => [...new Set(values)].filter((url) => url.length <= longest.url);

  put('content', text === '' ? [] : [contentIn(text, found.format)]);
  put('name', lines([found.name]));
  put('summary', lines([found.summary]));
  put('category', [...new Set(lines(found.categories).map((name) => name.slice(0, 200)))]);
  put('published', found.published === undefined ? [] : [found.published]);
  put('syndication', urls(found.syndication));
  for (const [name, values] of Object.entries(found.responses)) put(name, urls(values));
  for (const property of ['photo', 'video', 'audio', 'featured'] as const)
    put(
      property,
      found.media
        .filter((media) => media.property === property)
        .flatMap((media) => shownMedia(media, urlOf(media))),
    );
  if (found.visibility !== 'public') put('visibility', [found.visibility]);
  if (found.status === 'draft') put('post-status', ['draft']);
  const { content } = contentFromBag(['h-entry'], bag);
  return found.format === 'markdown' && text !== '' ? { ...content, markdown: text } : content;
}

const shownProperties = [
  ...['content', 'name', 'summary', 'photo', 'video', 'audio'],
  ...['in-reply-to', 'like-of', 'repost-of', 'bookmark-of'],
];

/** Returns whether a post has no content that a page could show. */
export const isBare = ({ properties }: PostContent) =>
  !shownProperties.some((name) => (properties[name] ?? []).length > 0);

function contentIn(text: string, format: FoundPost['format']): unknown {
  if (format === 'plain') return text;
  return { html: format === 'markdown' ? markdownHtml(text) : text };
}

function shownMedia({ alt }: FoundMedia, url: string | undefined): unknown[] {
  if (url === undefined || url.length > longest.url) return [];
  const words = alt.trim().slice(0, longest.line);
  return [words === '' ? url : { value: url, alt: words }];
}

/** Returns a post's preview, which the owner sees before the import. */
export function sampleOf(found: FoundPost): ImportSample {
  const { type, properties, commands } = contentOfFound(found, ({ source }) =>
    typeof source === 'string' ? source : 'https://archive.invalid/file',
  );
  const kind = postKindOf({ type, properties: { ...properties, ...commands } });
  return {
    kind,
    name: shortenedLine(propertyText(properties, 'name') ?? ''),
    text: shortenedLine(postText(properties)),
    published: found.published ?? null,
    categories: found.categories.slice(0, 20).map((name) => name.slice(0, 200)),
    files: found.media.filter(({ source }) => typeof source !== 'string').length,
    original: found.syndication[0]?.slice(0, 4096) ?? null,
  };
}
