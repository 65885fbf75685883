import type { ImportReport } from '../../contract/post-import.ts';
import type { Post } from '../../contract/posts.ts';
import type { MediaStore } from '../../media/media-store.ts';
import type { OwnerPostStore } from '../../micropub/owner-post-store.ts';
import { readDate } from '../../post/date.ts';
import type { PostContent } from '../../micropub/post-store.ts';
import type { ArchiveItem, ItemToImport } from './archive-item.ts';
import type { ThreadArchive } from './archive-thread.ts';
import { brokenArchive } from './archive.ts';
import { tooLong } from './formats/reader.ts';
import { fileImporter } from './import-files.ts';
import type { ImportJournals, RecordedPost, RecordedRun, RunJournal } from './import-journal.ts';
import { inFlight, stopping, untilAborted } from './in-flight.ts';
import { reportWriter, type ReportWriter } from './import-report.ts';

export interface ImportRunDeps {
  readonly posts: OwnerPostStore;
  readonly media: Pick<MediaStore, 'add' | 'get' | 'delete'>;
  readonly journals: ImportJournals;
  /** Returns the public origin. */
  readonly base: () => string;
  readonly now: () => number;
  /** Returns the name of the owner's time zone. */
  readonly zone: () => string;
  /** Returns whether the site's settings use the file at a path. */
  readonly isOnSite: (file: string) => boolean;
  /** Called for each post that a run created or an undo deleted. Must not notify other sites. */
  readonly changed: (post: Post, before: Post | undefined) => Promise<void>;
}

export interface ImportWork {
  readonly signal: AbortSignal;
  /** Called with the id of an earlier run if this import continues that run. */
  readonly continues: (id: string) => void;
  readonly progress: (state: 'checking' | 'importing' | 'undoing', done: number, total: number) => void;
}

/** The maximum number of posts that are written at the same time. */
const mostInFlight = 16;
const mostPosts = 1_000_000;

/** A post to import. `undone`: the same post from an earlier run, if an undo deleted it. */
interface Importable extends ItemToImport {
  readonly undone: Post | undefined;
}

/** What a run needs to store its posts. */
interface Storing {
  readonly archive: ThreadArchive;
  readonly addFiles: ReturnType<typeof fileImporter>;
  readonly journal: RunJournal;
  readonly report: ReportWriter;
}

/** The records of all earlier runs: posts and files by key, and the time at which an undo deleted each post. */
interface Recorded {
  readonly posts: ReadonlyMap<string, RecordedPost>;
  readonly files: ReadonlyMap<string, string>;
  readonly undone: ReadonlyMap<string, string>;
}

function recordedIn(runs: readonly RecordedRun[]): Recorded {
  return {
    posts: new Map(runs.flatMap(({ posts }) => [...posts])),
    // Include files whose post is not recorded, because a process may have been killed before it recorded the post.
    files: new Map(runs.flatMap(({ files }) => [...files])),
    undone: new Map(runs.flatMap(({ undone }) => [...undone])),
  };
}

const shownProperties = [
  ...['content', 'name', 'summary', 'photo', 'video', 'audio'],
  ...['in-reply-to', 'like-of', 'repost-of', 'bookmark-of'],
];

/** Returns whether a post has no content that a page could show. */
const isBare = ({ properties }: PostContent) =>
  !shownProperties.some((name) => (properties[name] ?? []).length > 0);

