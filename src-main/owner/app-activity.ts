import type { PostChange } from '../contract/posts.ts';
import type { Clock } from '../platform/clock.ts';
import type { FloodGate } from './flood-gate.ts';
import type { ChangedPost } from '../post/changed-post.ts';
import { postWords } from './post-words.ts';
import { itemOf } from './posts.ts';

export type AppActivity = ReturnType<typeof createAppActivity>;

const verbs: Record<PostChange['change'], string> = {
  created: 'created',
  updated: 'updated',
  deleted: 'deleted',
  undeleted: 'restored',
};

/**
 * Creates the recorder of what apps do through Micropub. It counts each app separately, so that none hides another.
 * `base`: returns the public origin.
 */
export function createAppActivity(gate: FloodGate, base: () => string, clock: Clock) {
  return {
    posted(told: ChangedPost, appName: string): void {
      const { change, post } = told;
      gate.pass({
        group: `${appName} ${change}`,
        kind: `post.${change}`,
        words: postWords(appName, told, itemOf(post, base(), clock())),
        more: (count) => `${appName} ${verbs[change]} ${count} more ${count === 1 ? 'post' : 'posts'}.`,
      });
    },

    deletedFile({ name }: { readonly name: string }, appName: string): void {
      gate.pass({
        group: `${appName} media`,
        kind: 'media.deleted',
        words: `${appName} deleted the file ${name}.`,
        more: (count) => `${appName} deleted ${count} more ${count === 1 ? 'file' : 'files'}.`,
      });
    },
  };
}
