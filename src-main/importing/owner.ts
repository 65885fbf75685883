import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { ArchiveFormat, PostImportProgress } from '../contract/post-import.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { EventHub } from '../contract/event-hub.ts';
import type { ImportRunDeps, ImportWork } from './import-run.ts';
import { undoRun } from './import-undo.ts';
import { stopping } from './in-flight.ts';

interface PostImportDeps extends ImportRunDeps {
  readonly hub: EventHub;
  readonly activity: Activity;
}

const formatNames: Readonly<Record<ArchiveFormat, string>> = {
  porchlight: 'an export of Porchlight',
  mastodon: 'a Mastodon archive',
  twitter: 'a Twitter archive',
  wxr: 'a WordPress export',
  microblog: 'a micro.blog archive',
  markdown: 'Markdown files',
};

/** The minimum time between two progress events, in ms. */
const patience = 200;

/** Creates the handlers for importing posts. Only one import or undo runs at a time. */
export function postImports(deps: PostImportDeps) {
  const { hub, activity, imports, now } = deps;
  let progress: PostImportProgress | null = null;
  let running:
    | { readonly id: string; readonly ending: AbortController; readonly ended: Promise<unknown> }
    | undefined;
  let isStopped = false;

  function tell(next: PostImportProgress): void {
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
    let toldAt = -Infinity;
    let current = id;
    try {
      const result = await work({
        signal,
        continues: (other) => void (current = other),
        progress(state, done, total, hasMentions = false) {
          if (now() - toldAt < patience) return;
          toldAt = now();
          tell({
            id: current,
            state,
            done,
            total,
            words: underWay(state, done, total, hasMentions ? 'item' : 'post'),
          });
        },
      });
      tell({ id: current, ...ended(result) });
      return result;
    } catch (error) {
      const isCancelled = error instanceof PorchlightError && error.code === 'cancelled';
      const words =
        error instanceof PorchlightError ? error.message : 'Something went wrong. See the log for details.';
      tell({ id: current, state: isCancelled ? 'cancelled' : 'failed', done: 0, total: 0, words });
      throw error;
    }
  }

  return {
    handlers: {
      'posts.import': async ({ path: given, format, dryRun = false, ownExport = false }) => {
        const [id, path] = [randomUUID(), resolve(given)];
        const report = await run(
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
          ({ state, imported, found, mentions, pages }) => ({
            ...{ state: state === 'cancelled' ? state : 'done', done: imported, total: imported },
            words: dryRun
              ? `Checked ${counted(found)}.`
              : importedWords(state, { posts: imported, mentions, pages }),
          }),
        );
        const { imported, mentions, pages } = report;
        if (!dryRun && imported + mentions + pages > 0)
          await activity.tell(
            'post.imported',
            `You imported ${all({ posts: imported, mentions, pages })} from ${formatNames[report.format]}.`,
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
        const { result } = await run(
          id,
          async (work) => {
            const found = imports.find(id);
            if (!found)
              throw new PorchlightError('not_found', 'Porchlight has no record of this import.', 404);
            return undoRun(deps, found, work);
          },
          ({ result: { deleted, mentions, pages }, isWhole }) => {
            const items = all({ posts: deleted, mentions, pages });
            return {
              ...{ state: isWhole ? 'done' : 'cancelled', done: deleted, total: deleted },
              words: isWhole
                ? `Deleted ${items}.`
                : `Cancelled. Deleted ${items} so far. Undo again to continue.`,
            };
          },
        );
        const { deleted, mentions, pages } = result;
        await activity.tell(
          'post.importUndone',
          `You undid an import: ${all({ posts: deleted, mentions, pages })} deleted.`,
        );
        return result;
      },

      'posts.imports': () => {
        const items = imports.list();
        const isRunning = (id: string) => running !== undefined && progress?.id === id;
        return {
          items: items.map((item) => (isRunning(item.id) ? { ...item, state: 'running' } : item)),
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
function all({ posts, mentions, pages }: Imported): string {
  const others = [
    ...(mentions > 0 ? [counted(mentions, 'mention')] : []),
    ...(pages > 0 ? [counted(pages, 'page')] : []),
  ];
  const parts = posts > 0 || others.length === 0 ? [counted(posts), ...others] : others;
  return parts.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}
