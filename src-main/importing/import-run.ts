import type { ImportReport } from '../contract/post-import.ts';
import type { Post } from '../contract/posts.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { Within } from '../posts/post-store.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';
import { readDate } from '../posts/date.ts';
import type { EarlierContent } from '../posts/post-document.ts';
import { showsSomething } from '../posts/kind.ts';
import { oneAtATime } from '../storage/pacing.ts';
import type { ArchiveItem, ItemToImport } from './conversion.ts';
import type { ThreadArchive } from './archive-thread.ts';
import { brokenArchive } from './archive.ts';
import { tooLong } from './formats/reader.ts';
import { type FoundExtra, type FoundMedia, type FoundPost, recordHash } from './found-post.ts';
import { type ExtrasDeps, extrasImporter, fileImporter } from './import-extras.ts';
import {
  type ImportRecords,
  type Recorded,
  type RecordedPost,
  ReportWriter,
  type RunRecords,
} from './import-records.ts';
import { inFlight, stopping, untilAborted } from './in-flight.ts';

export interface ImportRunDeps extends ExtrasDeps {
  readonly posts: OwnerPostStore;
  readonly media: Pick<MediaStore, 'add' | 'get' | 'delete'>;
  readonly imports: ImportRecords;
  /** Returns the name of the owner's time zone. */
  readonly zone: () => string;
  /** Returns whether the site's settings use the file at a path. */
  readonly isOnSite: (file: string) => boolean;
  /** Called for each post that a run created or an undo deleted. Must not notify other sites. */
  readonly changed: (post: Post, before: Post | undefined) => Promise<void>;
}

/** What to import, and how. `ownExport`: see `posts.import`. */
interface ImportWish {
  readonly id: string;
  readonly path: string;
  readonly dryRun: boolean;
  readonly ownExport?: boolean;
}

export interface ImportWork {
  readonly signal: AbortSignal;
  /** Called with the id of an earlier run if this import continues that run. */
  readonly continues: (id: string) => void;
  /** `hasMentions`: whether the numbers include mentions. */
  readonly progress: (
    state: 'checking' | 'importing' | 'undoing',
    done: number,
    total: number,
    hasMentions?: boolean,
  ) => void;
}

/** The maximum number of posts that are written at the same time. */
const mostInFlight = 16;
const mostPosts = 1_000_000;
/** Posts of an export with more characters are written one by one, because several copies of each are in memory. */
const largePost = 300_000;
const isLarge = ({ post: { exported } }: ItemToImport) =>
  exported !== undefined && JSON.stringify(exported).length > largePost;

/** A post to import. `undone`: the same post from an earlier run, if an undo deleted it. */
interface Importable extends ItemToImport {
  readonly undone: Post | undefined;
}

/** What a run needs to store its posts. */
interface Storing {
  readonly archive: ThreadArchive;
  readonly addFiles: ReturnType<typeof fileImporter>;
  /** Whether the archive is the owner's own export. Only then do posts keep their ids in feeds. */
  readonly ownExport: boolean;
  readonly run: RunRecords;
  readonly report: ReportWriter;
  /** See ExtrasOfRun. */
  readonly places: Map<string, string>;
}

const noneEarlier: EarlierContent = { history: [] };

/** Imports archives. Records each change before it makes the change. */
export class Importer {
  readonly #deps: ImportRunDeps;

  constructor(deps: ImportRunDeps) {
    this.#deps = deps;
  }

