import { once } from 'node:events';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { PorchlightError } from '../../contract/error.ts';
import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import { overLimit } from '../../untrusted/kinds.ts';
import type { Log } from '../../platform/log.ts';
import type { AdoptedPost, AdoptedPosts } from '../../posts/post-store.ts';
import { propertyText } from '../../posts/values.ts';
import { coalesced, oneAtATime } from '../../storage/pacing.ts';
import { stampOf } from '../../storage/file-facts.ts';
import type { Records } from '../../storage/records/records.ts';
import { largestPostFile, textOfFile } from '../adopted-file.ts';
import type { Edited } from '../adopted-edit.ts';
import type { Problem } from '../../untrusted/front-matter.ts';
import { notOnline } from '../adopted-address.ts';
import type { AdoptionRules, ReadPost } from '../adopted-post.ts';
import type { FolderJobs, ReadFolderText } from '../folder-jobs.ts';
import type { Refusal } from '../../posts/files/front-matter.ts';
import { adoptedIndex, type AdoptedRow, type AdoptionSummary } from './adopted-index.ts';
import type { LiveAddresses } from './live-addresses.ts';
import { listFolderFiles, readFolderFile, type WriteBack } from './folder-files.ts';

interface OlderPostsDeps {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly settings: () => SiteFolderSettings;
  /** Returns whether Porchlight published the post at a URL. */
  readonly isOwn: (url: string) => Promise<boolean>;
  /** Reads which addresses of the owner's site are online; undefined if the site doesn't say. */
  readonly live: (signal: AbortSignal) => Promise<LiveAddresses | undefined>;
  /**
   * Writes a changed file.
   * @throws Error, with a message for the owner, if the file was changed by somebody else or can't be written
   */
  readonly writeBack: (change: WriteBack) => Promise<void>;
  /** Parses a file of the folder on another thread. */
  readonly read: ReadFolderText;
  /** Does the same during a comparison of the whole folder, for which nobody waits. */
  readonly scan: ReadFolderText;
  readonly log: Log;
}

/** The folder and the settings with which the index was made. */
type FolderNow = Pick<SiteFolderSettings, 'path' | 'generator' | 'baseUrl' | 'postFile' | 'postUrl'>;

/**
 * The interval between comparisons of the folder with the index, in ms. Each reads the live site's sitemap. A comparison
 * doesn't delay requests for posts.
 */
const comparedEveryMs = 3_600_000;
/** How many files are read at once. Each of them can wait for a thread, with up to 1 MB of text. */
const batchSize = 16;
const mostForgotten = 1000;
/** The number of files that no thread could read after which a comparison ends. The next one tries again. */
const mostUnread = 20;
/**
 * The maximum number of files whose published text Porchlight remembers. It remembers the published text while the
 * owner's git checkout has an outdated version of the file.
 */
const mostAhead = 100;

/**
 * The adopted posts: posts in the owner's folder that Porchlight didn't publish and that are online. There are none
 * before `start` is called, or while adopting is turned off in the settings.
 */
export class OlderPosts implements AdoptedPosts {
  readonly #deps: OlderPostsDeps;
  readonly #index: ReturnType<typeof adoptedIndex>;
  readonly #inTurn = oneAtATime();
  readonly #stopping = new AbortController();
  readonly #stopped = once(this.#stopping.signal, 'abort');
  readonly #compare = coalesced(() => this.#compareWith());
  #current: FolderNow | undefined;
  #isOffline = false;
  #isCut = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  /**
   * The published text of each file whose version in the folder is outdated, because git could not update the owner's
   * checkout. `stamp`: the version of the outdated file.
   */
  readonly #ahead = new Map<string, { readonly stamp: string; readonly text: string }>();

  constructor(deps: OlderPostsDeps) {
    this.#deps = deps;
    this.#index = adoptedIndex(deps.records);
  }

  async at(url: string): Promise<AdoptedPost | undefined> {
    return (await this.#at(url, this.#current))?.post;
  }

  change(url: string, edit: Parameters<AdoptedPosts['change']>[1]): ReturnType<AdoptedPosts['change']> {
    return this.#inTurn(async () => {
      // A comparison may end meanwhile, and find that the folder can't be read now.
      const now = this.#current;
      const found = await this.#at(url, now);
      if (found === undefined || now === undefined) return undefined;
      const { post, text } = found;
      const { file, properties } = post;
      const rules = { ...now, url: post.url };
      const result = await this.#edited({ text, file, rules, requested: edit(post) });
      if ('refused' in result) throw new PorchlightError('invalid_request', result.refused);
      if (result.text !== text) {
        const title = propertyText(properties, 'name') ?? file;
        await this.#deps.writeBack({ file, before: text, after: result.text, message: `Update “${title}”` });
        await this.#noteAhead(path.join(now.path, file), result.text);
        const stamp = await stampOf(path.join(now.path, file));
        await this.#index.update([{ file, stamp, url: post.url, problem: null }], []);
      }
      return (await this.#at(url, now))?.post;
    });
  }

