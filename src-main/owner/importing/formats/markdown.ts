import { PorchlightError } from '../../../contract/error.ts';
import type { Archive, ArchiveFile } from '../archive.ts';
import { wholeText } from '../archive-text.ts';
import { isWebUrl, mediaMark, slugIn, type Finding, type FoundMedia, type FoundPost } from '../found-post.ts';
import { frontMatterIn } from '../front-matter.ts';
import { responseProperties } from '../../../post/links.ts';
import { isRecord } from '../../../storage/json-value.ts';
import {
  damagedPost,
  filesNamed,
  isoDate,
  longestText,
  momentOf,
  noDate,
  tooLong,
  type ArchiveReader,
} from './reader.ts';

const longestFile = 2_000_000;

/** Reads a folder of Markdown files with front matter, which Hugo, Jekyll, Eleventy and other site generators use. */
export const markdown: ArchiveReader = {
  format: 'markdown',
  isPostPerFile: true,
  postFiles: (archive) => Promise.resolve(filesNamed(archive, /\.(?:md|markdown)$/i)),
  async *read(archive, files) {
    for (const file of files) yield await postIn(archive, file);
  },
};

type Fields = Readonly<Record<string, unknown>>;

async function postIn(archive: Archive, file: ArchiveFile): Promise<Finding> {
  const { path } = file;
  const text = await textIn(file);
  const front = text === undefined ? undefined : frontMatterIn(text);
  if (front === undefined) return { skipped: { what: path, why: damagedPost }, isPost: true };
  if (/(?:^|\/)_index\.\w+$/.test(path))
    return { skipped: { what: path, why: 'It is the page of a section.' } };
  const { fields } = front;
  const [, day, named = ''] = /^(\d{4}-\d\d-\d\d)?-?(.*)\.\w+$/.exec(fileNameOf(path)) ?? [];
  const date = dateText(first(fields, 'date', 'published', 'publishDate', 'pubDate', 'created') ?? day);
  const published = isoDate(date);
  const isDraft =
    fields['draft'] === true ||
    fields['published'] === false ||
    fields['status'] === 'draft' ||
    /(?:^|\/)_?drafts\//.test(path);
  if (published === undefined && !isDraft) return { skipped: { what: path, why: noDate }, isPost: true };
  if (front.body.length > longestText) return { skipped: { what: path, why: tooLong }, isPost: true };

  const address = textOf(first(fields, 'url', 'permalink', 'canonical'));
  const slug = textOf(fields['slug']) ?? slugIn(address) ?? slugIn(`/${encodeURIComponent(named)}`);
  const media: FoundMedia[] = picturesOf(archive, path, fields);
  const body = withPictures(front.body.trim(), (url) => {
    const source = findFile(archive, path, url);
    if (source === undefined) return undefined;
    media.push({ source, alt: '', property: 'text', otherwise: url });
    return mediaMark(media.length - 1);
  });
  return {
    post: {
      key: `markdown ${fileNameOf(path)} ${slug ?? ''} ${keyDate(date, published)}`,
      ...{ text: body, format: 'markdown', published, slug, media },
      name: textOf(fields['title']),
      summary: textOf(first(fields, 'summary', 'description', 'excerpt')),
      categories: [...listOf(fields['tags']), ...listOf(fields['categories']), ...listOf(fields['category'])],
      status: isDraft ? 'draft' : 'published',
      visibility: visibilityOf(fields),
      syndication: [...listOf(fields['syndication']), address].filter(isWebUrl),
      responses: responsesOf(fields),
    },
  };
}

/**
 * Returns a file's text; undefined if the file is too large or isn't text. Such a file doesn't stop the import of the
 * other files.
 */
async function textIn(file: ArchiveFile): Promise<string | undefined> {
  try {
    return await wholeText(file, longestFile);
  } catch (error) {
    if (error instanceof PorchlightError && error.code === 'archive_broken') return undefined;
    throw error;
  }
}

/** Returns the name of a post's file. If the post has a folder of its own, returns the folder's name. */
function fileNameOf(path: string): string {
  const [name = '', folder = ''] = path.split('/').reverse();
  return /^index\.\w+$/.test(name) && folder !== '' ? `${folder}.md` : name;
}

/** Returns the text of a date in front matter; undefined if there is none. */
function dateText(value: unknown): string | undefined {
  // The TOML parser returns Date objects, whose text has an offset only if the date in the file has one.
  if (value instanceof Date) return value.toISOString().replace('.000', '');
  if (typeof value === 'number') return undefined;
  // YAML allows a space before the offset, and Jekyll writes one.
  return textOf(value)?.replace(/ (?=(?:Z|[+-]\d\d:?\d\d)$)/, '');
}

/**
 * Returns the date in a post's key. It is the same as in the keys of earlier versions of Porchlight, so that a second
 * import recognizes the post.
 */
function keyDate(text: string | undefined, published: string | undefined): string {
  const isComplete = text === published && /(?:Z|[+-]\d\d:\d\d)$/.test(text ?? '');
  return (isComplete ? text : momentOf(text ?? '')) ?? '';
}

