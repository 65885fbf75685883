import type { Archive, ArchiveFile } from '../archive.ts';
import { isWebUrl, type Finding, type FoundMedia } from '../found-post.ts';
import { isRecord } from '../../storage/json-value.ts';
import { importedBody } from '../markdown/body.ts';
import {
  addressIn,
  categoriesIn,
  first,
  listOf,
  placeInSite,
  responsesIn,
  fieldText,
  visibilityIn,
  type Fields,
} from '../markdown/fields.ts';
import { findFile, frontMatterOf, originalSite, type OriginalSite, pathInSite } from '../markdown/site.ts';
import {
  damagedPost,
  filesNamed,
  longestText,
  noDate,
  skippedPost,
  tooLong,
  type ArchiveReader,
} from './reader.ts';

/** Reads a folder of Markdown files with front matter, which Hugo, Jekyll, Eleventy and other site generators use. */
export const markdown: ArchiveReader = {
  format: 'markdown',
  isPostPerFile: true,
  postFiles: (archive) => Promise.resolve(filesNamed(archive, /\.(?:md|markdown|mdx)$/i)),
  async *read(archive, files) {
    for (const file of files) yield await postOrSkipped(archive, file);
  },
};

async function postOrSkipped(archive: Archive, file: ArchiveFile): Promise<Finding> {
  try {
    return await postIn(archive, file);
  } catch (error) {
    // The stack or a string would have become too long.
    if (!(error instanceof RangeError)) throw error;
    return skippedPost(file.path, damagedPost);
  }
}

async function postIn(archive: Archive, file: ArchiveFile): Promise<Finding> {
  const { path } = file;
  if (/\.mdx$/i.test(path)) return skippedPost(path, 'It is MDX, which contains program code.');
  const front = await frontMatterOf(file);
  if (front === undefined) return skippedPost(path, damagedPost);
  if (/(?:^|\/)_index(?:\.[\w-]+)?\.\w+$/.test(path))
    return { skipped: { what: path, why: 'It is the page of a section.' } };
  const { fields } = front;
  const { published, slug, key } = placeInSite(path, fields);
  const isDraft =
    fields['draft'] === true ||
    fields['published'] === false ||
    fields['status'] === 'draft' ||
    /(?:^|\/)_?drafts\//.test(path);
  if (published === undefined && !isDraft) return skippedPost(path, noDate);
  if (front.body.length > longestText) return skippedPost(path, tooLong);

  const site = await originalSite(archive);
  const lost: string[] = [];
  const media = mediaNamed(archive, path, fields, {
    settings: site.settings,
    lost: (name) => void lost.push(`the file ${name}`),
  });
  const body = await importedBody(archive, path, front, media);
  return {
    post: {
      ...body,
      lost: [...lost, ...body.lost],
      key: `markdown ${key} ${pathInSite(site, path)}`,
      // Earlier versions took posts in different folders for the same post.
      formerKeys: [`markdown ${key}`],
      published,
      slug,
      name: fieldText(fields['title']),
      summary: fieldText(first(fields, 'summary', 'description', 'excerpt')),
      categories: categoriesIn(fields),
      status: isDraft ? 'draft' : 'published',
      visibility: visibilityIn(fields),
      syndication: [...listOf(fields['syndication']), addressIn(fields)].filter(isWebUrl),
      responses: responsesIn(fields),
    },
  };
}

/** The fields of posts and of their `header` and `extra` in which generators and their themes name a post's cover. */
const coverFields = [
  ...['image', 'featured_image', 'featuredImage', 'featureImage', 'cover', 'coverImage', 'cover_image'],
  ...['heroImage', 'hero', 'banner', 'thumbnail', 'teaser', 'images'],
];
/** The fields of a picture in which its file is named. */
const fileFields = [
  'url',
  'src',
  'path',
  'image',
  'file',
  'relative_path',
  'teaser',
  'overlay_image',
  'cover',
];
/** The maximum number of files that are looked for. */
const mostNamed = 200;

/** A file that front matter names, with its alt text. */
interface NamedFile {
  readonly name: string;
  readonly alt: string;
}

/** Returns the files in a value: a name, a picture with fields, or a list of these. */
function namedFiles(value: unknown): NamedFile[] {
  if (Array.isArray(value)) return value.slice(0, mostNamed).flatMap((one: unknown) => namedFiles(one));
  if (!isRecord(value)) {
    const name = fieldText(value);
    return name === undefined ? [] : [{ name, alt: '' }];
  }
  const name = fileFields.map((field) => value[field]).find((one) => typeof one === 'string');
  const alt = fieldText(value['alt'] ?? value['image_description']) ?? '';
  return namedFiles(name).map((file) => ({ ...file, alt }));
}

/**
 * Returns the pictures, videos and audio files that the front matter names, with at most one cover. `lost`: called with
 * the name of each file that is not among them.
 */
function mediaNamed(
  archive: Archive,
  path: string,
  fields: Fields,
  { settings, lost }: { readonly settings: OriginalSite['settings']; readonly lost: (name: string) => void },
): FoundMedia[] {
  const find = (property: FoundMedia['property'], { name, alt }: NamedFile): FoundMedia | undefined => {
    // Themes mean the root of the site, also without a slash at the start, and some have a name for it.
    const fromRoot = `/${name.replace(/^[~@]\//, '')}`;
    const file = findFile(archive, path, name, settings) ?? findFile(archive, path, fromRoot, settings);
    const source = file ?? (isWebUrl(name) ? name : undefined);
    if (source !== undefined) return { source, alt, property };
    lost(name);
    return undefined;
  };
  const parts = [fields, fields['header'], fields['extra']].filter(isRecord);
  const covers = parts.flatMap((part) => coverFields.flatMap((name) => namedFiles(part[name])));
  const [cover, ...others] = covers.flatMap((file) => find('featured', file) ?? []);
  for (const { source } of others) {
    const name = typeof source === 'string' ? source : source.path;
    if (name !== (typeof cover?.source === 'string' ? cover.source : cover?.source.path)) lost(name);
  }
  const shown = ['photo', 'photos', 'audio', 'video'].flatMap((name) =>
    namedFiles(fields[name]).flatMap(
      (file) => find(name === 'photos' ? 'photo' : (name as 'photo'), file) ?? [],
    ),
  );
  return [...shown, ...(cover ? [cover] : [])];
}
