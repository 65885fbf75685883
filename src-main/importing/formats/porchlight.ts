import { PorchlightError } from '../../contract/error.ts';
import { Post } from '../../contract/posts.ts';
import { SitePage } from '../../contract/site-settings.ts';
import { EarlierPost } from '../../posts/post-document.ts';
import { postPath, postPlace } from '../../posts/post-path.ts';
import { checkKeys } from '../../posts/micropub/safe-json.ts';
import { tooManyValues } from '../../posts/post-content.ts';
import { postText } from '../../posts/content-text.ts';
import { propertyText } from '../../posts/values.ts';
import { openedSchema } from '../../storage/document-format.ts';
import { documentKinds } from '../../storage/document-kinds.ts';
import { isRecord, jsonIn } from '../../storage/json-value.ts';
import { isValid } from '../../storage/schema-check.ts';
import { type Archive, type ArchiveFile, wholeText } from '../archive.ts';
import { exportedMentionIn, ExportNote, filePathsIn, jf2MentionIn, longestExported } from '../exported.ts';
import { firstWords, isWebUrl, type ExportedPost, type Finding, type FoundMedia } from '../found-post.ts';
import { jsonItemsIn } from '../archive-items.ts';
import { damagedPost, longestText, skippedPost, texts, tooLong, type ArchiveReader } from './reader.ts';

/**
 * Reads an export of Porchlight (owner/taking/): the data in its folder `porchlight`, and the files in `media`. Ignores
 * the pages for site generators, the profile and everything else. Nothing in it is trusted.
 */
export const porchlight: ArchiveReader = {
  format: 'porchlight',
  postFiles({ files }) {
    const posts = [...files.keys()].find((path) => /^(?:[^/]+\/)?porchlight\/posts\.json$/.test(path));
    if (posts === undefined) return Promise.resolve([]);
    const dir = posts.slice(0, -'posts.json'.length);
    const mentions = [files.get(`${dir}mentions.json`) ?? files.get(`${dir}mentions.jf2.json`)];
    // Mentions come last, because they belong to the posts.
    const found = [
      files.get(posts),
      files.get(`${dir}pages.json`),
      files.get(`${dir}media.json`),
      ...mentions,
    ];
    return Promise.resolve(found.filter((file) => file !== undefined));
  },
  async *read(archive, files) {
    let about: Export | undefined;
    for (const file of files) {
      const [name = ''] = file.path.split('/').slice(-1);
      about ??= await exportAt(archive, file.path.slice(0, -`porchlight/${name}`.length));
      try {
        for await (const item of jsonItemsIn(file, listIn[name] ?? '', longestIn[name]))
          yield* readers[name]?.(hasFewValues(item) ? item : undefined, about) ?? [];
      } catch (error) {
        // Without the posts, there is nothing to import. Any other file may be damaged.
        if (name === 'posts.json' || !isBroken(error)) throw error;
        yield { skipped: { what: file.path, why: whyBroken(error) } };
      }
    }
  },
};

/**
 * The maximum length of an item in each file, in characters. A post can have two megabytes of properties, the Markdown of
 * its text, and a megabyte of earlier versions. A mention has 32 KB.
 */
const longestIn: Readonly<Record<string, number>> = {
  'posts.json': longestExported,
  'pages.json': 1_000_000,
  'media.json': 10_000,
  'mentions.json': documentKinds.mention,
  'mentions.jf2.json': documentKinds.mention,
};
/** How many values an item may consist of. Far more would take the schema check seconds, and no real post has them. */
const mostValues = 100_000;
const longestNote = 10_000;
const longestName = 300;
const mostFormer = 100;
const mostVersions = 20;

/** The properties that contain the items in a file whose top level isn't a list. */
const listIn: Readonly<Record<string, string>> = { 'mentions.jf2.json': 'children' };

