import { createHash } from 'node:crypto';
import type { ArchiveFormat, ImportReport } from '../../contract/post-import.ts';
import type { Post } from '../../contract/posts.ts';
import type { MediaStore } from '../../media/media-store.ts';
import type { OwnerPostStore } from '../../micropub/owner-post-store.ts';
import { readDate } from '../../post/date.ts';
import { brokenArchive, type Archive } from './archive.ts';
import { contentOfFound, isBare, importRefusal } from './conversion.ts';
import { readerFor } from './detect.ts';
import { fileImporter } from './import-files.ts';
import { firstWords, type Finding, type FoundPost } from './found-post.ts';
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
interface Importable {
  readonly found: FoundPost;
  readonly key: string;
  readonly undone: Post | undefined;
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

/** Shortens a post's key to a hash of fixed length, which identifies the post in the journals. */
const keyOf = (post: FoundPost) => createHash('sha256').update(post.key).digest('base64url').slice(0, 22);

/** Creates the importer of archives. It records each change in the journal before it makes the change. */
export function importer(deps: ImportRunDeps) {
  const { posts, journals, now, changed } = deps;
  const addFiles = fileImporter(deps);

  async function postOf({ path, createdAt }: RecordedPost): Promise<Post | undefined> {
    const post = await posts.get((await posts.movedTo(path)) ?? path);
    return post?.createdAt === createdAt ? post : undefined;
  }

  /** Checks each result of reading the archive. Yields the posts to import; reports the rest as skipped. */
  async function* importable(
    findings: AsyncIterable<Finding>,
    { posts: earlier, undone }: Recorded,
    report: ReportWriter,
  ): AsyncGenerator<Importable> {
    const seen = new Set<string>();
    for await (const finding of findings) {
      if ('skipped' in finding) {
        if (finding.isPost === true) report.foundPost();
        report.skip(finding.skipped.what, finding.skipped.why, finding.count);
        continue;
      }
      const { post: found } = finding;
      report.foundPost();
      if (report.found > mostPosts) throw brokenArchive('It has too many posts.');
      const what = found.name ?? (firstWords(found.text) || found.key);
      const key = keyOf(found);
      const refusal = importRefusal(found) ?? (seen.has(key) ? 'The archive contains it twice.' : undefined);
      seen.add(key);
      const from = earlier.get(key);
      const post = from && (await postOf(from));
      // A post can be imported again if an undo deleted it. If the owner deleted the post, it stays deleted.
      const canReturn = post !== undefined && post.deletedAt !== null && post.deletedAt === undone.get(key);
      if (refusal !== undefined) report.skip(what, refusal);
      else if (post !== undefined && !canReturn) report.skip(what, 'An earlier import contains it.');
      else {
        report.take(found);
        yield { found, key, undone: post };
      }
    }
  }

  /** Stores a post. Returns false if no part of the post could be imported. */
  async function create(
    { found: read, key, undone }: Importable,
    files: Recorded['files'],
    journal: RunJournal,
    report: ReportWriter,
  ): Promise<boolean> {
    const found = { ...read, published: readDate(read.published ?? '', deps.zone()) };
    const urls = await addFiles(found, { key, known: files, journal, report });
    const content = contentOfFound(found, (one) => urls.get(one));
    if (isBare(content)) {
      report.skip(found.syndication[0] ?? found.key, 'None of its files could be imported.');
      return false;
    }
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
      archive: Archive,
      {
        id,
        path,
        format,
        dryRun,
      }: { id: string; path: string; format: ArchiveFormat | 'auto'; dryRun: boolean },
      { signal, continues, progress }: ImportWork,
    ): Promise<ImportReport> {
      const { reader, files } = await readerFor(archive, format);
      const runs = await journals.runs();
      const recorded = recordedIn(runs);
      const begun = runs.findLast(
        (run) =>
          run.path === path &&
          run.format === reader.format &&
          (run.ended === null || run.ended === 'cancelled'),
      );
      const runId = begun?.id ?? id;
      if (begun) continues(begun.id);
      const findings = () => reader.read(archive, files);

      const check = reportWriter(runId, reader.format);
      for (const { what, why } of archive.refused) check.skip(what, why);
      const checked = importable(findings(), recorded, check);
      while ((await checked.next()).done !== true) progress('checking', check.found, 0);
      if (dryRun) return check.written('checked', 0);
      // A run that was killed after its last post has nothing left to import, but must still be recorded as ended.
      if (check.importable === 0 && !begun) return check.written('done', 0);

      const report = reportWriter(runId, reader.format);
      for (const { what, why } of archive.refused) report.skip(what, why);
      const journal = journals.journal(runId);
      try {
        if (!begun) await journal.begin(path, reader.format);
        let [tried, imported] = [0, 0];
        const wanted = importable(findings(), recorded, report);
        await inFlight(untilAborted(wanted, signal), mostInFlight, async (post) => {
          const isNew = await create(post, recorded.files, journal, report);
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
