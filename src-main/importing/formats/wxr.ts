import { visibleText } from '../../untrusted/pages/html-scan.ts';
import { type Archive, type ArchiveFile, firstText } from '../archive.ts';
import { firstWords, isWebUrl, slugIn, type Finding } from '../found-post.ts';
import { type Attachment, type Attachments, wordpressHtml } from '../wordpress/post-html.ts';
import { type XmlElement, xmlElementsIn } from '../archive-items.ts';
import {
  damagedPost,
  filesNamed,
  longestText,
  noDate,
  skippedPost,
  tooLong,
  type ArchiveReader,
  isoDate,
  isoTime,
  momentOf,
} from './reader.ts';
import { type MentionType, mentionTypes } from '../../contract/mention-types.ts';
import { cleanFacts, webAddress } from '../../mentions/clean-facts.ts';
import { writtenHtml } from '../wordpress/paragraphs.ts';
import { piecesOf } from '../wordpress/pieces.ts';
import { offsetText } from '../../posts/date.ts';

/** Reads a WordPress export (WXR): an RSS file, or a zip of several RSS files. */
export const wxr: ArchiveReader = {
  format: 'wxr',
  async postFiles(archive) {
    const found: ArchiveFile[] = [];
    for (const file of filesNamed(archive, /\.(?:xml|wxr|rss)$/i).slice(0, 1000))
      if (/xmlns:wp=["']https?:\/\/wordpress\.org\/export\//.test(await firstText(file))) found.push(file);
    return found;
  },
  async *read(_archive: Archive, files) {
    const attachments = await attachmentsIn(files);
    for (const file of files)
      for await (const item of xmlElementsIn(file, 'item'))
        yield item === undefined ? skippedPost('A post', damagedPost) : findingIn(item, attachments);
    // Comments come last, because they belong to the posts.
    for (const file of files)
      for await (const item of xmlElementsIn(file, 'item')) if (item) yield* wordpressComments(item);
  },
};

/** The maximum number of attachments, and of characters in what is known of them, because all are kept in memory. */
const mostAttachments = 200_000;
const mostCharacters = 30_000_000;
const mostInAttachment = { url: 4096, words: 1000 };

/** Returns all attachments. A post identifies its featured picture and those of its galleries only by their IDs. */
async function attachmentsIn(files: Iterable<ArchiveFile>): Promise<Attachments> {
  const byId = new Map<string, Attachment>();
  const ofPost = new Map<string, string[]>();
  let characters = 0;
  for (const file of files)
    for await (const item of xmlElementsIn(file, 'item')) {
      const url = item && textIn(item, 'wp:attachment_url').trim();
      if (!item || !isWebUrl(url) || url.length > mostInAttachment.url) continue;
      const id = textIn(item, 'wp:post_id');
      const alt = metaOf(item, '_wp_attachment_image_alt').slice(0, mostInAttachment.words);
      const caption = textIn(item, 'excerpt:encoded').trim();
      const post = textIn(item, 'wp:post_parent');
      characters += id.length + url.length + alt.length + caption.length + post.length;
      if (byId.size >= mostAttachments || characters > mostCharacters) continue;
      byId.set(id, { url, alt, caption: caption.length > mostInAttachment.words ? '' : caption });
      const siblings = ofPost.get(post);
      if (siblings) siblings.push(id);
      else if (Number(post) > 0) ofPost.set(post, [id]);
    }
  return { byId, ofPost };
}

const statuses: Readonly<Record<string, 'published' | 'draft' | 'private'>> = {
  publish: 'published',
  future: 'published',
  draft: 'draft',
  pending: 'draft',
  private: 'private',
};

const otherTypes: Readonly<Record<string, string>> = {
  page: 'It is a page, not a post.',
  attachment: 'It is an uploaded file. Porchlight copies it if a post shows it.',
};

function findingIn(item: XmlElement, attachments: Attachments): Finding {
  const title = visibleText(textIn(item, 'title')).trim();
  const html = textIn(item, 'content:encoded');
  const link = textIn(item, 'link').trim();
  const what = firstWords(title) || firstWords(html) || link.slice(0, 200) || 'A post';
  const type = textIn(item, 'wp:post_type') || 'post';
  if (type !== 'post') {
    const why = otherTypes[type] ?? 'WordPress uses it for its own purposes.';
    return { skipped: { what, why } };
  }
  const status = statuses[textIn(item, 'wp:status') || 'publish'];
  if (status === undefined) return skippedPost(what, 'WordPress has it in its trash, or never saved it.');
  const published = wordpressDate(item, 'wp:post_date', textIn(item, 'pubDate'));
  if (published === undefined && status !== 'draft') return skippedPost(what, noDate);
  if (html.length > longestText) return skippedPost(what, tooLong);
  const isLocked = textIn(item, 'wp:post_password').trim() !== '';
  const picture = attachments.byId.get(metaOf(item, '_thumbnail_id'));
  const { html: text, lost } = wordpressHtml(html, textIn(item, 'wp:post_id'), attachments);
  const isLive = status === 'published' && isWebUrl(link);
  return {
    post: {
      key:
        textIn(item, 'guid').trim() ||
        link ||
        `${textIn(item, 'wp:post_id')} ${textIn(item, 'wp:post_date')}`,
      text,
      lost,
      format: 'html',
      published,
      name: title === '' ? undefined : title,
      summary: textIn(item, 'excerpt:encoded').trim() || undefined,
      categories: categoriesOf(item),
      slug: decodedSlug(textIn(item, 'wp:post_name')) ?? slugIn(link.includes('?') ? undefined : link),
      status: status === 'draft' ? 'draft' : 'published',
      visibility: status === 'private' || isLocked ? 'private' : 'public',
      syndication: isLive ? [link] : [],
      address: commentedUrl(item),
      responses: {},
      media: picture === undefined ? [] : [{ source: picture.url, alt: picture.alt, property: 'featured' }],
    },
  };
}

function categoriesOf({ children }: XmlElement): string[] {
  return (
    children
      .filter(({ name, attributes }) => {
        const domain = attributes.get('domain');
        const isDefault = attributes.get('nicename') === 'uncategorized';
        return name === 'category' && (domain === 'category' || domain === 'post_tag') && !isDefault;
      })
      // WordPress escapes names, although they are in CDATA.
      .map(({ text }) => visibleText(text))
  );
}

function metaOf({ children }: XmlElement, key: string): string {
  const meta = children.find((child) => child.name === 'wp:postmeta' && textIn(child, 'wp:meta_key') === key);
  return meta ? textIn(meta, 'wp:meta_value') : '';
}

function decodedSlug(name: string): string | undefined {
  return name.trim() === '' ? undefined : slugIn(`/${name.trim().replace(/[/?#]/g, '-')}`);
}

/** The types of comments in WordPress and its webmention plugin that others wrote for readers. */
const types: Readonly<Record<string, MentionType>> = {
  '': 'reply',
  comment: 'reply',
  reply: 'reply',
  pingback: 'mention',
  trackback: 'mention',
  webmention: 'mention',
  mention: 'mention',
  like: 'like',
  favorite: 'like',
  repost: 'repost',
  bookmark: 'bookmark',
};

/** The reasons why comments are left out, by what WordPress says about them. */
const leftOut: Readonly<Record<string, string>> = {
  '0': 'In WordPress, the comment still waits for approval.',
  hold: 'In WordPress, the comment still waits for approval.',
  spam: 'In WordPress, the comment is spam.',
  trash: 'In WordPress, the comment is in the trash.',
  'post-trashed': 'In WordPress, the comment is in the trash.',
};
const otherType = 'WordPress uses the comment for its own purposes.';
const damagedComment = 'The comment is damaged, or its post has no web address.';

/** Comments may be longer, but what is stored of each has a limit (see mention-limits.ts). */
const longestContent = 100_000;

const commentsOf = ({ children }: XmlElement) => children.filter(({ name }) => name === 'wp:comment');

/** Returns the URL by which the comments of a post name it; undefined if it has no comments or no web address. */
function commentedUrl(item: XmlElement): string | undefined {
  return commentsOf(item).length === 0 ? undefined : webAddress(textIn(item, 'link').trim());
}

/**
 * Yields the comments of a WordPress post as mentions that wait for the owner, and counts those that are left out. Leaves
 * out the email and IP addresses of their authors.
 */
function* wordpressComments(item: XmlElement): Generator<Finding> {
  const post = commentedUrl(item);
  const skipped = new Map<string, number>();
  for (const comment of commentsOf(item)) {
    const status = textIn(comment, 'wp:comment_approved').trim();
    const why = Object.hasOwn(leftOut, status) ? leftOut[status] : undefined;
    const found = why ?? mentionIn(comment, post);
    if (typeof found === 'string') skipped.set(found, (skipped.get(found) ?? 0) + 1);
    else yield found;
  }
  const title = visibleText(textIn(item, 'title')).trim();
  const what = `Comments on “${firstWords(title) || (post ?? '').slice(0, 200) || 'a post'}”`;
  for (const [why, count] of skipped) yield { skipped: { what, why }, count };
}

/** Returns a comment as a mention of its post, or the reason why that isn't possible. */
function mentionIn(comment: XmlElement, post: string | undefined): Finding | string {
  const kind = textIn(comment, 'wp:comment_type').trim().toLowerCase();
  const type = Object.hasOwn(types, kind) ? types[kind] : undefined;
  if (type === undefined) return otherType;
  const id = textIn(comment, 'wp:comment_id').trim();
  const source = webAddress(`${post?.replace(/#.*$/s, '')}#comment-${id}`);
  if (post === undefined || source === undefined || !/^\d{1,20}$/.test(id)) return damagedComment;
  const content = textIn(comment, 'wp:comment_content').slice(0, longestContent);
  const published = wordpressDate(comment, 'wp:comment_date');
  const url = textIn(comment, 'wp:comment_author_url').trim();
  const facts = cleanFacts(
    {
      type,
      property: mentionTypes[type].property,
      ...(published !== undefined && { published }),
      // A page that linked to the post said so itself. A comment was only written here.
      ...(type !== 'reply' && { url }),
      author: {
        name: visibleText(textIn(comment, 'wp:comment_author')).trim() || 'Anonymous',
        url,
        photo: '',
      },
      content: {
        html: writtenHtml(piecesOf(content.replaceAll('\r\n', '\n')), { isClassic: true }),
        value: '',
      },
    },
    source,
  );
  const at = published ?? '';
  return {
    extra: {
      mention: {
        mention: { source, target: post, facts, received: at, parsed: at, comment: true },
        post,
        own: { status: 'held' },
      },
    },
  };
}

/** Returns the text of an element's child; an empty string if it has no such child. */
const textIn = ({ children }: XmlElement, name: string): string =>
  children.find((child) => child.name === name)?.text ?? '';

/** Returns the time of a post or a comment, with the UTC offset that the blog had at that time. `name`: its element. */
function wordpressDate(item: XmlElement, name: string, otherwise = ''): string | undefined {
  const local = momentIn(textIn(item, name));
  const utc = momentIn(textIn(item, `${name}_gmt`));
  if (utc === undefined) return isoTime(Date.parse(otherwise)) ?? isoDate(textIn(item, name));
  if (isoTime(utc) === undefined) return undefined;
  const minutes = local === undefined ? 0 : (local - utc) / 60_000;
  if (local === undefined || minutes === 0 || minutes % 15 !== 0 || Math.abs(minutes) > 14 * 60)
    return isoTime(utc);
  return `${new Date(local).toISOString().slice(0, 19)}${offsetText(minutes)}`;
}

/**
 * Parses a date such as `2020-05-01 09:30:00` as UTC. Returns undefined for `0000-00-00 00:00:00`, which WordPress
 * writes for a missing date.
 */
function momentIn(text: string): number | undefined {
  const moment = momentOf(text);
  return moment === undefined ? undefined : Date.parse(moment);
}