  async #postOf({ path, createdAt }: RecordedPost): Promise<Post | undefined> {
    const post = await this.#deps.posts.get((await this.#deps.posts.movedTo(path)) ?? path);
    return post?.createdAt === createdAt ? post : undefined;
  }

  /**
   * Returns the post to which an item belongs already, and its key in the records. Also finds the post from which an
   * export was made. `claimed`: the former keys of other items. Several posts may have one, but only the first of them
   * was imported under it.
   */
  async #known(
    { key, formerKeys, post: { exported } }: ItemToImport,
    recorded: Recorded,
    claimed: Set<string>,
  ): Promise<{ key: string; post: Post; isImported: boolean } | undefined> {
    for (const one of [key, ...formerKeys.filter((former) => !claimed.has(former))]) {
      const from = recorded.post(one);
      const post = from && (await this.#postOf(from));
      claimed.add(one);
      if (post) return { key: one, post, isImported: true };
    }
    const post = exported && (await this.#postOf(exported));
    return post && { key, post, isImported: false };
  }

  /**
   * Checks each result of reading the archive. Yields the posts to import and the parts that aren't posts; reports the
   * rest as skipped. `isHere`: called with each post that is here already.
   */
  async *#importable(
    items: AsyncIterable<ArchiveItem>,
    recorded: Recorded,
    report: ReportWriter,
    isHere: (item: ItemToImport, post: Post) => Promise<void>,
  ): AsyncGenerator<Importable | { readonly extra: FoundExtra }> {
    /** The keys, and behind each of them the texts that have it. */
    const seen = new Map<string, Set<string>>();
    const claimed = new Set<string>();
    let read = 0;
    for await (const item of items) {
      read += 1;
      if (read > mostPosts) throw brokenArchive('It has too many posts.');
      if ('extra' in item) {
        yield item;
        continue;
      }
      if ('skipped' in item) {
        if (item.isPost) report.found += 1;
        report.skip(item.skipped.what, item.skipped.why, item.count);
        continue;
      }
      const { what, sample, textHash } = item;
      report.found += 1;
      const names = [item.key, ...item.formerKeys];
      const isTwice = names.some((name) => seen.get(name)?.has(textHash));
      // Another post that has the same key gets a key of its own.
      const key = seen.has(item.key) ? `${item.key} ${textHash}` : item.key;
      for (const name of names) seen.set(name, (seen.get(name) ?? new Set()).add(textHash));
      const there = isTwice ? undefined : await this.#known({ ...item, key }, recorded, claimed);
      const { post } = there ?? {};
      // A post can be imported again if an undo deleted it. If the owner deleted the post, it stays deleted.
      const canReturn =
        there?.isImported === true &&
        there.post.deletedAt !== null &&
        there.post.deletedAt === recorded.undone(there.key);
      if (isTwice) report.skip(what, 'The archive contains it twice.');
      else if (there && !canReturn) {
        const isDeleted = !there.isImported && there.post.deletedAt !== null;
        const own = isDeleted ? 'You deleted this post.' : 'Porchlight already has this post.';
        report.skip(what, there.isImported ? 'An earlier import contains it.' : own);
        await isHere(item, there.post);
      } else {
        report.take(sample);
        yield { ...item, key, undone: post };
      }
    }
  }

  /** Records where a post is now, for what belongs to it. Makes the former paths of an exported post lead there. */
  async #placed(
    { post: { exported, address } }: { readonly post: Pick<FoundPost, 'exported' | 'address'> },
    { path, deletedAt }: Post,
    places: Map<string, string>,
  ): Promise<void> {
    if (address !== undefined && deletedAt === null) places.set(address, path);
    if (!exported) return;
    if (exported.path !== path) places.set(exported.path, path);
    await this.#deps.posts.addFormerPaths(path, exported.former);
  }

  /** Stores a post. Returns false if no part of the post could be imported. */
  async #create(
    { post: read, key, what, undone }: Importable,
    { archive, addFiles, ownExport, run, report, places }: Storing,
  ): Promise<boolean> {
    const found = { ...read, published: readDate(read.published ?? '', this.#deps.zone()) };
    const { urls, lost } = await addFiles(found, key);
    const converted = await archive.convert(found, urls);
    if (!converted) {
      report.skip(what, tooLong);
      return false;
    }
    const { earlier: known = noneEarlier, ...content } = converted;
    const { feedId: _feedId, ...others } = known;
    const earlier = ownExport ? known : others;
    const { exported } = found;
    if (!exported && !showsSomething(content.properties)) {
      report.skip(found.syndication[0] ?? found.key, 'None of its files could be imported.');
      return false;
    }
    report.lose(what, [...(found.lost ?? []), ...lost]);
    // An exported post keeps the time of its creation, by which later imports recognize it.
    const at = Math.min(this.#deps.now(), exported ? Date.parse(exported.createdAt) : Infinity);
    const createdAt = new Date(at).toISOString();
    const within: Within = (transaction, { path }) => run.post(transaction, key, path, createdAt);
    let post: Post | undefined;
    if (undone) post = await this.#deps.posts.renew(undone.path, content, at, earlier, within);
    post ??= exported
      ? await this.#deps.posts.bringIn(content, { path: exported.path, now: at, earlier, within })
      : await this.#deps.posts.create(content, { isHomeless: true, now: at, slug: found.slug, within });
    await this.#placed({ post: found }, post, places);
    await this.#deps.changed(post, undefined);
    return true;
  }

  /**
   * Checks an archive, then imports the posts that no earlier run imported. `id`: the id for a new run; not used if
   * the import continues an earlier run. With `dryRun`, only checks the archive.
   */
  async run(
    archive: ThreadArchive,
    { id, path, dryRun, ownExport = false }: ImportWish,
    { signal, continues, progress }: ImportWork,
  ): Promise<ImportReport> {
    const { format } = archive;
    const recorded = this.#deps.imports.recorded();
    const begun = this.#deps.imports.begun(path, format);
    const runId = begun?.id ?? id;
    if (begun) continues(begun.id);

    const check = new ReportWriter(runId, format);
    for (const { what, why } of archive.refused) check.skip(what, why);
    const places = new Map<string, string>();
    const ofPosts = new Set<string>();
    const isNewFile = async ({ kept }: FoundMedia) => {
      if (!kept || ofPosts.has(kept.path)) return false;
      const paths = [kept.path, recorded.fileOfAny(recordHash(kept.path)) ?? ''];
      return (await Promise.all(paths.map((one) => this.#deps.media.get(one)))).every((file) => !file);
    };
    const shared = { ownExport, isNewFile, recorded };
    /** The posts with comments that are here or will be; these have no paths yet. */
    const expected = new Map<string, string>();
    const dryExtras = extrasImporter(this.#deps, { ...shared, places: expected, report: check });
    const inCheck = this.#importable(
      archive.items(signal),
      recorded,
      check,
      async ({ post: { address } }, post) => this.#placed({ post: { address } }, post, expected),
    );
    for await (const item of inCheck) {
      if ('post' in item) {
        if (item.post.address !== undefined) expected.set(item.post.address, '');
        check.lose(item.what, item.post.lost);
        for (const { kept } of item.post.media) if (kept) ofPosts.add(kept.path);
      }
      if ('extra' in item) await dryExtras.add(item.extra);
      progress('checking', check.found, 0);
    }
    if (dryRun) return check.written('checked', 0);
    // A run that was killed after its last post has nothing left to import, but must still be recorded as ended.
    if (check.isEmpty && !begun) return check.written('done', 0);

    const report = new ReportWriter(runId, format);
    for (const { what, why } of archive.refused) report.skip(what, why);
    const run = this.#deps.imports.of(runId);
    if (!begun) await run.begin(path, format, ownExport);
    const files = { archive, recorded, run, begun: begun?.id, report };
    const storing = { archive, addFiles: fileImporter(this.#deps, files), ownExport, run, report, places };
    let [tried, imported] = [0, 0];
    const all = this.#importable(archive.items(signal), recorded, report, (item, post) =>
      this.#placed(item, post, places),
    );
    const parts = postsFirst(all);
    const reportProgress = () =>
      progress('importing', tried + report.mentions, check.importable + check.mentions, check.mentions > 0);
    const alone = oneAtATime();
    const createNext = async (post: Importable) => {
      const isNew = await (isLarge(post)
        ? alone(() => this.#create(post, storing))
        : this.#create(post, storing));
      tried += 1;
      if (isNew) imported += 1;
      reportProgress();
    };
    await inFlight(untilAborted(parts.posts(), signal), mostInFlight, createNext);
    const extras = extrasImporter(this.#deps, { ...shared, places, report, storing });
    for await (const item of untilAborted(parts.others(), signal)) {
      await ('extra' in item ? extras.add(item.extra) : createNext(item));
      reportProgress();
    }
    await extras.flush();
    const state = signal.aborted ? 'cancelled' : 'done';
    if (signal.reason !== stopping) await run.end(state);
    return report.written(state, imported);
  }
}

/** Splits items: the posts at the start, which can be imported together, and what follows them. Read `posts` first. */
function postsFirst(items: AsyncGenerator<Importable | { readonly extra: FoundExtra }>) {
  let next: Importable | { readonly extra: FoundExtra } | undefined;
  return {
    async *posts(): AsyncGenerator<Importable> {
      for (;;) {
        const read = await items.next();
        if (read.done === true) return;
        if ('extra' in read.value) {
          next = read.value;
          return;
        }
        yield read.value;
      }
    },
    async *others() {
      if (next) yield next;
      yield* items;
    },
  };
}
