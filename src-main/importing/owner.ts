import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { EventHub, Handlers, Result } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import {
  type ArchiveFormat,
  archiveNames,
  type PostImportProgress,
  type SkippedPart,
} from '../contract/post-import.ts';
import { postUrl } from '../posts/address.ts';
import type { Activity } from '../storage/records/activity.ts';
import { pageHash } from './import-extras.ts';
import type { RecordedPost, RecordedRun } from './import-records.ts';
import type { ImportRunDeps, ImportWork } from './import-run.ts';
import { inFlight, stopping, untilAborted } from './in-flight.ts';

/** The archives that the owner uploaded in a browser. */
export interface UploadedArchives {
  /** Runs `work` with an archive. Removes it afterwards if it was uploaded and `isLast` returns true. */
  using<T>(path: string, work: () => Promise<T>, isLast: (result: T) => boolean): Promise<T>;
  isUpload(path: string): boolean;
}

interface PostImportDeps extends ImportRunDeps {
  readonly uploads: UploadedArchives;
  readonly hub: EventHub;
  readonly activity: Activity;
}

/** The minimum time between two progress events, in ms. */
const patience = 200;

/** Creates the handlers for importing posts. Only one import or undo runs at a time. */
export function postImports(deps: PostImportDeps) {
  const { hub, activity, imports, mentions, mentionApproved, uploads, now } = deps;
  let progress: PostImportProgress | null = null;
  let running:
    | { readonly id: string; readonly ending: AbortController; readonly ended: Promise<unknown> }
    | undefined;
  let isStopped = false;

  function report(next: PostImportProgress): void {
    progress = next;
    hub.emit('posts.importProgress', next);
  }

  /** Runs one task. `ended`: returns the final progress event for the task's result. */
  async function run<T>(
    id: string,
    work: (work: ImportWork) => Promise<T>,
    ended: (result: T) => Ending,
  ): Promise<T> {
    if (isStopped)
      throw new PorchlightError('cancelled', 'Porchlight is stopping, so it didn’t start this.', 409);
    if (running)
      throw new PorchlightError(
        'busy',
        'Another import is running. Wait until it finishes, or cancel it.',
        409,
      );
    const ending = new AbortController();
    const task = doWork(id, work, ended, ending.signal).finally(() => (running = undefined));
    running = { id, ending, ended: task.catch(() => undefined) };
    return task;
  }

  async function doWork<T>(
    id: string,
    work: (work: ImportWork) => Promise<T>,
    ended: (result: T) => Ending,
    signal: AbortSignal,
  ): Promise<T> {
    let reportedAt = -Infinity;
    let current = id;
    try {
      const result = await work({
        signal,
        continues: (other) => void (current = other),
        progress(state, done, total, hasMentions = false) {
          if (now() - reportedAt < patience) return;
          reportedAt = now();
          report({
            id: current,
            state,
            done,
            total,
            words: underWay(state, done, total, hasMentions ? 'item' : 'post'),
          });
        },
      });
      report({ id: current, ...ended(result) });
      return result;
    } catch (error) {
      const isCancelled = error instanceof PorchlightError && error.code === 'cancelled';
      const words =
        error instanceof PorchlightError ? error.message : 'Something went wrong. See the log for details.';
      report({ id: current, state: isCancelled ? 'cancelled' : 'failed', done: 0, total: 0, words });
      throw error;
    }
  }

  return {
    handlers: {
      'posts.import': async ({ path: given, format, dryRun = false, ownExport = false }) => {
        const [id, path] = [randomUUID(), resolve(given)];
        const importNow = () =>
          run(
            id,
            async (work) => {
              work.progress('checking', 0, 0);
              // Loads the importer when it is first needed. Loading it at startup would slow down each start.
              const { openInThread } = await import('./archive-thread.ts');
              const { importer } = await import('./import-run.ts');
              const archive = await openInThread({ path, format, signal: work.signal });
              try {
                return await importer(deps).run(archive, { id, path, dryRun, ownExport }, work);
              } finally {
                await archive.close();
              }
            },
            ({ state, format: read, imported, found, mentions, pages }) => ({
              state: state === 'cancelled' ? state : 'done',
              done: imported,
              total: imported,
              words: dryRun
                ? `Checked ${counted(found)}.`
                : importedWords(state, { format: read, posts: imported, mentions, pages }),
            }),
          );
        // A cancelled import can be continued.
        const report = await uploads.using(path, importNow, ({ state }) => state === 'done');
        const { imported, pages } = report;
        const items = { format: report.format, posts: imported, mentions: report.mentions, pages };
        if (!dryRun && imported + items.mentions + pages > 0)
          await activity.record(
            'post.imported',
            `You imported ${all(items)} from ${archiveNames[report.format]}.`,
          );
        return report;
      },

      'posts.cancelImport': async ({ id }) => {
        const task = running;
        if (!task || (id !== undefined && progress?.id !== id)) return { cancelled: false };
        task.ending.abort();
        await task.ended;
        return { cancelled: true };
      },

      'posts.undoImport': async ({ id }) => {
        const format = imports.find(id)?.format ?? 'porchlight';
        const { result } = await run(
          id,
          async (work) => {
            const found = imports.find(id);
            if (!found) throw noSuchImport();
            return undoRun(deps, found, work);
          },
          ({ result: { deleted, mentions, pages }, isWhole }) => {
            const items = all({ format, posts: deleted, mentions, pages });
            return {
              state: isWhole ? 'done' : 'cancelled',
              done: deleted,
              total: deleted,
              words: isWhole
                ? `Deleted ${items}.`
                : `Cancelled. Deleted ${items} so far. Undo again to continue.`,
            };
          },
        );
        const items = { format, posts: result.deleted, mentions: result.mentions, pages: result.pages };
        await activity.record('post.importUndone', `You undid an import: ${all(items)} deleted.`);
        return result;
      },

      'posts.approveImport': async ({ id }) => {
        if (!imports.find(id)) throw noSuchImport();
        let approved = 0;
        for await (const some of inGroups(imports.items(id, 'mention'), mostTogether)) {
          const waiting: string[] = [];
          for (const { place } of some) {
            const mention = await mentions.get(place);
            if (mention?.comment && mention.status === 'held') waiting.push(mention.id);
          }
          const { changed } = await mentions.decideAll(waiting, 'approved');
          for (const { mention } of changed) mentionApproved(mention);
          approved += changed.length;
        }
        if (approved > 0)
          await activity.record(
            'webmention.approved',
            `You approved ${counted(approved, 'comment')} of an import.`,
          );
        return { approved };
      },

      'posts.imports': () => {
        const items = imports.list();
        const isRunning = (id: string) => running !== undefined && progress?.id === id;
        return {
          items: items.map((item) => ({
            ...item,
            ...(isRunning(item.id) && { state: 'running' }),
            isUpload: uploads.isUpload(item.path),
          })),
          progress,
        };
      },
    } satisfies Partial<Handlers>,

    /** Interrupts the running import once the posts in progress are written. The owner can continue it later. */
    async stop(): Promise<void> {
      isStopped = true;
      running?.ending.abort(stopping);
      await running?.ended;
    },
  };
}

