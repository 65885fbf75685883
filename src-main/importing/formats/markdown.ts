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
import { damagedPost, filesNamed, longestText, noDate, tooLong, type ArchiveReader } from './reader.ts';

/** Reads a folder of Markdown files with front matter, which Hugo, Jekyll, Eleventy and other site generators use. */
export const markdown: ArchiveReader = {
  format: 'markdown',
  isPostPerFile: true,
  postFiles: (archive) => Promise.resolve(filesNamed(archive, /\.(?:md|markdown)$/i)),
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
    return { skipped: { what: file.path, why: damagedPost }, isPost: true };
  }
}

async function postIn(archive: Archive, file: ArchiveFile): Promise<Finding> {
  const { path } = file;
  const front = await frontMatterOf(file);
  if (front === undefined) return { skipped: { what: path, why: damagedPost }, isPost: true };
  if (/(?:^|\/)_index\.\w+$/.test(path))
    return { skipped: { what: path, why: 'It is the page of a section.' } };
  const { fields } = front;
  const { published, slug, key } = placeInSite(path, fields);
  const isDraft =
    fields['draft'] === true ||
    fields['published'] === false ||
    fields['status'] === 'draft' ||
    /(?:^|\/)_?drafts\//.test(path);
  if (published === undefined && !isDraft) return { skipped: { what: path, why: noDate }, isPost: true };
  if (front.body.length > longestText) return { skipped: { what: path, why: tooLong }, isPost: true };

  const site = await originalSite(archive);
  const body = await importedBody(archive, path, front, picturesOf(archive, path, fields, site.settings));
  return {
    post: {
      ...body,
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

/** Returns the pictures, videos and audio files that the front matter names. */
function picturesOf(
  archive: Archive,
  path: string,
  fields: Fields,
  settings: OriginalSite['settings'],
): FoundMedia[] {
  const names = [
    ...['photo', 'photos'].map((name) => [name, 'photo'] as const),
    ...(['audio', 'video'] as const).map((name) => [name, name] as const),
    ...['image', 'featured_image', 'cover', 'thumbnail'].map((name) => [name, 'featured'] as const),
  ];
  return names.flatMap(([name, property]) => {
    const value = fields[name];
    const values = Array.isArray(value) ? (value as unknown[]) : [value];
    return values.flatMap((one): FoundMedia[] => {
      const url = isRecord(one) ? fieldText(one['url'] ?? one['src'] ?? one['image']) : fieldText(one);
      const alt = isRecord(one) ? (fieldText(one['alt']) ?? '') : '';
      if (url === undefined) return [];
      const source = findFile(archive, path, url, settings) ?? (isWebUrl(url) ? url : undefined);
      return source === undefined ? [] : [{ source, alt, property }];
    });
  });
}
