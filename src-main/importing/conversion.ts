import { mediaProperties } from '../contract/post-kinds.ts';
import type { ImportSample, SkippedPart } from '../contract/post-import.ts';
import { postText } from '../posts/content-text.ts';
import { propertyText } from '../posts/values.ts';
import { postKindOf } from '../posts/kind.ts';
import { markdownHtml } from '../posts/markdown.ts';
import { shortenedLine } from '../posts/owner.ts';
import { contentFromBag } from '../posts/post-content.ts';
import type { EarlierContent } from '../posts/post-document.ts';
import type { PostContent } from '../posts/post-store.ts';
import { longestExported, withFilesAt } from './exported.ts';
import { damagedPost, longestText, skippedPost, tooLong } from './formats/reader.ts';
import {
  type ExportedPost,
  type Finding,
  firstWords,
  type FoundExtra,
  type FoundMedia,
  type FoundPost,
  recordHash,
  withMarksReplaced,
} from './found-post.ts';

/** The limits are the same as in the editor (contract/writing.ts), so the owner can edit imported posts. */
const mostInPost = { line: 1000, list: 100, category: 200, url: 4096, media: 100, loss: 100 };
/** Apps can add more files to a post than the editor shows, so an export may contain such a post. */
const mostExportedMedia = 1000;

/** Returns the reason why a post can't be imported; undefined if it can be imported. */
function importRefusal(post: FoundPost): string | undefined {
  if (post.text.length > longestText) return tooLong;
  if (post.media.length > (post.exported ? mostExportedMedia : mostInPost.media))
    return 'It has too many pictures and other files.';
  const isEmpty =
    post.exported === undefined &&
    post.text.trim() === '' &&
    (post.name ?? '') === '' &&
    post.media.length === 0 &&
    Object.keys(post.responses).length === 0;
  return isEmpty ? 'It is empty.' : undefined;
}

/**
 * Returns a post without what exceeds the limits of a post, and with only the paths of its files. So the size of the
 * result is limited, and it can be passed to another thread.
 */
function limitedPost(found: FoundPost): FoundPost {
  return {
    ...found,
    key: found.key.slice(0, mostInPost.line),
    formerKeys: [],
    name: lines([found.name])[0],
    summary: lines([found.summary])[0],
    categories: [...new Set(lines(found.categories).map((name) => name.slice(0, mostInPost.category)))].slice(
      0,
      mostInPost.list,
    ),
    slug: found.slug?.slice(0, mostInPost.line),
    syndication: urls(found.syndication),
    responses: Object.fromEntries(
      Object.entries(found.responses).map(([name, values]) => [name, urls(values)]),
    ),
    media: found.media.map((media) => ({
      ...media,
      // A longer URL than a post may have is left out of the post.
      source:
        typeof media.source === 'string'
          ? media.source.slice(0, mostInPost.url + 1)
          : { path: media.source.path },
      alt: lines([media.alt])[0] ?? '',
    })),
    lost: limitedLosses([...(found.lost ?? []), ...tooLongIn(found)]),
  };
}

/** The maximum number of losses that the report names for one post. */
const mostLosses = 10;

