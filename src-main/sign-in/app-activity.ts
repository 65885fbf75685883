import type { PostChange } from '../contract/posts.ts';
import type { Clock } from '../platform/clock.ts';
import type { FloodGate } from '../platform/flood-gate.ts';
import type { ChangedPost } from '../posts/changed-post.ts';
import type { AdoptedPost } from '../posts/adopted-post.ts';
import { oneLine } from '../posts/content-text.ts';
import { propertyText } from '../posts/values.ts';
import { postWords } from '../posts/post-words.ts';
import { itemOf } from '../posts/owner.ts';

export type AppActivity = ReturnType<typeof createAppActivity>;

const verbs: Record<PostChange['change'], string> = {
  created: 'created',
  updated: 'updated',
  deleted: 'deleted',
  undeleted: 'restored',
};

/**
 * Creates the functions that record the changes that apps make through Micropub. Each app's changes are counted
 * separately, so that one busy app can't push another app's changes out of the list. `base`: returns the public origin.
 */
export function createAppActivity(gate: Pick<FloodGate, 'pass'>, base: () => string, clock: Clock) {
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

    /** Records that an app changed a post that was already in the owner's folder. */
    editedFile({ file, properties }: AdoptedPost, appName: string): void {
      const title = oneLine(propertyText(properties, 'name') ?? '') || file;
      gate.pass({
        group: `${appName} adopted`,
        kind: 'post.updated',
        words: `${appName} updated a post in your site’s folder: “${title}”`,
        more: (count) =>
          `${appName} updated ${count} more ${count === 1 ? 'post' : 'posts'} in your site’s folder.`,
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
