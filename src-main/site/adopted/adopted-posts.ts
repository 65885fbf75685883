import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { PorchlightError } from '../../contract/error.ts';
import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import type { Log } from '../../platform/log.ts';
import type { AdoptedPost, AdoptedPosts } from '../../post/adopted-post.ts';
import { propertyText } from '../../post/values.ts';
import { coalesced } from '../../storage/coalesce.ts';
import { stampOf } from '../../storage/index/file-stamp.ts';
import type { IndexDatabase } from '../../storage/index/index-database.ts';
import { oneAtATime } from '../../storage/one-at-a-time.ts';
import { topField } from '../folder/adopted-fields.ts';
import { largestPostFile, textOfFile } from '../folder/adopted-file.ts';
import type { AdoptionRules } from '../folder/adopted-path.ts';
import { adoptedIndex, type AdoptedRow } from './adopted-index.ts';
import { listFolderFiles, readFolderFile } from './folder-files.ts';
import type { WriteBack } from './write-back.ts';

interface AdoptedPostsDeps {
  readonly index: IndexDatabase;
  readonly settings: () => SiteFolderSettings;
  /** Returns whether Porchlight published the post at a URL. */
  readonly isOwn: (url: string) => Promise<boolean>;
  /**
   * Writes a changed file.
   * @throws Error, with a message for the owner, if the file was changed by somebody else or can't be written
   */
  readonly writeBack: (change: WriteBack) => Promise<void>;
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
const batchSize = 64;
const mostForgotten = 1000;
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
  const { settings, isOwn, writeBack, log } = deps;
  const index = adoptedIndex(deps.index);
  const inTurn = oneAtATime();
  let current: FolderNow | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted;
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
    const config = await generatorConfig(folder, generator);
    if (config === undefined) {
      current = undefined;
      log.warn({ folder }, 'the configuration of the owner’s site can’t be read, so no posts are adopted');
      return;
    }
    const rules = { generator, baseUrl, postFile, postUrl, ...config };
    const files = await listFolderFiles(folder, startOf(rules), generator);
    const uncertain = await withPermalinks(folder, files.data);
    isCut = files.isCut;
    current = { folder, rules, uncertain };
    index.useRules(JSON.stringify(current));
    for (let at = 0; at < files.posts.length && !isStopped(); at += batchSize) {
      const batch = files.posts.slice(at, at + batchSize);
      index.update(
        (await Promise.all(batch.map((file) => changedRow(file, index.stampOf(file))))).flat(),
        [],
      );
      await turn();
    }
    if (!isStopped()) await forgetMissing(new Set(files.posts));
  });

  async function forgetMissing(there: ReadonlySet<string>): Promise<void> {
    let last = '';
    for (;;) {
      const files = index.filesAfter(last, mostForgotten);
      index.update(
        [],
        files.filter((file) => !there.has(file)),
      );
      last = files.at(-1) ?? '';
      if (files.length < mostForgotten) return;
      await turn();
    }
  }

  async function changedRow(file: string, known: string | undefined): Promise<AdoptedRow[]> {
    if (current === undefined) return [];
    const stamp = await stampOf(path.join(current.folder, file));
    if (stamp === known) return [];
    const read = await readNow(file);
    const problem = 'problem' in read ? read.problem : null;
    const url = 'problem' in read || (await isOwn(read.post.url)) ? null : read.post.url;
    return [{ file, stamp, url, problem }];
  }

  async function readNow(file: string, folderNow = current) {
    if (folderNow === undefined) return { problem: 'The folder can’t be read.' };
    const { folder, rules } = rulesFor(file, folderNow);
    const place = path.join(folder, file);
    const published = ahead.get(place);
    const isBehind = published !== undefined && (await stampOf(place)) === published.stamp;
    if (!isBehind) ahead.delete(place);
    const bytes = isBehind
      ? Buffer.from(published.text)
      : await readFolderFile(folder, file, largestPostFile);
    if (bytes === undefined) return { problem: 'It is larger than 1 MB, or it can’t be read.' };
    const text = textOfFile(bytes);
    if (text === undefined) return { problem: 'It isn’t UTF-8 text.' };
    const { readAdopted } = await import('../folder/adopted-post.ts');
    const read = readAdopted(text, file, rules);
    return 'problem' in read ? read : { post: read, text };
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
    if (!isOn() || !URL.canParse(url)) return undefined;
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
        const { editAdopted } = await import('../folder/adopted-edit.ts');
        const result = editAdopted(text, file, edit(post), rulesFor(file, folderNow).rules);
        if ('refused' in result) throw new PorchlightError('invalid_request', result.refused);
        if (result.text !== text) {
          const title = propertyText(properties, 'name') ?? file;
          await writeBack({ file, before: text, after: result.text, message: `Update “${title}”` });
          await noteAhead(folderNow.folder, file, result.text);
          index.update(await changedRow(file, undefined), []);
        }
        return (await at(url, folderNow))?.post;
      }),
  };

  /**
   * Compares the folder with the index now. Never rejects, but logs a failure. A failure can mean that a disk isn't
   * connected.
   */
  async function compareNow(): Promise<void> {
    running = compare().catch((error: unknown) => {
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
    summary: () => ({ ...(isOn() ? index.summary() : { posts: 0, problems: [] }), isCut }),
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
