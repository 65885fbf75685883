import { type MentionType, mentionTypes } from '../../contract/mention-types.ts';
import { cleanFacts, webAddress } from '../../mentions/clean-facts.ts';
import { visibleText } from '../../untrusted/pages/html-scan.ts';
import type { XmlElement } from '../archive-items.ts';
import { type Finding, firstWords } from '../found-post.ts';
import { textIn, wordpressDate } from './elements.ts';
import { writtenHtml } from './paragraphs.ts';
import { piecesOf } from './pieces.ts';

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
export function commentedUrl(item: XmlElement): string | undefined {
  return commentsOf(item).length === 0 ? undefined : webAddress(textIn(item, 'link').trim());
}

/**
 * Yields the comments of a WordPress post as mentions that wait for the owner, and counts those that are left out. Leaves
 * out the email and IP addresses of their authors.
 */
export function* wordpressComments(item: XmlElement): Generator<Finding> {
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
