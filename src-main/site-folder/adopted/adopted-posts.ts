import { once } from 'node:events';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { PorchlightError } from '../../contract/error.ts';
import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import { openFolderReader } from '../../platform/folder-files.ts';
import { overLimit } from '../../untrusted/kinds.ts';
import type { Log } from '../../platform/log.ts';
import type { AdoptedPost, AdoptedPosts } from '../../posts/post-store.ts';
import { propertyText } from '../../posts/values.ts';
import { coalesced, oneAtATime } from '../../storage/pacing.ts';
import { stampOf } from '../../storage/file-facts.ts';
import type { Records } from '../../storage/records/records.ts';
import { largestPostFile, textOfFile, topField } from '../adopted-file.ts';
import type { Edited } from '../adopted-edit.ts';
import type { Problem } from '../../untrusted/front-matter.ts';
import type { AdoptionRules } from '../adopted-url.ts';
import type { ReadPost } from '../adopted-post.ts';
import type { FolderJobs, ReadFolderText } from '../folder-jobs.ts';
import type { Refusal } from '../../posts/files/front-matter.ts';
import { adoptedIndex, type AdoptedRow, type AdoptionSummary } from './adopted-index.ts';
import type { UnreadConfig } from './generator-config.ts';
import { listFolderFiles, readFolderFile, type WriteBack } from './folder-files.ts';

