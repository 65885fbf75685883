import type { PostItem, PostKind } from '../contract/posts.ts';
import { momentWords } from './rendering/moment.ts';
import type { ChangedPost } from './changed-post.ts';

/** The names of the post kinds, as used within a sentence. */
const kinds: Record<PostKind, string> = {
  note: 'a note',
  article: 'an article',
  photo: 'a photo',
  video: 'a video',
  audio: 'an audio post',
  reply: 'a reply',
  like: 'a like',
  repost: 'a repost',
  bookmark: 'a bookmark',
  rsvp: 'an RSVP',
  event: 'an event',
  checkin: 'a check-in',
};

/**
 * Describes a change to a post as a sentence without the final period: “Quill saved a draft: “On porches””. `who`: an
 * app's name, or “You”. `item`: the changed post, as shown in a list.
 */
export function postWords(
  who: string,
  { change, before }: Pick<ChangedPost, 'change' | 'before'>,
  item: PostItem,
): string {
  const title = item.name === '' ? item.url : `“${item.name}”`;
  return `${who} ${deed(change, before?.status, item)}: ${title}`;
}

function deed(
  change: ChangedPost['change'],
  before: 'published' | 'draft' | undefined,
  item: PostItem,
): string {
  const kind = kinds[item.kind];
  const what = item.status === 'draft' ? 'a draft' : kind;
  if (change === 'deleted') return `deleted ${what}`;
  if (change === 'undeleted') return `restored ${what}`;
  if (change === 'created' || before !== item.status) {
    if (item.status === 'draft')
      return before === 'published' ? `changed ${kind} to a draft` : 'saved a draft';
    if (item.status === 'scheduled' && (change === 'created' || before === 'draft'))
      return `scheduled ${kind} for ${momentWords(item.published) ?? item.published}`;
    if (item.status === 'published') return `published ${kind}`;
  }
  return `updated ${what}`;
}
