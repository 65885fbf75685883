import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Handlers, Result } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { archiveNames, type ImportReport, type SkippedPart } from '../contract/post-import.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { ImportRunDeps, ImportWork } from './import-run.ts';
import { countInWords, type ImportTasks } from './import-tasks.ts';
import { inGroups, inFlight, untilAborted } from './in-flight.ts';
import { postUrl } from '../posts/address.ts';
import { pageHash } from './import-extras.ts';
import type { RecordedPost, RecordedRun } from './import-records.ts';

/** The archives that the owner uploaded in a browser. */
export interface UploadedArchives {
  /** Runs `work` with an archive. Removes it afterwards if it was uploaded and `isLast` returns true. */
  using<T>(path: string, work: () => Promise<T>, isLast: (result: T) => boolean): Promise<T>;
  isUpload(path: string): boolean;
}

export interface ImportHandlersDeps extends ImportRunDeps {
  readonly uploads: UploadedArchives;
  readonly activity: Activity;
}

/** How many mentions are approved together. */
const mostTogether = 100;

/** Creates the handlers for the window's calls about imports of posts. */
export function importHandlers(deps: ImportHandlersDeps, tasks: ImportTasks) {
  const { activity, imports, mentions, mentionApproved, uploads } = deps;
  return {
    'posts.import': async ({ path: given, format, dryRun = false, ownExport = false }) => {
      const [id, path] = [randomUUID(), resolve(given)];
      const importNow = () =>
        tasks.run(
          id,
          async (work) => {
            work.progress('checking', 0, 0);
            // Loads the importer when it is first needed. Loading it at startup would slow down each start.
            const { openInThread } = await import('./archive-thread.ts');
            const { Importer } = await import('./import-run.ts');
            const archive = await openInThread({ path, format, signal: work.signal });
            try {
              return await new Importer(deps).run(archive, { id, path, dryRun, ownExport }, work);
            } finally {
              await archive.close();
            }
          },
          (read) => ({
            state: read.state === 'cancelled' ? read.state : 'done',
            done: read.imported,
            total: read.imported,
            words: dryRun ? `Checked ${countInWords(read.found)}.` : importedWords(read),
          }),
        );
      // A cancelled import can be continued.
      const report = await uploads.using(path, importNow, ({ state }) => state === 'done');
      if (!dryRun && countOf(report) > 0)
        await activity.record(
          'post.imported',
          `You imported ${all(report)} from ${archiveNames[report.format]}.`,
        );
      return report;
    },

    'posts.cancelImport': async ({ id }) => ({ cancelled: await tasks.cancel(id) }),

    'posts.undoImport': async ({ id }) => {
      const format = imports.find(id)?.format ?? 'porchlight';
      const { result } = await tasks.run(
        id,
        async (work) => {
          const found = imports.find(id);
          if (!found) throw noSuchImport();
          return new UndoRun(deps, found).undo(work);
        },
        ({ result: { deleted, mentions, pages }, isWhole }) => {
          const items = all({ format, imported: deleted, mentions, pages });
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
      const { deleted: imported, mentions: erased, pages } = result;
      const items = all({ format, imported, mentions: erased, pages });
      await activity.record('post.importUndone', `You undid an import: ${items} deleted.`);
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
          `You approved ${countInWords(approved, 'comment')} of an import.`,
        );
      return { approved };
    },

    'posts.imports': () => ({
      items: imports.list().map((item) => ({
        ...item,
        ...(tasks.isRunning(item.id) && { state: 'running' }),
        isUpload: uploads.isUpload(item.path),
      })),
      progress: tasks.progress,
    }),
  } satisfies Partial<Handlers>;
}

const noSuchImport = () => new PorchlightError('not_found', 'Porchlight has no record of this import.', 404);

/** How many posts, mentions and pages there are. */
type Imported = Pick<ImportReport, 'format' | 'imported' | 'mentions' | 'pages'>;

const countOf = ({ imported, mentions, pages }: Imported) => imported + mentions + pages;

function importedWords(report: ImportReport): string {
  if (report.state === 'cancelled')
    return `Cancelled. Porchlight keeps the ${all(report)} that it has imported.`;
  return countOf(report) === 0 ? 'There was nothing new to import.' : `Imported ${all(report)}.`;
}

/** Names the posts, and the mentions and pages if there are any. */
function all({ format, imported, mentions, pages }: Imported): string {
  const others = [
    ...(mentions > 0 ? [countInWords(mentions, format === 'wxr' ? 'comment' : 'mention')] : []),
    ...(pages > 0 ? [countInWords(pages, 'page')] : []),
  ];
  const parts = imported > 0 || others.length === 0 ? [countInWords(imported), ...others] : others;
  return parts.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}

const mostKept = 200;
const mostInFlight = 16;
/** How many mentions are erased together. */
const mostUndoneTogether = 100;

/**
 * Deletes the posts, files, mentions and pages that a run added. Keeps what has changed since, and files that are in use.
 * Idempotent, so a cancelled undo can be continued.
 */
class UndoRun {
  readonly #deps: ImportRunDeps;
  readonly #run: RecordedRun;
  readonly #kept: SkippedPart[] = [];
  readonly #counts = { keptCount: 0, deleted: 0, files: 0, mentions: 0, pages: 0 };
  #done = 0;

  constructor(deps: ImportRunDeps, run: RecordedRun) {
    this.#deps = deps;
    this.#run = run;
  }

  /** Undoes the run. In the result, `isWhole` is true if the undo finished. */
  async undo({ signal, progress }: Pick<ImportWork, 'signal' | 'progress'>): Promise<{
    result: Result<'posts.undoImport'>;
    isWhole: boolean;
  }> {
    const { imports } = this.#deps;
    const run = this.#run;
    const advance = (count: number) => {
      this.#done += count;
      progress('undoing', this.#done, run.posts + run.mentions, run.mentions > 0);
    };
    const added = (kind: 'post' | 'file' | 'mention' | 'page') =>
      untilAborted(imports.items(run.id, kind), signal);
    await inFlight(added('post'), mostInFlight, async ({ key, place, at }) => {
      await this.#remove(key, { path: place, createdAt: at });
      advance(1);
    });
    for await (const some of inGroups(added('mention'), mostUndoneTogether)) {
      await this.#eraseMentions(some);
      advance(some.length);
    }
    for await (const { key, place } of added('page')) await this.#removePage(key, place);
    for await (const { place } of added('file')) await this.#removeFile(place);
    if (!signal.aborted) await imports.of(run.id).end('undone');
    return { result: { ...this.#counts, kept: this.#kept }, isWhole: !signal.aborted };
  }

  #keep(what: string, why: string): void {
    this.#counts.keptCount += 1;
    if (this.#kept.length < mostKept) this.#kept.push({ what, why });
  }

  async #remove(key: string, { path, createdAt }: RecordedPost): Promise<void> {
    const { posts, imports, base, now, changed } = this.#deps;
    const post = await posts.get((await posts.movedTo(path)) ?? path);
    // Don't delete a different post at this path. The path can have a different post if the process was killed before
    // it wrote the run's post.
    if (post?.createdAt !== createdAt || post.deletedAt !== null) return;
    const isChanged = post.updatedAt !== post.createdAt || (await posts.edits(post.path)) !== null;
    if (isChanged) {
      this.#keep(postUrl(base(), post), 'You have changed this post since.');
      return;
    }
    const at = now();
    await imports.of(this.#run.id).undone(key, new Date(at).toISOString());
    const after = await posts.setDeleted(post.path, true, at);
    this.#counts.deleted += 1;
    await changed(after, post);
  }

  async #removeFile(path: string): Promise<void> {
    const { media, posts, isOnSite } = this.#deps;
    const file = await media.get(path);
    if (file === undefined) return;
    const { items } = await posts.list({ limit: 1, filter: { uses: path }, isBegun: true });
    if (items.length > 0) this.#keep(file.name, 'A post uses this file.');
    else if (isOnSite(path)) this.#keep(file.name, 'Your site uses this file.');
    else {
      await media.delete(path);
      this.#counts.files += 1;
    }
  }

  /** Erases mentions that are as the run left them. */
  async #eraseMentions(all: readonly { readonly place: string; readonly at: string }[]): Promise<void> {
    const { mentions } = this.#deps;
    const untouched: string[] = [];
    for (const { place: id, at } of all) {
      const mention = await mentions.get(id);
      if (mention === undefined) continue;
      const last = mention.history.at(-1);
      const undecided = mention.comment ? ['imported', 'approved'] : ['imported', 'received'];
      const isDecided = last !== undefined && !undecided.includes(last.what) && last.at > at;
      if (isDecided || mention.parsed > at) this.#keep(mention.source, 'This mention has changed since.');
      else untouched.push(id);
    }
    this.#counts.mentions += (await mentions.erase(untouched)).length;
  }

  async #removePage(slug: string, hash: string): Promise<void> {
    const { pages } = this.#deps;
    const page = pages.all().find((one) => one.slug === slug);
    if (page === undefined) return;
    if (pageHash(page) !== hash) this.#keep(`/${slug}`, 'You have changed this page since.');
    else {
      await pages.replace(pages.all().filter((one) => one.slug !== slug));
      this.#counts.pages += 1;
    }
  }
}