/** An export. `root`: the folder that contains it, with a slash at the end; empty for the whole archive. */
interface Export {
  readonly archive: Archive;
  readonly root: string;
  /** The address of the site; undefined if the export doesn't state it. */
  readonly base: string | undefined;
  /** The names of the files by their paths (`/media/...`). */
  readonly names: ReadonlyMap<string, string>;
}

const readers: Readonly<Record<string, (item: unknown, about: Export) => Finding[]>> = {
  'posts.json': (item, about) => [postIn(item, about)],
  'pages.json': (item, about) => [pageIn(item, about)],
  'media.json': (item, about) => fileIn(item, about),
  'mentions.json': (item, { base }) => [mentionIn(() => exportedMentionIn(item, base))],
  'mentions.jf2.json': (item, { base }) => [mentionIn(() => jf2MentionIn(item, base))],
};

async function exportAt(archive: Archive, root: string): Promise<Export> {
  const note = await noteIn(archive.files.get(`${root}porchlight/export.json`));
  // Exports of older versions state the address only for the generators.
  const config = /^url: "(https?:\/\/[^"\s]+)"$/m.exec(await textOf(archive.files.get(`${root}_config.yml`)));
  const base = note?.base ?? config?.[1];
  const list = archive.files.get(`${root}porchlight/media.json`);
  return {
    archive,
    root,
    names: list ? await namesIn(list) : new Map(),
    base: isWebUrl(base) ? base : undefined,
  };
}

async function noteIn(file: ArchiveFile | undefined): Promise<ExportNote | undefined> {
  const note = jsonIn(await textOf(file));
  return isValid(openedSchema(ExportNote), note) ? note : undefined;
}

/** Returns the text of a small file; an empty string if there is none that can be read. */
async function textOf(file: ArchiveFile | undefined): Promise<string> {
  return file === undefined ? '' : wholeText(file, longestNote).catch(() => '');
}

async function namesIn(file: ArchiveFile): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  try {
    for await (const item of jsonItemsIn(file, '', longestIn['media.json']))
      if (isRecord(item) && typeof item['file'] === 'string' && typeof item['name'] === 'string')
        names.set(`/${item['file'].slice(0, longestName)}`, item['name'].slice(0, longestName));
  } catch (error) {
    if (!isBroken(error)) throw error;
  }
  return names;
}

const isBroken = (error: unknown): error is PorchlightError =>
  error instanceof PorchlightError && error.code === 'archive_broken';
const whyBroken = ({ message }: PorchlightError) => message.replace('The archive can’t be imported. ', '');

const longestFeedId = 2000;
const isFeedId = (id: string): boolean =>
  id.length <= longestFeedId && /^https?:\/\//.test(id) && URL.canParse(id);

function postIn(item: unknown, about: Export): Finding {
  const named = isRecord(item) && typeof item['path'] === 'string' ? item['path'] : 'A post';
  if (!isValid(openedSchema(Post), item) || !isSound(item)) return skippedPost(named, damagedPost);
  const place = postPlace(item.path);
  const created = Date.parse(item.createdAt);
  if (place === undefined || !(created >= 0)) return skippedPost(named, damagedPost);
  if (item.deletedAt !== null) return skippedPost(named, 'It is deleted.');
  const tooMany = tooManyIn(item);
  if (tooMany !== undefined) return skippedPost(named, tooMany);
  if ((item.markdown ?? '').length > longestText) return skippedPost(named, tooLong);
  const { type, properties, commands, status, visibility, markdown, editedAt, feedId } = item;
  const { former, history } = item as { former?: unknown; history?: unknown };
  const versions = Array.isArray(history) ? (history as unknown[]) : [];
  const exported: ExportedPost = {
    path: postPath(place),
    former: texts(former)
      .flatMap((path) => postPlace(path) ?? [])
      .map(postPath)
      .slice(0, mostFormer),
    createdAt: new Date(created).toISOString(),
    content: { type, properties, commands, status, visibility, ...(markdown !== undefined && { markdown }) },
    earlier: {
      history: versions.slice(0, mostVersions).filter(isEarlierPost),
      ...(editedAt !== undefined && { editedAt }),
      ...(feedId !== undefined && isFeedId(feedId) && { feedId }),
    },
  };
  const [published] = texts(properties['published']);
  const keyAt = (path: string) => `porchlight ${path} ${exported.createdAt}`;
  return {
    post: {
      key: keyAt(exported.path),
      formerKeys: exported.former.map(keyAt),
      text: firstWords(postText(properties)),
      format: 'plain',
      name: propertyText(properties, 'name'),
      published,
      categories: texts(properties['category']),
      status,
      visibility,
      syndication: [],
      responses: {},
      media: mediaIn(exported, about),
      exported,
    },
  };
}

