import { isRecord } from '../../storage/json-value.ts';
import { type Archive, firstText } from '../archive.ts';
import { firstWords, isWebUrl, mediaMark, slugIn, type Finding, type FoundMedia } from '../found-post.ts';
import { withSources } from '../html.ts';
import { jsonItemsIn } from '../archive-items.ts';
import {
  damagedPost,
  filesNamed,
  isoDate,
  longestText,
  noDate,
  skippedPost,
  texts,
  tooLong,
  type ArchiveReader,
} from './reader.ts';

/** Reads a JSON Feed (jsonfeed.org), alone or together with its uploads in a micro.blog archive (.bar). */
export const microblog: ArchiveReader = {
  format: 'microblog',
  async postFiles(archive) {
    const named = filesNamed(archive, /(?:^|\/)feed\.json$/);
    const files = named.length === 0 && archive.files.size === 1 ? [...archive.files.values()] : named;
    const [feed] = files;
    return feed && /https?:\\?\/\\?\/(?:www\.)?jsonfeed\.org\\?\/version/.test(await firstText(feed))
      ? [feed]
      : [];
  },
  async *read(archive, files) {
    const uploads = uploadFinder(archive);
    for (const file of files)
      for await (const item of jsonItemsIn(file, 'items')) yield postIn(item, uploads);
  },
};

type UploadFinder = (url: string) => FoundMedia['source'] | undefined;

function postIn(item: unknown, uploadOf: UploadFinder): Finding {
  if (!isRecord(item)) return skippedPost('A post', damagedPost);
  const { id, url, title, summary, content_html: html, content_text: text } = item;
  const written = typeof html === 'string' ? html : typeof text === 'string' ? text : '';
  const name = typeof title === 'string' && title.trim() !== '' ? title : undefined;
  const original = [url, id].find(isWebUrl);
  const key = original ?? (typeof id === 'number' ? String(id) : id);
  const what = name ?? (firstWords(written) || String(key));
  if (typeof key !== 'string' || key === '') return skippedPost(what, damagedPost);
  const published = isoDate(item['date_published']);
  if (published === undefined) return skippedPost(what, noDate);
  if (written.length > longestText) return skippedPost(what, tooLong);

  const media: FoundMedia[] = attachmentsOf(item['attachments'], uploadOf);
  const marked =
    typeof html !== 'string'
      ? written
      : withSources(html, (source) => {
          const upload = uploadOf(source);
          if (upload === undefined || typeof upload === 'string') return undefined;
          media.push({ source: upload, alt: '', property: 'text', otherwise: source });
          return mediaMark(media.length - 1);
        });
  return {
    post: {
      key,
      text: marked,
      format: typeof html === 'string' ? 'html' : 'plain',
      name,
      published,
      media,
      ...(typeof summary === 'string' && { summary }),
      categories: texts(item['tags']),
      slug: slugIn(original),
      status: 'published',
      visibility: 'public',
      syndication: original === undefined ? [] : [original],
      responses: {},
    },
  };
}

function attachmentsOf(attachments: unknown, uploadOf: UploadFinder): FoundMedia[] {
  if (!Array.isArray(attachments)) return [];
  return attachments.flatMap((attachment): FoundMedia[] => {
    if (!isRecord(attachment) || typeof attachment['url'] !== 'string') return [];
    const { url, mime_type: type, title } = attachment;
    const [property] = typeof type === 'string' ? type.split('/', 1) : [];
    const source = uploadOf(url) ?? (isWebUrl(url) ? url : undefined);
    if (source === undefined || !['image', 'video', 'audio'].includes(property ?? '')) return [];
    const alt = typeof title === 'string' ? title : '';
    return [
      { source, alt, property: property === 'image' ? 'photo' : property === 'video' ? 'video' : 'audio' },
    ];
  });
}

/**
 * Returns a function that finds an upload by the end of its path. A post names an upload either by its URL on the old
 * site or by its path in the archive.
 */
function uploadFinder({ files }: Archive): UploadFinder {
  const byEnd = new Map(
    [...files.values()].flatMap((file) => {
      // The slash finds a folder of exactly this name, also at the start of the path.
      const start = `/${file.path}`.indexOf('/uploads/');
      return start === -1 ? [] : [[file.path.slice(start), file] as const];
    }),
  );
  return (url) => {
    const end = /(?:^|\/)(uploads\/[^?#]*)/.exec(url)?.[1];
    return end === undefined ? undefined : byEnd.get(end);
  };
}