  /**
   * Compares the folder with the index now. Resolves when the index matches it. Call this after the settings or the
   * folder change. Never rejects, but logs a failure. A failure can mean that a disk isn't connected.
   */
  async refresh(): Promise<void> {
    this.#running = Promise.race([this.#compare(), this.#stopped.then(() => undefined)]).catch(
      (error: unknown) => {
        this.#deps.log.warn({ err: error }, 'the posts in the owner’s folder could not be read');
      },
    );
    await this.#running;
  }

  /**
   * Returns the number of adopted posts, and the reasons why other files aren't adopted. `isCut`: the folder has more
   * files than Porchlight reads.
   */
  summary(): AdoptionSummary & { readonly isCut: boolean } {
    if (!this.#isOn()) return { posts: 0, problems: [], isCut: false };
    const { posts, problems } = this.#index.summary();
    const words =
      'Porchlight found no sitemap and no feed on your site, so it doesn’t know which posts are online.';
    const offline = this.#isOffline ? [{ words, files: 1, example: 'sitemap.xml' }] : [];
    return { posts, problems: [...offline, ...problems], isCut: this.#isCut };
  }

  start(): void {
    void this.refresh();
    this.#timer = setInterval(() => void this.refresh(), comparedEveryMs).unref();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    await this.#running;
  }

  #isOn(): boolean {
    const { on, adopt, path: folder } = this.#deps.settings();
    return on && adopt && folder !== '';
  }

  /** Returns whether it is stopping. If code read it directly, the type checker would assume that it stays. */
  #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Compares the folder with the index. Reads only files that have changed, or whose page came or went. */
  async #compareWith(): Promise<void> {
    if (this.#isStopped() || !this.#isOn()) return;
    const { path: folder, generator, baseUrl, postFile, postUrl } = this.#deps.settings();
    const now: FolderNow = { path: folder, generator, baseUrl, postFile, postUrl };
    await this.#index.useRules(JSON.stringify({ ...now, from: 'sitemap' }));
    this.#current = now;
    const live = await this.#deps.live(this.#stopping.signal);
    if (this.#isStopped()) return;
    this.#isOffline = live === undefined;
    // The posts that are known stay.
    if (live === undefined) return;
    const files = await listFolderFiles(folder, startOf(now), generator);
    if (this.#isStopped()) return;
    this.#isCut = files.isCut;
    let failed = 0;
    for (let at = 0; at < files.posts.length; at += batchSize) {
      const batch = files.posts.slice(at, at + batchSize);
      const rows = await Promise.allSettled(batch.map((file) => this.#changedRow(file, now, live)));
      if (this.#isStopped()) return;
      await this.#index.update(
        rows.flatMap((row) => (row.status === 'fulfilled' ? row.value : [])),
        [],
      );
      for (const row of rows) {
        if (row.status === 'fulfilled') continue;
        failed += 1;
        if (failed > mostUnread) throw row.reason;
        this.#deps.log.warn({ err: row.reason as unknown }, 'a file in the owner’s folder could not be read');
      }
      await turn();
    }
    if (!this.#isStopped()) await this.#forgetMissing(new Set(files.posts));
  }

  async #forgetMissing(there: ReadonlySet<string>): Promise<void> {
    let last = '';
    for (;;) {
      const files = this.#index.filesAfter(last, mostForgotten);
      await this.#index.update(
        [],
        files.filter((file) => !there.has(file)),
      );
      last = files.at(-1) ?? '';
      if (files.length < mostForgotten || this.#isStopped()) return;
      await turn();
    }
  }

  /** Reads a file if it or its page has changed. Throws if no thread can read the file now. */
  async #changedRow(file: string, now: FolderNow, live: LiveAddresses): Promise<AdoptedRow[]> {
    const stamp = await stampOf(path.join(now.path, file));
    const row = this.#index.row(file);
    const isSamePage = row?.url ? live.has(row.url) : row?.problem !== notOnline.problem;
    if (row?.stamp === stamp && isSamePage) return [];
    const rules = { ...now, url: now.baseUrl };
    const found = await this.#parsed(file, now, (text) =>
      this.#deps.scan('claimOfAdopted', { text, file, rules }, file),
    );
    if ('problem' in found) return [{ file, stamp, url: null, problem: found.problem }];
    const url = live.of(found.read, now);
    if (url === undefined) return [{ file, stamp, url: null, ...notOnline }];
    return [{ file, stamp, url: (await this.#deps.isOwn(url)) ? null : url, problem: null }];
  }

  async #at(
    url: string,
    now: FolderNow | undefined,
  ): Promise<{ post: AdoptedPost; text: string } | undefined> {
    if (!this.#isOn() || now === undefined || !URL.canParse(url)) return undefined;
    const address = new URL(url);
    address.hash = '';
    const file = this.#index.fileAt(address.href);
    if (file === undefined) return undefined;
    const read = await this.#readNow(file, now, { ...now, url: address.href });
    // A post without a date counts as published in 1970, so that it is never treated as scheduled for later.
    return read && { post: { ...read.post, file, createdAt: new Date(0).toISOString() }, text: read.text };
  }

  /** Reads a post's file. Forgets the post if its file exceeds the limits, so that the file isn't tried again. */
  async #readNow(
    file: string,
    now: FolderNow,
    rules: AdoptionRules,
  ): Promise<{ post: ReadPost; text: string } | undefined> {
    const stamp = await stampOf(path.join(now.path, file));
    const found = await this.#parsed(file, now, (text) =>
      this.#deps.read('readAdopted', { text, file, rules }, file),
    );
    if (!('problem' in found)) return { post: found.read, text: found.text };
    if (found.isRefused) await this.#index.update([{ file, stamp, url: null, problem: found.problem }], []);
    return undefined;
  }

  /**
   * Reads a file and parses it with `parse`. Returns a problem if that isn't possible. `isRefused`: whether the file
   * exceeds the limits for parsing it.
   */
  async #parsed<T extends object>(
    file: string,
    now: FolderNow,
    parse: (text: string) => Promise<T | Problem>,
  ): Promise<{ read: T; text: string } | (Problem & { readonly isRefused: boolean })> {
    const refused = (problem: string, isRefused = false) => ({ problem, isRefused });
    const place = path.join(now.path, file);
    const published = this.#ahead.get(place);
    const isBehind = published !== undefined && (await stampOf(place)) === published.stamp;
    if (!isBehind) this.#ahead.delete(place);
    const bytes = isBehind
      ? Buffer.from(published.text)
      : await readFolderFile(now.path, file, largestPostFile);
    if (bytes === undefined) return refused('It is larger than 1 MB, or it can’t be read.');
    const text = textOfFile(bytes);
    if (text === undefined) return refused('It isn’t UTF-8 text.');
    try {
      const found = await parse(text);
      return 'problem' in found ? refused(found.problem) : { read: found, text };
    } catch (error) {
      const why = overLimit(error);
      if (why === undefined) throw error;
      return refused(`It ${why}`, true);
    }
  }

  /** Remembers the published text of a file if the file in the folder has a different text. */
  async #noteAhead(place: string, text: string): Promise<void> {
    const stamp = await stampOf(place);
    const bytes = await readFolderFile(path.dirname(place), path.basename(place), largestPostFile);
    if (this.#ahead.size >= mostAhead) this.#ahead.clear();
    if (bytes === undefined || textOfFile(bytes) === text) this.#ahead.delete(place);
    else this.#ahead.set(place, { stamp, text });
  }

  async #edited(change: Parameters<FolderJobs['editAdopted']>[0]): Promise<Edited | Refusal> {
    try {
      return await this.#deps.read('editAdopted', change, change.file);
    } catch (error) {
      if (overLimit(error) === undefined || !(error instanceof Error)) throw error;
      return { refused: error.message };
    }
  }
}

/** Returns the folder that contains a generator's posts. */
function startOf({ generator, postFile }: FolderNow): string {
  if (generator === 'hugo' || generator === 'zola') return /^[^{/]+(?=\/)/.exec(postFile)?.[0] ?? 'content';
  if (generator === 'jekyll' || generator === 'eleventy') return '';
  return /^[^{]*(?=\/)/.exec(postFile)?.[0] ?? '';
}