/** Names what `limitedPost` leaves out of a post. */
function tooLongIn(found: FoundPost): string[] {
  const isLong = (text: string | undefined, most: number) => (text ?? '').trim().length > most;
  const all = [found.syndication, ...Object.values(found.responses)];
  return [
    ...(isLong(found.name, mostInPost.line) ? ['the end of its title'] : []),
    ...(isLong(found.summary, mostInPost.line) ? ['the end of its summary'] : []),
    ...(found.media.some(({ alt }) => isLong(alt, mostInPost.line)) ? ['the end of an alt text'] : []),
    ...(new Set(found.categories).size > mostInPost.list ||
    found.categories.some((name) => isLong(name, mostInPost.category))
      ? ['some of its categories']
      : []),
    ...(/<img\b[^<>]{0,1000}\bsrc\s{0,9}=\s{0,9}["']?data:|!\[[^\]\n]{0,1000}\]\(<?data:/i.test(found.text)
      ? ['a picture that is part of its text']
      : []),
    ...(all.some(
      (list) => new Set(list).size > mostInPost.list || list.some((url) => isLong(url, mostInPost.url)),
    )
      ? ['some of its URLs']
      : []),
  ];
}

function limitedLosses(lost: readonly string[]): string[] {
  const distinct = [...new Set(lines(lost).map((words) => words.slice(0, mostInPost.loss)))];
  const rest = distinct.length - mostLosses;
  return rest > 0 ? [...distinct.slice(0, mostLosses), `and ${rest} more`] : distinct;
}

const lines = (values: readonly (string | undefined)[]) =>
  values.map((value) => (value ?? '').trim().slice(0, mostInPost.line)).filter((value) => value !== '');
const urls = (values: readonly string[]) =>
  [...new Set(values)].filter((url) => url.length <= mostInPost.url).slice(0, mostInPost.list);

/**
 * Converts a post from an archive, as `limitedPost` returns it, to the form that the post store uses. `urlOf`: returns
 * the URL of one of the post's files; undefined if that file could not be imported. Returns undefined if the text with
 * these URLs is too long.
 */
export function contentOfFound(
  found: FoundPost,
  urlOf: (media: FoundMedia) => string | undefined,
): ConvertedPost | undefined {
  if (found.exported) return contentOfExported(found.exported, found.media, urlOf);
  const text = withMarksReplaced(found.text, (index) => {
    const media = found.media[index];
    return media?.property === 'text' ? (urlOf(media) ?? media.otherwise ?? '') : undefined;
  }).trim();
  if (text.length > longestText) return undefined;
  const bag = new Map<string, readonly unknown[]>();
  const put = (name: string, values: readonly unknown[]) => {
    if (values.length > 0) bag.set(name, values);
  };

  put('content', text === '' ? [] : [contentIn(text, found.format)]);
  put('name', found.name === undefined ? [] : [found.name]);
  put('summary', found.summary === undefined ? [] : [found.summary]);
  put('category', found.categories);
  put('published', found.published === undefined ? [] : [found.published]);
  put('syndication', found.syndication);
  for (const [name, values] of Object.entries(found.responses)) put(name, values);
  for (const property of mediaProperties)
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

/** A post's content, and its earlier versions if it comes from an export of Porchlight. */
export type ConvertedPost = PostContent & { readonly earlier?: EarlierContent };

/**
 * Returns the content of an exported post with the new URLs of its files. Returns undefined if it is too long with these
 * URLs.
 */
function contentOfExported(
  { content, earlier }: ExportedPost,
  media: readonly FoundMedia[],
  urlOf: (media: FoundMedia) => string | undefined,
): ConvertedPost | undefined {
  const moved = withFilesAt({ ...content, earlier }, fileUrls(media, urlOf));
  if (JSON.stringify(moved).length > longestExported) return undefined;
  const { markdown, properties } = moved;
  // The owner edits the Markdown, so the page must not show anything else.
  const isWritten = markdown !== undefined && markdown.trim() !== '';
  return isWritten
    ? { ...moved, properties: { ...properties, content: [{ html: markdownHtml(markdown) }] } }
    : moved;
}

/** Returns the new URLs of files in an export, by the paths that they have there. */
export function fileUrls(
  media: readonly FoundMedia[],
  urlOf: (media: FoundMedia) => string | undefined,
): Map<string, string> {
  const urls = new Map<string, string>();
  for (const one of media) {
    const url = urlOf(one);
    if (one.kept && url !== undefined) urls.set(one.kept.path, url);
  }
  return urls;
}

function contentIn(text: string, format: FoundPost['format']): unknown {
  if (format === 'plain') return text;
  return { html: format === 'markdown' ? markdownHtml(text) : text };
}

function shownMedia({ alt }: FoundMedia, url: string | undefined): unknown[] {
  if (url === undefined || url.length > mostInPost.url) return [];
  return [alt === '' ? url : { value: url, alt }];
}

/**
 * Returns a post's preview, which the owner sees before the import. Returns undefined if the post's text is too long.
 * `found`: as `limitedPost` returns it.
 */
function sampleOf(found: FoundPost): ImportSample | undefined {
  const content = contentOfFound(found, ({ source }) =>
    typeof source === 'string' ? source : 'https://archive.invalid/file',
  );
  if (!content) return undefined;
  const { type, properties, commands } = content;
  const kind = postKindOf({ type, properties: { ...properties, ...commands } });
  return {
    kind,
    name: shortenedLine(propertyText(properties, 'name') ?? ''),
    text: shortenedLine(postText(properties)),
    published: found.published ?? null,
    categories: found.categories.slice(0, 20),
    files: found.media.filter(({ source }) => typeof source !== 'string').length,
    original: found.syndication[0] ?? null,
  };
}

/** A post that can be imported, as the thread that reads archives passes it to the main thread. Its size is limited. */
export interface ItemToImport {
  readonly post: FoundPost;
  /** A hash of the post's key, which identifies the post in the journals. */
  readonly key: string;
  /** Hashes of the keys under which earlier imports may have recorded the post. */
  readonly formerKeys: readonly string[];
  /** A hash of the post's title and text. */
  readonly textHash: string;
  /** The post's name or first words, to identify it in a message. */
  readonly what: string;
  readonly sample: ImportSample;
}

/** A result of reading an archive, as the thread passes it to the main thread. */
export type ArchiveItem =
  | ItemToImport
  | { readonly extra: FoundExtra }
  | { readonly skipped: SkippedPart; readonly count?: number | undefined; readonly isPost: boolean };

const longestWords = 300;

/** Checks, limits and converts a finding. Called in the thread that reads archives. */
export function archiveItem(finding: Finding): ArchiveItem {
  try {
    return converted(finding);
  } catch (error) {
    // The stack or a string would have become too long.
    if (!(error instanceof RangeError && 'post' in finding)) throw error;
    return skippedPost(postWords(finding.post), damagedPost);
  }
}

function converted(finding: Finding): ArchiveItem {
  if ('extra' in finding) return finding;
  if ('skipped' in finding) {
    const { skipped, count, isPost = false } = finding;
    return { skipped: { ...skipped, what: skipped.what.slice(0, longestWords) }, count, isPost };
  }
  const { post: found } = finding;
  const what = postWords(found);
  const refusal = importRefusal(found);
  if (refusal !== undefined) return skippedPost(what, refusal);
  const post = limitedPost(found);
  const sample = sampleOf(post);
  if (!sample) return skippedPost(what, tooLong);
  return {
    post,
    key: recordHash(found.key),
    formerKeys: (found.formerKeys ?? []).map(recordHash),
    textHash: recordHash(JSON.stringify([found.name, found.text])),
    what,
    sample,
  };
}

const postWords = ({ name, text, key }: FoundPost) =>
  (name ?? (firstWords(text) || key)).slice(0, longestWords);

/** Returns about how many characters an item has. */
export function itemSize(item: ArchiveItem): number {
  if ('extra' in item) return JSON.stringify(item.extra).length;
  if (!('post' in item)) return 500;
  const { text, media, exported } = item.post;
  return 500 + text.length + media.length * 1000 + (exported ? JSON.stringify(exported).length : 0);
}
