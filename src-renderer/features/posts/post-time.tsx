import type { ReactElement } from 'react';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Ago, Until } from '../../ui/moment.tsx';

/** When a post was published, or will be. */
export function PostTime({ post }: { post: PostItem }): ReactElement {
  // It is what an app sent, which need not be a date.
  if (Number.isNaN(Date.parse(post.published))) return <Foreign text={post.published} />;
  return post.status === 'scheduled' ? <Until at={post.published} /> : <Ago at={post.published} />;
}
