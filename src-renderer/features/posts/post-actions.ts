import type { Params } from '../../../src-main/contract/contract.ts';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { useAction, useClient } from '../../client/queries.ts';
import { writeHash } from '../../routes.ts';
import { showPostNote } from './post-note.tsx';
import { actionWords } from './words.ts';

/** What the owner does with posts. A notification reports each result, with Undo where that is possible. */
export interface PostActions {
  readonly remove: (post: PostItem) => void;
  readonly restore: (post: PostItem) => void;
  /** Publishes a draft. `version`: the version that the owner saw; absent for the current one. */
  readonly publish: (post: PostItem, version?: string) => void;
  /** Creates a draft with the same content, and opens it in the editor. */
  readonly duplicate: (post: PostItem) => void;
  /** Restores the version before the last change. */
  readonly undoLast: (post: PostItem, version?: string) => void;
  readonly restoreVersion: (post: PostItem, id: string, version: string) => void;
}

/** Returns the actions on posts. `onMoved`: called with the old URL of a post that got another one. */
export function usePostActions(onMoved: (from: string, post: PostItem) => void): PostActions {
  const client = useClient();
  const { mutateAsync: remove } = useAction('posts.delete');
  const { mutateAsync: undelete } = useAction('posts.undelete');
  const { mutateAsync: create } = useAction('posts.create');
  const { mutateAsync: update } = useAction('posts.update');
  const { mutateAsync: restoreVersion } = useAction('posts.restoreVersion');

  async function removeNow({ url }: PostItem): Promise<void> {
    const removed = await remove({ url });
    const onUndo = () => attempt(removed, actionWords.notRestored, restoreNow);
    showPostNote(removed, actionWords.deleted, { onUndo });
  }

  async function restoreNow({ url }: PostItem): Promise<void> {
    showPostNote(await undelete({ url }), actionWords.restored);
  }

  async function publishNow(post: PostItem, version?: string): Promise<void> {
    const { url } = post;
    // To publish is to save the post, which would discard what the owner is still writing.
    const { edits } = await client.call('posts.edits', { url });
    if (edits !== null) {
      showPostNote(post, actionWords.notPublished, { reason: actionWords.hasEdits });
      return;
    }
    const ifVersion = version ?? (await client.call('posts.get', { url })).version;
    const saved = await update({ url, status: 'published', ifVersion });
    if (saved.url !== url) onMoved(url, saved);
    const words = saved.status === 'scheduled' ? actionWords.scheduled : actionWords.published;
    showPostNote(saved, words, { onUndo: () => undoLast(saved, saved.version) });
  }

  async function duplicateNow({ url }: PostItem): Promise<void> {
    const source = await client.call('posts.source', { url });
    const copy: Params<'posts.create'> & Partial<typeof source> = { ...source, status: 'draft' };
    delete copy.version;
    delete copy.slug;
    delete copy.published;
    window.location.hash = writeHash({ post: (await create(copy)).url });
  }

  async function restoreVersionNow(
    post: PostItem,
    id: string,
    version: string,
    words: string,
  ): Promise<void> {
    const saved = await restoreVersion({ url: post.url, id, ifVersion: version });
    showPostNote(saved, words, { onUndo: () => undoLast(saved, saved.version) });
  }

  async function undoLastNow(post: PostItem, version?: string): Promise<void> {
    const { url } = post;
    const ifVersion = version ?? (await client.call('posts.get', { url })).version;
    const [last] = (await client.call('posts.history', { url })).items;
    if (last) await restoreVersionNow(post, last.id, ifVersion, actionWords.undone);
    else showPostNote(post, actionWords.nothingToUndo);
  }

  const undoLast = (post: PostItem, version?: string) =>
    attempt(post, actionWords.notUndone, () => undoLastNow(post, version));

  return {
    remove: (post) => attempt(post, actionWords.notDeleted, removeNow),
    restore: (post) => attempt(post, actionWords.notRestored, restoreNow),
    publish: (post, version) => attempt(post, actionWords.notPublished, () => publishNow(post, version)),
    duplicate: (post) => attempt(post, actionWords.notDuplicated, duplicateNow),
    undoLast,
    restoreVersion: (post, id, version) =>
      attempt(post, actionWords.notRestored, () =>
        restoreVersionNow(post, id, version, actionWords.versionRestored),
      ),
  };
}

/** Runs an action. If it fails, says so with `words`, the post's title and the reason. */
function attempt(post: PostItem, words: string, action: (post: PostItem) => Promise<void>): void {
  action(post).catch((error: unknown) =>
    showPostNote(post, words, { reason: error instanceof Error ? error.message : '' }),
  );
}