const noSuchImport = () => new PorchlightError('not_found', 'Porchlight has no record of this import.', 404);

type Ending = Omit<PostImportProgress, 'id'>;

function underWay(
  state: 'checking' | 'importing' | 'undoing',
  done: number,
  total: number,
  one: string,
): string {
  if (state === 'checking') return `Checking: ${counted(done)} so far.`;
  const verb = state === 'importing' ? 'Imported' : 'Deleted';
  return `${verb} ${done.toLocaleString('en')} of ${counted(total, one)}.`;
}

interface Imported {
  readonly format: ArchiveFormat;
  readonly posts: number;
  readonly mentions: number;
  readonly pages: number;
}

function importedWords(state: string, imported: Imported): string {
  if (state === 'cancelled') return `Cancelled. Porchlight keeps the ${all(imported)} that it has imported.`;
  const isNothing = imported.posts + imported.mentions + imported.pages === 0;
  return isNothing ? 'There was nothing new to import.' : `Imported ${all(imported)}.`;
}

const counted = (count: number, one = 'post') =>
  `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`;

/** Names the posts, and the mentions and pages if there are any. */
function all({ format, posts, mentions, pages }: Imported): string {
  const others = [
    ...(mentions > 0 ? [counted(mentions, format === 'wxr' ? 'comment' : 'mention')] : []),
    ...(pages > 0 ? [counted(pages, 'page')] : []),
  ];
  const parts = posts > 0 || others.length === 0 ? [counted(posts), ...others] : others;
  return parts.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}

const mostKept = 200;
const mostInFlight = 16;
/** How many mentions are erased or approved together. */
const mostTogether = 100;

/**
 * Deletes the posts, files, mentions and pages that a run added. Keeps what has changed since, and files that are in use.
 * Idempotent, so a cancelled undo can be continued. In the result, `isWhole` is true if the undo finished.
 */
async function undoRun(
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
    const { items } = await posts.list({ limit: 1, filter: { uses: path }, isBegun: true });
    if (items.length > 0) keep(file.name, 'A post uses this file.');
    else if (isOnSite(path)) keep(file.name, 'Your site uses this file.');
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
      const undecided = mention.comment ? ['imported', 'approved'] : ['imported', 'received'];
      const isDecided = last !== undefined && !undecided.includes(last.what) && last.at > at;
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

  const report = () => progress('undoing', done, run.posts + run.mentions, run.mentions > 0);
  const added = (kind: 'post' | 'file' | 'mention' | 'page') =>
    untilAborted(imports.items(run.id, kind), signal);

  await inFlight(added('post'), mostInFlight, async ({ key, place, at }) => {
    await remove(key, { path: place, createdAt: at });
    done += 1;
    report();
  });
  for await (const some of inGroups(added('mention'), mostTogether)) {
    await eraseMentions(some);
    done += some.length;
    report();
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
