import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { type ArchiveFormat, archiveNames } from '../contract/post-import.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { ImportRunDeps } from './import-run.ts';
import { countInWords, type ImportTasks } from './import-tasks.ts';
import { inGroups } from './in-flight.ts';
import { UndoRun } from './undo-run.ts';

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
          ({ state, format: read, imported, found, mentions, pages }) => ({
            state: state === 'cancelled' ? state : 'done',
            done: imported,
            total: imported,
            words: dryRun
              ? `Checked ${countInWords(found)}.`
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

/** Names the posts, and the mentions and pages if there are any. */
function all({ format, posts, mentions, pages }: Imported): string {
  const others = [
    ...(mentions > 0 ? [countInWords(mentions, format === 'wxr' ? 'comment' : 'mention')] : []),
    ...(pages > 0 ? [countInWords(pages, 'page')] : []),
  ];
  const parts = posts > 0 || others.length === 0 ? [countInWords(posts), ...others] : others;
  return parts.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}
