import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { ArchiveFormat, type PastImport } from '../../contract/post-import.ts';
import { choice, closed, Moment } from '../../contract/shapes.ts';
import { documentCodec } from '../../storage/document-format.ts';
import { namesIn } from '../../storage/folder-names.ts';
import { openJournal, readContent } from '../../storage/journal.ts';

/**
 * A line of `post-imports/<id>.jsonl`. A line is written before the change that it records, so every change is recorded
 * even if the process is killed.
 */
const ImportLine = closed({
  at: Moment,
  begin: Type.Optional(
    closed({
      path: Type.String(),
      format: ArchiveFormat,
      ownExport: Type.Optional(Type.Literal(true)),
    }),
  ),
  /** A post that the run is about to write. `createdAt` distinguishes this post from a later post at the same path. */
  post: Type.Optional(closed({ key: Type.String(), path: Type.String(), createdAt: Moment })),
  /**
   * A file that the run is about to add to the media store. `key` combines the key of the file's post with a hash of
   * the file's path in the archive.
   */
  file: Type.Optional(closed({ key: Type.String(), path: Type.String() })),
  /** Mentions that the run is about to add. `key`: what identifies the mention in every export; see mentionKey. */
  mentions: Type.Optional(Type.Array(closed({ id: Type.String(), key: Type.String() }))),
  /** A page of the site that the run is about to add. `hash`: of its content; see pageHash. */
  page: Type.Optional(closed({ slug: Type.String(), hash: Type.String() })),
  /** A post that an undo is about to delete, and the time of its deletion. */
  undone: Type.Optional(closed({ key: Type.String(), deletedAt: Moment })),
  ended: Type.Optional(choice('done', 'cancelled', 'undone')),
});
type ImportLine = Static<typeof ImportLine>;
export const importLineFormat = { schema: ImportLine, format: 1 };

const codec = documentCodec(importLineFormat);

/** A post that a run created, or was about to create. */
export interface RecordedPost {
  readonly path: string;
  readonly createdAt: string;
}

/** The records of a run: its posts and files, by key. */
export interface RecordedRun {
  readonly id: string;
  readonly at: string;
  readonly path: string;
  readonly format: ArchiveFormat;
  readonly ended: 'done' | 'cancelled' | 'undone' | null;
  readonly posts: ReadonlyMap<string, RecordedPost>;
  /** The time at which an undo deleted each post, by post key. */
  readonly undone: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, string>;
  /** The mentions by their ids. `at`: when they were added. */
  readonly mentions: ReadonlyMap<string, { readonly key: string; readonly at: string }>;
  /** The hashes of the added pages, by slug. */
  readonly pages: ReadonlyMap<string, string>;
  readonly ownExport: boolean;
}

/** Records the actions of a run. Each method resolves once its record is on disk. */
export type RunJournal = ReturnType<ReturnType<typeof importJournals>['journal']>;

/** Keeps a journal of each import in `dir`. `now`: returns the time in ms. */
export function importJournals(dir: string, now: () => number) {
  const fileOf = (id: string) => join(dir, `${id}.jsonl`);
  /** The sizes of the journals when they were last read or written, in bytes. */
  const sizes = new Map<string, number>();
  /** The summaries of the runs for the window. They are cached, so that each journal is read only once. */
  const listed = new Map<string, PastImport>();

  async function read(id: string): Promise<RecordedRun | undefined> {
    const { entries, size } = await readContent(fileOf(id), codec);
    sizes.set(id, size);
    const begin = entries.find((line) => line.begin !== undefined);
    if (begin?.begin === undefined) return undefined;
    const posts = new Map(entries.flatMap(({ post }) => (post ? [[post.key, post] as const] : [])));
    const files = new Map(entries.flatMap(({ file }) => (file ? [[file.key, file.path] as const] : [])));
    const undone = new Map(
      entries.flatMap((line) => (line.undone ? [[line.undone.key, line.undone.deletedAt] as const] : [])),
    );
    const ended = entries.findLast((line) => line.ended !== undefined)?.ended ?? null;
    const mentions = new Map(
      entries.flatMap((line) =>
        (line.mentions ?? []).map(({ id: one, key }) => [one, { key, at: line.at }] as const),
      ),
    );
    const pages = new Map(entries.flatMap(({ page }) => (page ? [[page.slug, page.hash] as const] : [])));
    const { path, format, ownExport = false } = begin.begin;
    const about = { id, at: begin.at, path, format, ownExport, ended };
    const run = { ...about, posts, undone, files, mentions, pages };
    listed.set(id, summaryOf(run));
    return run;
  }

  async function ids(): Promise<string[]> {
    const names = await namesIn(dir);
    return names.flatMap((name) => /^([0-9a-f-]{36})\.jsonl$/.exec(name)?.[1] ?? []);
  }

  return {
    /** Returns every run, oldest first. */
    async runs(): Promise<RecordedRun[]> {
      const runs: RecordedRun[] = [];
      for (const id of await ids()) {
        const run = await read(id);
        if (run) runs.push(run);
      }
      return runs.sort((a, b) => (a.at < b.at ? -1 : 1));
    },

    find: async (id: string): Promise<RecordedRun | undefined> =>
      (await ids()).includes(id) ? read(id) : undefined,

    /** Returns the runs for the window, newest first. */
    async list(): Promise<PastImport[]> {
      for (const id of await ids()) if (!listed.has(id)) await read(id);
      return [...listed.values()].sort((a, b) => (a.at < b.at ? 1 : -1));
    },

    /**
     * Opens the journal of a run to add records to it. The run must be new, or its journal must have been read before.
     */
    journal(id: string) {
      const journal = openJournal(fileOf(id), codec, sizes.get(id) ?? 0);
      const add = (line: Omit<ImportLine, 'at'>) =>
        journal.append([{ at: new Date(now()).toISOString(), ...line }]);
      return {
        begin: (path: string, format: ArchiveFormat, ownExport: boolean) =>
          add({ begin: { path, format, ...(ownExport && { ownExport }) } }),
        post: (key: string, path: string, createdAt: string) => add({ post: { key, path, createdAt } }),
        file: (key: string, path: string) => add({ file: { key, path } }),
        mentions: (added: readonly { id: string; key: string }[]) => add({ mentions: [...added] }),
        page: (slug: string, hash: string) => add({ page: { slug, hash } }),
        undone: (key: string, deletedAt: string) => add({ undone: { key, deletedAt } }),
        end: (ended: NonNullable<ImportLine['ended']>) => add({ ended }),
        async close(): Promise<void> {
          await journal.close();
          sizes.set(id, journal.size);
          listed.delete(id);
        },
      };
    },
  };
}

export type ImportJournals = ReturnType<typeof importJournals>;

function summaryOf(run: RecordedRun): PastImport {
  const { id, at, path, format, ownExport, ended, posts, files, mentions, pages } = run;
  const counts = {
    posts: posts.size,
    files: files.size,
    mentions: mentions.size,
    pages: pages.size,
  };
  return { id, at, path, format, state: ended ?? 'interrupted', ...counts, ownExport };
}
