import type { Result } from '../../contract/contract.ts';
import type { SkippedPart } from '../../contract/post-import.ts';
import type { ImportRunDeps, ImportWork } from './import-run.ts';
import type { RecordedPost, RecordedRun } from './import-journal.ts';
import { inFlight } from './in-flight.ts';

const mostKept = 200;
const mostInFlight = 16;

/** Deletes what a run added, except what the owner has changed or uses. Doing it again has the same effect. */
export async function undoRun(
  { posts, media, journals, base, now, changed }: ImportRunDeps,
  run: RecordedRun,
  { progress }: Pick<ImportWork, 'progress'>,
): Promise<Result<'posts.undoImport'>> {
  const kept: SkippedPart[] = [];
  let [keptCount, deleted, files, done] = [0, 0, 0, 0];
  const keep = (what: string, why: string) => {
    keptCount += 1;
    if (kept.length < mostKept) kept.push({ what, why });
  };

  async function remove({ path, createdAt }: RecordedPost): Promise<void> {
    const post = await posts.get((await posts.movedTo(path)) ?? path);
    // Another post may be at this path if a kill came before the post was written.
    if (post?.createdAt !== createdAt || post.deletedAt !== null) return;
    const isChanged = post.updatedAt !== post.createdAt || (await posts.edits(post.path)) !== null;
    if (isChanged) {
      keep(new URL(post.path, base()).href, 'You have changed this post since.');
      return;
    }
    const after = await posts.setDeleted(post.path, true, now());
    deleted += 1;
    await changed(after, post);
  }

  await inFlight(run.posts.values(), mostInFlight, async (post) => {
    await remove(post);
    done += 1;
    progress('undoing', done, run.posts.size);
  });
  for (const path of run.files.values()) {
    const file = await media.get(path);
    if (file === undefined) continue;
    const { items } = await posts.list({ limit: 1, filter: { uses: path } });
    if (items.length > 0) keep(file.name, 'A post uses this file.');
    else {
      await media.delete(path);
      files += 1;
    }
  }
  const journal = journals.journal(run.id);
  try {
    await journal.end('undone');
  } finally {
    await journal.close();
  }
  return { deleted, files, kept, keptCount };
}