function visibilityOf(fields: Fields): FoundPost['visibility'] {
  if (fields['visibility'] === 'private' || fields['private'] === true) return 'private';
  return fields['visibility'] === 'unlisted' ? 'unlisted' : 'public';
}

/** The properties whose values may also be names, such as a book's title. */
const namedResponses = ['read-of', 'watch-of', 'listen-of', 'jam-of', 'ate', 'drank'];
/** The properties that say something about a response. */
const answers = ['rsvp', 'read-status'];

/** Returns what a post responds to. Zola has such fields in `extra`. */
function responsesOf(fields: Fields): Record<string, string[]> {
  const extra = isRecord(fields['extra']) ? fields['extra'] : {};
  const valueOf = (name: string) => {
    const other = name.replaceAll('-', '_');
    return fields[name] ?? fields[other] ?? extra[name] ?? extra[other];
  };
  const found = responseProperties.map(([name]): [string, string[]] => [name, citedIn(name, valueOf(name))]);
  const responses = found.filter(([, values]) => values.length > 0);
  if (responses.length === 0) return {};
  const more = answers.map((name): [string, string[]] => [name, listOf(valueOf(name)).slice(0, 1)]);
  return Object.fromEntries([...responses, ...more.filter(([, values]) => values.length > 0)]);
}

/** Returns the URLs in a value of a response property, or the name in it. `value`: text, a list or a citation. */
function citedIn(property: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => citedIn(property, one));
  if (isRecord(value)) return citedIn(property, value['url'] ?? value['name'] ?? value['title']);
  const urls = listOf(value).filter(isWebUrl);
  const name = textOf(value);
  const isName = namedResponses.includes(property) && name !== undefined && !URL.canParse(name);
  return urls.length === 0 && isName ? [name] : urls;
}

/** Returns the pictures, videos and audio files that the front matter names. */
function picturesOf(archive: Archive, path: string, fields: Fields): FoundMedia[] {
  const names = [
    ...['photo', 'photos'].map((name) => [name, 'photo'] as const),
    ...(['audio', 'video'] as const).map((name) => [name, name] as const),
    ...['image', 'featured_image', 'cover', 'thumbnail'].map((name) => [name, 'featured'] as const),
  ];
  return names.flatMap(([name, property]) => {
    const value = fields[name];
    const values = Array.isArray(value) ? (value as unknown[]) : [value];
    return values.flatMap((one): FoundMedia[] => {
      const url = isRecord(one) ? textOf(one['url'] ?? one['src'] ?? one['image']) : textOf(one);
      const alt = isRecord(one) ? (textOf(one['alt']) ?? '') : '';
      if (url === undefined) return [];
      const source = findFile(archive, path, url) ?? (isWebUrl(url) ? url : undefined);
      return source === undefined ? [] : [{ source, alt, property }];
    });
  });
}

/** The folders from which site generators copy files to the root of the site. */
const staticFolders = ['', 'static/', 'public/', 'assets/', 'source/'];

/** Returns the file at a URL in a post. The URL may be relative to the post's folder or the site's root. */
function findFile({ files }: Archive, path: string, url: string): ArchiveFile | undefined {
  const place = `http://localhost/${path.split('/').map(encodeURIComponent).join('/')}`;
  if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(url) || !URL.canParse(url, place)) return undefined;
  const { pathname } = new URL(url, place);
  let name: string;
  try {
    name = decodeURIComponent(pathname).slice(1);
  } catch {
    return undefined;
  }
  const folders = url.startsWith('/') ? staticFolders : [''];
  return folders.map((folder) => files.get(folder + name)).find((file) => file !== undefined);
}

/** Replaces the URLs of pictures in Markdown. `replace`: returns the new URL; undefined to keep the old one. */
function withPictures(text: string, replace: (url: string) => string | undefined): string {
  return text.replace(
    /(!\[[^\]\n]{0,1000}\]\()(?:<([^<>\n]{1,1000})>|([^\s<>()]{1,1000}))/g,
    (whole, start: string, ...found) => {
      const [bracketed, bare] = found as (string | undefined)[];
      const next = replace(bracketed ?? bare ?? '');
      return next === undefined ? whole : start + next;
    },
  );
}

const first = (fields: Fields, ...names: string[]) =>
  names
    .map((name) => fields[name])
    .find((value) => value !== undefined && value !== null && typeof value !== 'boolean');

/**
 * Returns a value as a string; undefined if the value is empty or has another type. Accepts numbers, because front
 * matter may contain unquoted numbers.
 */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/**
 * Returns a value as a list of strings. Splits a single string at commas or, if it has none, at spaces (as in Jekyll).
 */
function listOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => textOf(one) ?? []);
  const text = textOf(value);
  if (text === undefined) return [];
  return text.split(text.includes(',') ? ',' : /\s+/).map((part) => part.trim());
}
