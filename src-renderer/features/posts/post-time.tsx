import type { ReactElement } from 'react';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Ago, Until } from '../../ui/moment.tsx';

/** Shows when a post was published, or when it will be. */
export function PostTime({ post }: { post: PostItem }): ReactElement {
  // An app can send text that is not a date.
  if (Number.isNaN(Date.parse(post.published))) return <Foreign text={post.published} />;
  return post.status === 'scheduled' ? <Until at={post.published} /> : <Ago at={post.published} />;
}
