import { isRecord } from '../../storage/json-value.ts';
import { escapedHtml } from '../html.ts';
import { type Archive, firstText } from '../archive.ts';
import { firstWords, isWebUrl, slugIn, type Finding, type FoundMedia } from '../found-post.ts';
import { jsonItemsIn } from '../archive-items.ts';
import {
  damagedPost,
  filesNamed,
  isoDate,
  noDate,
  skippedPost,
  texts,
  type ArchiveReader,
} from './reader.ts';

/** Reads a Mastodon archive: the ActivityPub outbox, and the files of its posts. */
export const mastodon: ArchiveReader = {
  format: 'mastodon',
  async postFiles(archive) {
    const [outbox] = filesNamed(archive, /(?:^|\/)outbox\.json$/);
    return outbox && (await firstText(outbox)).includes('"orderedItems"') ? [outbox] : [];
  },
  async *read(archive, files) {
    const media = mediaFinder(archive);
    for (const file of files)
      for await (const item of jsonItemsIn(file, 'orderedItems')) yield postIn(item, media);
  },
};

const publicNames = ['https://www.w3.org/ns/activitystreams#Public', 'as:Public', 'Public'];

type MediaFinder = (attachment: unknown) => FoundMedia[];

function postIn(activity: unknown, media: MediaFinder): Finding {
  if (!isRecord(activity)) return skippedPost('A post', damagedPost);
  const { type, object } = activity;
  const published = isoDate(activity['published']);
  const base = { categories: [], syndication: [], responses: {}, media: [], status: 'published' } as const;
  const visibility = visibilityOf(activity);
  if (type === 'Announce') {
    const shared = isRecord(object) ? object['id'] : object;
    const what = `Boost of ${String(shared).slice(0, 200)}`;
    const key = activity['id'];
    if (!isWebUrl(shared) || typeof key !== 'string') return skippedPost(what, damagedPost);
    if (published === undefined) return skippedPost(what, noDate);
    return {
      post: {
        ...base,
        key,
        text: '',
        format: 'plain',
        published,
        visibility,
        responses: { 'repost-of': [shared] },
      },
    };
  }
  if (type !== 'Create' || !isRecord(object))
    return { skipped: { what: `Activity: ${String(type).slice(0, 50)}`, why: 'It isn’t a post.' } };

  const { id, url, summary, content, inReplyTo } = object;
  const html = typeof content === 'string' ? content + optionsOf(object) : '';
  const what = firstWords(html) || String(id).slice(0, 200);
  if (typeof id !== 'string') return skippedPost(what, damagedPost);
  if (published === undefined) return skippedPost(what, noDate);
  const original = [url, id].find(isWebUrl);
  return {
    post: {
      ...base,
      key: id,
      text: html,
      format: 'html',
      published,
      visibility,
      ...(typeof summary === 'string' && { summary }),
      categories: hashtagsOf(object['tag']),
      slug: slugIn(original),
      syndication: original === undefined ? [] : [original],
      responses: isWebUrl(inReplyTo) ? { 'in-reply-to': [inReplyTo] } : {},
      media: Array.isArray(object['attachment']) ? object['attachment'].flatMap(media) : [],
    },
  };
}

/**
 * Returns a post's visibility. Public and unlisted posts keep their visibility. All others become private, because they
 * were addressed to followers or to individual people.
 */
function visibilityOf({ to, cc }: Record<string, unknown>): 'public' | 'unlisted' | 'private' {
  const isIn = (list: unknown) =>
    [...texts(list), list].some((one) => publicNames.some((name) => name === one));
  if (isIn(to)) return 'public';
  return isIn(cc) ? 'unlisted' : 'private';
}

function hashtagsOf(tags: unknown): string[] {
  if (!Array.isArray(tags)) return [];
  return tags.flatMap((tag) =>
    isRecord(tag) && tag['type'] === 'Hashtag' && typeof tag['name'] === 'string'
      ? [tag['name'].replace(/^#/, '')]
      : [],
  );
}

/** Returns the options of a poll as an HTML list. */
function optionsOf({ oneOf, anyOf }: Record<string, unknown>): string {
  const options = Array.isArray(oneOf) ? oneOf : anyOf;
  if (!Array.isArray(options)) return '';
  const names = options.flatMap((option) =>
    isRecord(option) && typeof option['name'] === 'string' ? [`<li>${escapedHtml(option['name'])}</li>`] : [],
  );
  return names.length === 0 ? '' : `<ul>${names.join('')}</ul>`;
}

/**
 * Returns a function that finds a post's media file. It ignores the folders before `media_attachments` in a path,
 * because they differ between servers.
 */
function mediaFinder({ files }: Archive): MediaFinder {
  const byEnd = new Map(
    [...files.values()].flatMap((file) => {
      const start = file.path.indexOf('media_attachments/');
      return start === -1 ? [] : [[file.path.slice(start), file] as const];
    }),
  );
  return (attachment) => {
    if (!isRecord(attachment) || typeof attachment['url'] !== 'string') return [];
    const { url, name, mediaType } = attachment;
    const end = /media_attachments\/[^?#]*/.exec(url)?.[0];
    const source = (end === undefined ? undefined : byEnd.get(end)) ?? (isWebUrl(url) ? url : undefined);
    // If the file is missing from the archive, return its path, so that the import reports the missing file to the
    // owner.
    return [
      {
        source: source ?? url,
        alt: typeof name === 'string' ? name : '',
        property: propertyOf(typeof mediaType === 'string' ? mediaType : ''),
      },
    ];
  };
}

function propertyOf(mediaType: string): FoundMedia['property'] {
  if (mediaType.startsWith('video/')) return 'video';
  return mediaType.startsWith('audio/') ? 'audio' : 'photo';
}
