import { postKinds } from '../contract/post-kinds.ts';
import type { PostItem } from '../contract/posts.ts';
import { momentWords } from './rendering/moment.ts';
import type { ChangedPost } from './changed-post.ts';

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
  const kind = postKinds[item.kind].one;
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