/** Creates the importer of archives. It records each change in the journal before it makes the change. */
export function importer(deps: ImportRunDeps) {
  const { posts, journals, now, changed } = deps;

  async function postOf({ path, createdAt }: RecordedPost): Promise<Post | undefined> {
    const post = await posts.get((await posts.movedTo(path)) ?? path);
    return post?.createdAt === createdAt ? post : undefined;
  }

  /** Checks each result of reading the archive. Yields the posts to import; reports the rest as skipped. */
  async function* importable(
    items: AsyncIterable<ArchiveItem>,
    { posts: earlier, undone }: Recorded,
    report: ReportWriter,
  ): AsyncGenerator<Importable> {
    const seen = new Set<string>();
    let read = 0;
    for await (const item of items) {
      read += 1;
      if (read > mostPosts) throw brokenArchive('It has too many posts.');
      if ('skipped' in item) {
        if (item.isPost) report.foundPost();
        report.skip(item.skipped.what, item.skipped.why, item.count);
        continue;
      }
      const { key, what, sample } = item;
      report.foundPost();
      const isTwice = seen.has(key);
      seen.add(key);
      const from = earlier.get(key);
      const post = from && (await postOf(from));
      // A post can be imported again if an undo deleted it. If the owner deleted the post, it stays deleted.
      const canReturn = post !== undefined && post.deletedAt !== null && post.deletedAt === undone.get(key);
      if (isTwice) report.skip(what, 'The archive contains it twice.');
      else if (post !== undefined && !canReturn) report.skip(what, 'An earlier import contains it.');
      else {
        report.take(sample);
        yield { ...item, undone: post };
      }
    }
  }

  /** Stores a post. Returns false if no part of the post could be imported. */
  async function create(
    { post: read, key, what, undone }: Importable,
    { archive, addFiles, journal, report }: Storing,
  ): Promise<boolean> {
    const found = { ...read, published: readDate(read.published ?? '', deps.zone()) };
    const { urls, lost } = await addFiles(found, key);
    const content = await archive.convert(found, urls);
    if (!content) {
      report.skip(what, tooLong);
      return false;
    }
    if (isBare(content)) {
      report.skip(found.syndication[0] ?? found.key, 'None of its files could be imported.');
      return false;
    }
    report.lose(what, [...(found.lost ?? []), ...lost]);
    const at = now();
    const createdAt = new Date(at).toISOString();
    if (undone) {
      await journal.post(key, undone.path, createdAt);
      const renewed = await posts.renew(undone.path, content, at);
      if (renewed) {
        await changed(renewed, undefined);
        return true;
      }
    }
    const post = await posts.create(content, {
      isHomeless: true,
      ...{ now: at, slug: found.slug },
      placing: (path) => journal.post(key, path, createdAt),
    });
    await changed(post, undefined);
    return true;
  }

  return {
    /**
     * Checks an archive, then imports the posts that no earlier run imported. `id`: the id for a new run; not used if
     * the import continues an earlier run. With `dryRun`, only checks the archive.
     */
    async run(
      archive: ThreadArchive,
      { id, path, dryRun }: { id: string; path: string; dryRun: boolean },
      { signal, continues, progress }: ImportWork,
    ): Promise<ImportReport> {
      const { format } = archive;
      const runs = await journals.runs();
      const recorded = recordedIn(runs);
      const begun = runs.findLast(
        (run) =>
          run.path === path && run.format === format && (run.ended === null || run.ended === 'cancelled'),
      );
      const runId = begun?.id ?? id;
      if (begun) continues(begun.id);

      const check = reportWriter(runId, format);
      for (const { what, why } of archive.refused) check.skip(what, why);
      for await (const { what, post } of importable(archive.items(signal), recorded, check)) {
        check.lose(what, post.lost);
        progress('checking', check.found, 0);
      }
      if (dryRun) return check.written('checked', 0);
      // A run that was killed after its last post has nothing left to import, but must still be recorded as ended.
      if (check.importable === 0 && !begun) return check.written('done', 0);

      const report = reportWriter(runId, format);
      for (const { what, why } of archive.refused) report.skip(what, why);
      const journal = journals.journal(runId);
      try {
        if (!begun) await journal.begin(path, format);
        const files = { archive, known: recorded.files, begun: begun?.files ?? new Map(), journal, report };
        const storing = { archive, addFiles: fileImporter(deps, files), journal, report };
        let [tried, imported] = [0, 0];
        const wanted = importable(archive.items(signal), recorded, report);
        await inFlight(untilAborted(wanted, signal), mostInFlight, async (post) => {
          const isNew = await create(post, storing);
          tried += 1;
          if (isNew) imported += 1;
          progress('importing', tried, check.importable);
        });
        const state = signal.aborted ? 'cancelled' : 'done';
        if (signal.reason !== stopping) await journal.end(state);
        return report.written(state, imported);
      } finally {
        await journal.close();
      }
    },
  };
}
