import { isDeepStrictEqual } from 'node:util';
import type { Post } from '../../contract/posts.ts';
import type { PostContent, PostStore } from '../../posts/post-store.ts';
import type { Clock } from '../../platform/clock.ts';
import { propertyValues } from '../../posts/values.ts';
import type { PostCopy } from './copies.ts';

interface CopyKeepingDeps {
  readonly posts: Pick<PostStore, 'get' | 'change'>;
  readonly clock: Clock;
  /** Called once a post has changed, with the post before the change. */
  readonly changed: (post: Post, before: Post) => Promise<void>;
}

/**
 * Returns a function that stores the URL of a copy as `syndication` of its post. The post's page then links to the copy.
 * The change is no new version of the post, so the owner can still undo their own last change.
 */
export function copyKeeping({ posts, clock, changed }: CopyKeepingDeps) {
  return async (copy: PostCopy): Promise<void> => {
    const before = await posts.get(copy.path);
    if (!before || before.deletedAt !== null || isDeepStrictEqual(withSyndication(before, copy), before))
      return;
    const post = await posts.change(copy.path, (content) => withSyndication(content, copy), {
      now: clock(),
      isOwn: true,
    });
    await changed(post, before);
  };
}

/** Adds the URL of a copy to a post's content, unless the content has it. Removes the URL that the copy replaces. */
function withSyndication<T extends PostContent>(content: T, { url, former }: PostCopy): T {
  const values = propertyValues(content.properties, 'syndication');
  const kept = values.filter((value) => value !== former || value === url);
  const syndication = kept.includes(url) ? kept : [...kept, url];
  return { ...content, properties: { ...content.properties, syndication } };
}
