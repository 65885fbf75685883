import type { Result } from '../../contract/contract.ts';
import type { SkippedPart } from '../../contract/post-import.ts';
import type { ImportRunDeps, ImportWork } from './import-run.ts';
import type { RecordedPost, RecordedRun } from './import-journal.ts';
import { postUrl } from '../../post/address.ts';
import { inFlight, untilAborted } from './in-flight.ts';

const mostKept = 200;
const mostInFlight = 16;

/**
 * Deletes the posts and files that a run added. Keeps posts that the owner has changed, and files that are in use.
 * Idempotent, so a cancelled undo can be continued. In the result, `isWhole` is true if the undo finished.
 */
export async function undoRun(
  { posts, media, journals, base, now, isOnSite, changed }: ImportRunDeps,
  run: RecordedRun,
  { signal, progress }: Pick<ImportWork, 'signal' | 'progress'>,
): Promise<{ result: Result<'posts.undoImport'>; isWhole: boolean }> {
  const journal = journals.journal(run.id);
  const kept: SkippedPart[] = [];
  let [keptCount, deleted, files, done] = [0, 0, 0, 0];
  const keep = (what: string, why: string) => {
    keptCount += 1;
    if (kept.length < mostKept) kept.push({ what, why });
  };

  async function remove(key: string, { path, createdAt }: RecordedPost): Promise<void> {
    const post = await posts.get((await posts.movedTo(path)) ?? path);
    // Don't delete a different post at this path. The path can have a different post if the process was killed before
    // it wrote the run's post.
    if (post?.createdAt !== createdAt || post.deletedAt !== null) return;
    const isChanged = post.updatedAt !== post.createdAt || (await posts.edits(post.path)) !== null;
    if (isChanged) {
      keep(postUrl(base(), post), 'You have changed this post since.');
      return;
    }
    const at = now();
    await journal.undone(key, new Date(at).toISOString());
    const after = await posts.setDeleted(post.path, true, at);
    deleted += 1;
    await changed(after, post);
  }

  async function removeFile(path: string): Promise<void> {
    const file = await media.get(path);
    if (file === undefined) return;
    const { items } = await posts.list({ limit: 1, filter: { uses: path } });
    if (items.length > 0) keep(file.name, 'A post uses this file.');
    else if (isOnSite(path)) keep(file.name, 'Porchlight’s site uses this file.');
    else {
      await media.delete(path);
      files += 1;
    }
  }

  try {
    await inFlight(untilAborted(run.posts, signal), mostInFlight, async ([key, post]) => {
      await remove(key, post);
      done += 1;
      progress('undoing', done, run.posts.size);
    });
    for await (const path of untilAborted(run.files.values(), signal)) await removeFile(path);
    if (!signal.aborted) await journal.end('undone');
  } finally {
    await journal.close();
  }
  return { result: { deleted, files, kept, keptCount }, isWhole: !signal.aborted };
}