interface AdoptedPostsDeps {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly settings: () => SiteFolderSettings;
  /** Returns whether Porchlight published the post at a URL. */
  readonly isOwn: (url: string) => Promise<boolean>;
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

/** The adoption rules of a folder, and the subfolders in which the URLs of posts can't be determined. */
interface FolderNow {
  readonly folder: string;
  readonly rules: AdoptionRules;
  readonly uncertain: readonly string[];
}

/**
 * The interval between comparisons of the folder with the index, in ms. A comparison doesn't delay requests for posts.
 */
const comparedEveryMs = 600_000;
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
 * Opens the adopted posts: posts in the owner's folder that Porchlight didn't publish. Finds no posts before `start` is
 * called, or while adopting is turned off in the settings.
 */
export function openAdoptedPosts(deps: AdoptedPostsDeps) {
  const { settings, isOwn, writeBack, read, scan, log } = deps;
  const index = adoptedIndex(deps.records);
  const inTurn = oneAtATime();
  let current: FolderNow | undefined;
  /** The configuration file because of which no posts are adopted. */
  let unread: UnreadConfig | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted;
  const stopped = once(stopping.signal, 'abort');
  let isCut = false;
  /**
   * The published text of each file whose version in the folder is outdated, because git could not update the owner's
   * checkout. `stamp`: the version of the outdated file.
   */
  const ahead = new Map<string, { readonly stamp: string; readonly text: string }>();

  const isOn = () => settings().on && settings().adopt && settings().path !== '';

  /** Compares the folder with the index. Reads only files that have changed. */
  const compare = coalesced(async () => {
    if (isStopped() || !isOn()) return;
    const { path: folder, generator, baseUrl, postFile, postUrl } = settings();
    const { generatorConfig } = await import('./generator-config.ts');
    const config = await generatorConfig(openFolderReader(folder), generator, scan);
    unread = 'problem' in config ? config : undefined;
    if ('problem' in config) {
      current = undefined;
      log.warn({ folder, ...config }, 'no posts are adopted, because their URLs can’t be determined');
      return;
    }
    const rules = { generator, baseUrl, postFile, postUrl, ...config };
    const files = await listFolderFiles(folder, startOf(rules), generator);
    const uncertain = await withPermalinks(folder, files.data);
    if (isStopped()) return;
    isCut = files.isCut;
    current = { folder, rules, uncertain };
    await index.useRules(JSON.stringify(current));
    let failed = 0;
    for (let at = 0; at < files.posts.length && !isStopped(); at += batchSize) {
      const batch = files.posts.slice(at, at + batchSize);
      const rows = await Promise.allSettled(batch.map((file) => changedRow(file, index.stampOf(file))));
      if (isStopped()) return;
      await index.update(
        rows.flatMap((row) => (row.status === 'fulfilled' ? row.value : [])),
        [],
      );
      for (const row of rows) {
        if (row.status === 'fulfilled') continue;
        failed += 1;
        if (failed > mostUnread) throw row.reason;
        log.warn({ err: row.reason as unknown }, 'a file in the owner’s folder could not be read');
      }
      await turn();
    }
    if (!isStopped()) await forgetMissing(new Set(files.posts));
  });

  async function forgetMissing(there: ReadonlySet<string>): Promise<void> {
    let last = '';
    for (;;) {
      const files = index.filesAfter(last, mostForgotten);
      await index.update(
        [],
        files.filter((file) => !there.has(file)),
      );
      last = files.at(-1) ?? '';
      if (files.length < mostForgotten || isStopped()) return;
      await turn();
    }
  }

  /** Reads a file if its stamp has changed. Throws if no thread can read the file now. */
  async function changedRow(file: string, known: string | undefined, run = scan): Promise<AdoptedRow[]> {
    const folderNow = current;
    if (folderNow === undefined) return [];
    const stamp = await stampOf(path.join(folderNow.folder, file));
    if (stamp === known) return [];
    const found = await parsed(file, folderNow, (text, rules) =>
      run('urlOfAdopted', { text, file, rules }, file),
    );
    const problem = 'problem' in found ? found.problem : null;
    const url = 'problem' in found || (await isOwn(found.read.url)) ? null : found.read.url;
    return [{ file, stamp, url, problem }];
  }

  /** Reads a post's file. Forgets the post if its file exceeds the limits, so that the file isn't tried again. */
  async function readNow(
    file: string,
    folderNow: FolderNow,
  ): Promise<{ post: ReadPost; text: string } | Problem> {
    const stamp = await stampOf(path.join(folderNow.folder, file));
    const found = await parsed(file, folderNow, (text, rules) =>
      read('readAdopted', { text, file, rules }, file),
    );
    if (!('problem' in found)) return { post: found.read, text: found.text };
    if (found.isRefused) await index.update([{ file, stamp, url: null, problem: found.problem }], []);
    return found;
  }

  /**
   * Reads a file and parses it with `parse`. Returns a problem if that isn't possible. `isRefused`: whether the file
   * exceeds the limits for parsing it.
   */
  async function parsed<T extends object>(
    file: string,
    folderNow: FolderNow,
    parse: (text: string, rules: AdoptionRules) => Promise<T | Problem>,
  ): Promise<{ read: T; text: string } | (Problem & { readonly isRefused: boolean })> {
    const refused = (problem: string, isRefused = false) => ({ problem, isRefused });
    const { folder, rules } = rulesFor(file, folderNow);
    const place = path.join(folder, file);
    const published = ahead.get(place);
    const isBehind = published !== undefined && (await stampOf(place)) === published.stamp;
    if (!isBehind) ahead.delete(place);
    const bytes = isBehind
      ? Buffer.from(published.text)
      : await readFolderFile(folder, file, largestPostFile);
    if (bytes === undefined) return refused('It is larger than 1 MB, or it can’t be read.');
    const text = textOfFile(bytes);
    if (text === undefined) return refused('It isn’t UTF-8 text.');
    try {
      const found = await parse(text, rules);
      return 'problem' in found ? refused(found.problem) : { read: found, text };
    } catch (error) {
      const why = overLimit(error);
      if (why === undefined) throw error;
      return refused(`It ${why}`, true);
    }
  }

  /** Remembers the published text of a file if the file in the folder has a different text. */
  async function noteAhead(folder: string, file: string, text: string): Promise<void> {
    const place = path.join(folder, file);
    const stamp = await stampOf(place);
    const bytes = await readFolderFile(folder, file, largestPostFile);
    if (ahead.size >= mostAhead) ahead.clear();
    if (bytes === undefined || textOfFile(bytes) === text) ahead.delete(place);
    else ahead.set(place, { stamp, text });
  }

  async function at(
    url: string,
    folderNow = current,
  ): Promise<{ post: AdoptedPost; text: string } | undefined> {
    if (!isOn() || folderNow === undefined || !URL.canParse(url)) return undefined;
    const address = new URL(url);
    address.hash = '';
    const file = index.fileAt(address.href);
    const read = file === undefined ? undefined : await readNow(file, folderNow);
    if (file === undefined || !read || 'problem' in read || read.post.url !== address.href) return undefined;
    // A post without a date counts as published in 1970, so that it is never treated as scheduled for later.
    return { post: { ...read.post, file, createdAt: new Date(0).toISOString() }, text: read.text };
  }

  const posts: AdoptedPosts = {
    at: async (url) => (await at(url))?.post,

    change: (url, edit) =>
      inTurn(async () => {
        // A comparison may end meanwhile, and find that the folder can't be read now.
        const folderNow = current;
        const found = await at(url, folderNow);
        if (found === undefined || folderNow === undefined) return undefined;
        const { post, text } = found;
        const { file, properties } = post;
        const { rules } = rulesFor(file, folderNow);
        const result = await edited({ text, file, rules, requested: edit(post) });
        if ('refused' in result) throw new PorchlightError('invalid_request', result.refused);
        if (result.text !== text) {
          const title = propertyText(properties, 'name') ?? file;
          await writeBack({ file, before: text, after: result.text, message: `Update “${title}”` });
          await noteAhead(folderNow.folder, file, result.text);
          await index.update(await changedRow(file, undefined, read), []);
        }
        return (await at(url, folderNow))?.post;
      }),
  };

  async function edited(change: Parameters<FolderJobs['editAdopted']>[0]): Promise<Edited | Refusal> {
    try {
      return await read('editAdopted', change, change.file);
    } catch (error) {
      if (overLimit(error) === undefined || !(error instanceof Error)) throw error;
      return { refused: error.message };
    }
  }

  /**
   * Compares the folder with the index now. Never rejects, but logs a failure. A failure can mean that a disk isn't
   * connected.
   */
  async function compareNow(): Promise<void> {
    running = Promise.race([compare(), stopped.then(() => undefined)]).catch((error: unknown) => {
      log.warn({ err: error }, 'the posts in the owner’s folder could not be read');
    });
    await running;
  }

  return {
    ...posts,
    /** Reads the folder now. Resolves when the index matches it. Call this after the settings or the folder change. */
    refresh: compareNow,
    /**
     * Returns the number of adopted posts, and the reasons why other files aren't adopted. `isCut`: the folder has more
     * files than Porchlight reads.
     */
    summary(): AdoptionSummary & { readonly isCut: boolean } {
      if (!isOn()) return { posts: 0, problems: [], isCut: false };
      if (unread === undefined) return { ...index.summary(), isCut };
      const words = `${unread.problem} Without it, Porchlight doesn’t know the addresses of the posts.`;
      return { posts: 0, problems: [{ words, files: 1, example: unread.file }], isCut: false };
    },
    start(): void {
      void compareNow();
      timer = setInterval(() => void compareNow(), comparedEveryMs).unref();
    },
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };

  /**
   * Returns the folders with a data file that may set a permalink. In these folders, a page's URL can't be determined
   * from the path of its file.
   */
  async function withPermalinks(folder: string, data: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const file of data) {
      const bytes = await readFolderFile(folder, file, largestPostFile);
      if (bytes === undefined || bytes.includes('permalink'))
        found.push(file.slice(0, file.lastIndexOf('/') + 1));
    }
    return found;
  }
}

function rulesFor(file: string, { folder, rules, uncertain }: FolderNow) {
  const { inputFolder, ...others } = rules;
  const isCertain = !uncertain.some((one) => file.startsWith(one));
  return { folder, rules: isCertain && inputFolder !== undefined ? { ...others, inputFolder } : others };
}

/** Returns the folder that contains a generator's posts. */
function startOf({ generator, postFile, config, inputFolder = '' }: AdoptionRules): string {
  const content = topField(config, 'contentDir', generator);
  if (generator === 'hugo' && typeof content === 'string') return content;
  if (generator === 'hugo' || generator === 'zola') return 'content';
  if (generator === 'jekyll') return '';
  if (generator === 'eleventy') return inputFolder;
  return /^[^{]*(?=\/)/.exec(postFile)?.[0] ?? '';
}