const isEarlierPost = (value: unknown): value is EarlierPost =>
  isValid(openedSchema(EarlierPost), value) &&
  isSound(value.content) &&
  tooManyIn(value.content) === undefined;

const tooManyIn = ({ properties, commands }: Pick<Post, 'properties' | 'commands'>) =>
  tooManyValues([...Object.entries(properties), ...Object.entries(commands)]);

/** Returns whether the names in a post are ones that Porchlight accepts from apps too. */
function isSound({ type, properties, commands }: Pick<Post, 'type' | 'properties' | 'commands'>): boolean {
  try {
    checkKeys({ properties, commands });
  } catch {
    return false;
  }
  return type.length > 0 && type.length <= 10 && type.every((name) => /^h-[a-z0-9-]{1,100}$/i.test(name));
}

/** Returns whether a value consists of at most `mostValues` values, at all levels. */
function hasFewValues(root: unknown): boolean {
  const open: unknown[] = [root];
  let count = 1;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value) as unknown[];
    count += inner.length;
    if (count > mostValues) return false;
    for (const one of inner) open.push(one);
  }
  return true;
}

/** Returns the files of the export to which a value links anywhere. */
function mediaIn(value: unknown, about: Export): FoundMedia[] {
  return [...filePathsIn(JSON.stringify(value))].flatMap((path) => mediaAt(path, about) ?? []);
}

function mediaAt(path: string, { archive, root, names }: Export): FoundMedia | undefined {
  const source = archive.files.get(root + path.slice(1));
  if (source === undefined) return undefined;
  const name = names.get(path) ?? path.split('/').at(-1) ?? '';
  return { source: { path: source.path }, alt: '', property: 'text', kept: { path, name } };
}

function pageIn(item: unknown, about: Export): Finding {
  if (!isValid(openedSchema(SitePage), item)) return { skipped: { what: 'A page', why: 'It is damaged.' } };
  const { slug, title, text } = item;
  return { extra: { page: { page: { slug, title, text }, media: mediaIn(text, about) } } };
}

/** Returns a file, whether or not a post shows it. Leaves out copies of other sites' pictures: posts get new copies. */
function fileIn(item: unknown, about: Export): Finding[] {
  if (!isRecord(item) || typeof item['file'] !== 'string' || typeof item['copyOf'] === 'string') return [];
  const path = `/${item['file']}`;
  if (!filePathsIn(path).has(path))
    return [{ skipped: { what: path.slice(0, longestName), why: 'It is damaged.' } }];
  const media = mediaAt(path, about);
  if (media) return [{ extra: { file: media } }];
  return [{ skipped: { what: path.slice(0, longestName), why: 'The archive doesn’t contain this file.' } }];
}

function mentionIn(read: () => ReturnType<typeof jf2MentionIn>): Finding {
  const what = 'A mention';
  try {
    const mention = read();
    return mention ? { extra: { mention } } : { skipped: { what, why: 'It is damaged.' } };
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    return { skipped: { what, why: 'A newer version of Porchlight has written it.' } };
  }
}
