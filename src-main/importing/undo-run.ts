import type { Result } from '../contract/contract.ts';
import type { SkippedPart } from '../contract/post-import.ts';
import { postUrl } from '../posts/address.ts';
import { pageHash } from './import-extras.ts';
import type { RecordedPost, RecordedRun } from './import-records.ts';
import type { ImportRunDeps, ImportWork } from './import-run.ts';
import { inFlight, inGroups, untilAborted } from './in-flight.ts';

const mostKept = 200;
const mostInFlight = 16;
/** How many mentions are erased together. */
const mostTogether = 100;

/**
 * Deletes the posts, files, mentions and pages that a run added. Keeps what has changed since, and files that are in use.
 * Idempotent, so a cancelled undo can be continued.
 */
export class UndoRun {
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
    for await (const some of inGroups(added('mention'), mostTogether)) {
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
