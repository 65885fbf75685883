import type { Result } from '../contract/contract.ts';
import type { SkippedPart } from '../contract/post-import.ts';
import type { ImportRunDeps, ImportWork } from './import-run.ts';
import type { RecordedPost, RecordedRun } from './import-records.ts';
import { postUrl } from '../posts/address.ts';
import { pageHash } from './import-extras.ts';
import { inFlight, untilAborted } from './in-flight.ts';

const mostKept = 200;
const mostInFlight = 16;
/** How many mentions are erased together. */
const mostErased = 100;

/**
 * Deletes the posts, files, mentions and pages that a run added. Keeps what has changed since, and files that are in use.
 * Idempotent, so a cancelled undo can be continued. In the result, `isWhole` is true if the undo finished.
 */
export async function undoRun(
  { posts, media, mentions, pages, imports, base, now, isOnSite, changed }: ImportRunDeps,
  run: RecordedRun,
  { signal, progress }: Pick<ImportWork, 'signal' | 'progress'>,
): Promise<{ result: Result<'posts.undoImport'>; isWhole: boolean }> {
  const records = imports.of(run.id);
  const kept: SkippedPart[] = [];
  let [keptCount, deleted, files, erased, removedPages, done] = [0, 0, 0, 0, 0, 0];
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
    await records.undone(key, new Date(at).toISOString());
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

  /** Erases mentions that are as the run left them. */
  async function eraseMentions(
    all: readonly { readonly place: string; readonly at: string }[],
  ): Promise<void> {
    const untouched: string[] = [];
    for (const { place: id, at } of all) {
      const mention = await mentions.get(id);
      if (mention === undefined) continue;
      const last = mention.history.at(-1);
      const isDecided =
        last !== undefined && last.what !== 'imported' && last.what !== 'received' && last.at > at;
      if (isDecided || mention.parsed > at) keep(mention.source, 'This mention has changed since.');
      else untouched.push(id);
    }
    erased += (await mentions.erase(untouched)).length;
  }

  async function removePage(slug: string, hash: string): Promise<void> {
    const page = pages.all().find((one) => one.slug === slug);
    if (page === undefined) return;
    if (pageHash(page) !== hash) keep(`/${slug}`, 'You have changed this page since.');
    else {
      await pages.replace(pages.all().filter((one) => one.slug !== slug));
      removedPages += 1;
    }
  }

  const told = () => progress('undoing', done, run.posts + run.mentions, run.mentions > 0);
  const added = (kind: 'post' | 'file' | 'mention' | 'page') =>
    untilAborted(imports.items(run.id, kind), signal);

  await inFlight(added('post'), mostInFlight, async ({ key, place, at }) => {
    await remove(key, { path: place, createdAt: at });
    done += 1;
    told();
  });
  for await (const some of inGroups(added('mention'), mostErased)) {
    await eraseMentions(some);
    done += some.length;
    told();
  }
  for await (const { key, place } of added('page')) await removePage(key, place);
  for await (const { place } of added('file')) await removeFile(place);
  if (!signal.aborted) await records.end('undone');
  const result = { deleted, files, mentions: erased, pages: removedPages, kept, keptCount };
  return { result, isWhole: !signal.aborted };
}

/** Yields items in groups of `size`; the last group may be smaller. */
async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
