import type { Post, PostChange } from '../contract/posts.ts';
import { kindOf } from '../micropub/post-kind.ts';
import type { FloodGate } from './flood-gate.ts';

/** Writes down what apps do by Micropub. */
export interface AppActivity {
  posted(change: AppChange, appName: string): void;
  deletedFile(file: { readonly name: string }, appName: string): void;
}

interface AppChange {
  readonly post: Post;
  readonly change: PostChange['change'];
  /** Where the post is. */
  readonly url: string;
}

const verbs: Record<PostChange['change'], string> = {
  created: 'posted',
  updated: 'changed',
  deleted: 'deleted',
  undeleted: 'brought back',
};

/** Each app is counted for itself, so that a busy one hides nobody. */
export function createAppActivity(gate: FloodGate): AppActivity {
  return {
    posted({ post, change, url }, appName) {
      const verb = verbs[change];
      const draft = post.status === 'draft' ? 'draft of a ' : '';
      const what = `${draft}${kindOf(post.properties, post.type)}`;
      gate.pass({
        group: `${appName} ${change}`,
        kind: `post.${change}`,
        words: `${appName} ${verb} the ${what} at ${url}`,
        more: (count) => `${appName} ${verb} ${count} more ${count === 1 ? 'post' : 'posts'}.`,
      });
    },

    deletedFile({ name }, appName) {
      gate.pass({
        group: `${appName} media`,
        kind: 'media.deleted',
        words: `${appName} deleted the file ${name}.`,
        more: (count) => `${appName} deleted ${count} more ${count === 1 ? 'file' : 'files'}.`,
      });
    },
  };
}
