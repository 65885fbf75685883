import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import type { SitePage } from '../contract/site-settings.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import type { NewMention, Mention } from '../mentions/mention.ts';
import { hostOf } from '../platform/site-name.ts';
import type { ThreadArchive } from './archive-thread.ts';
import type { FileInArchive } from './archive.ts';
import {
  type FoundExtra,
  type FoundMedia,
  type FoundMention,
  type FoundPage,
  type FoundPost,
  isWebUrl,
  recordHash,
} from './found-post.ts';
import type { Recorded, ReportWriter, RunRecords } from './import-records.ts';

/** What the importer needs for the mentions and pages of an archive. */
export interface ExtrasDeps {
  readonly mentions: Pick<MentionStore, 'get' | 'find' | 'keepAll' | 'erase' | 'decideAll'>;
  /** Called for each mention that was added. Must not notify other sites. */
  readonly mentionAdded: (mention: Mention) => void;
  /** Called for each mention that the owner approved with its import. */
  readonly mentionApproved: (mention: Mention) => void;
  readonly pages: {
    readonly all: () => readonly SitePage[];
    /** Replaces the pages. @throws PorchlightError `invalid_request` */
    readonly replace: (pages: SitePage[]) => Promise<void>;
  };
  /** Returns the public origin. */
  readonly base: () => string;
  /** Returns the time in ms. */
  readonly now: () => number;
}

/** What one run imports. `storing` is absent during a check. */
interface ExtrasOfRun {
  readonly report: ReportWriter;
  readonly ownExport: boolean;
  readonly recorded: Pick<Recorded, 'mention'>;
  /**
   * The paths of posts that got another path here, by their paths in the export; and those of all posts with comments, by
   * their addresses in the archive.
   */
  readonly places: ReadonlyMap<string, string>;
  /** Returns whether a file is here neither as an upload nor with a post of the same archive. */
  readonly isNewFile: (file: FoundMedia) => Promise<boolean>;
  readonly storing?: {
    readonly archive: Pick<ThreadArchive, 'convertPage'>;
    readonly run: RunRecords;
    readonly addFiles: FileImporter;
  };
}

/** How many mentions are written together. */
const mostTogether = 100;
const mostPages = 50;
/** The key of files that belong to no post, or to a page. */
const filesKey = 'files';

/** Returns a hash of a page's content, by which an undo recognizes a page that the owner has changed. */
export const pageHash = ({ slug, title, text }: SitePage) => recordHash(JSON.stringify([slug, title, text]));

/**
 * Returns what identifies a mention in every export of a site. A target on that site counts by its path, because the
 * address of this server may change between two imports.
 */
const mentionKey = ({ mention: { source, target }, path }: FoundMention) =>
  recordHash(`${source} ${path ?? target}`);

/**
 * Creates the importer of what an archive has besides posts. Nothing replaces what is here: a mention, a
 * page or a file that exists stays as it is.
 */
export function extrasImporter(deps: ExtrasDeps, run: ExtrasOfRun) {
  const { report, ownExport, recorded, places, isNewFile, storing } = run;
  const { mentions, pages, base, now } = deps;
  let waiting: (NewMention & { readonly id: string; readonly key: string })[] = [];
  const seen = new Set<string>();

  /** Returns a mention in the form in which it is stored. Trusts the export only as far as the owner does. */
  function storable({ mention, post, path, own }: FoundMention): NewMention {
    const at = new Date(now()).toISOString();
    const known = { ...mention, ...(ownExport && own) };
    const place = post === undefined ? undefined : places.get(post);
    const target = place === undefined ? mention.target : base() + place;
    return {
      ...known,
      target: path === undefined ? target : targetHere(mention.target, path),
      status: ownExport ? own.status : 'held',
      received: momentIn(mention.received, at),
      parsed: momentIn(mention.parsed, at),
    };
  }

  /** Returns the target on this site, which may have another address than the site of the export. */
  function targetHere(target: string, path: string): string {
    const url = new URL(base() + path);
    const place = places.get(url.pathname.replace(/\/$/, ''));
    if (place === undefined && hostOf(new URL(target)) === hostOf(url)) return target;
    if (place !== undefined) url.pathname = place;
    return url.href;
  }

  async function isKnown(key: string, { source, target }: NewMention): Promise<boolean> {
    if (seen.has(key)) return true;
    const earlier = recorded.mention(key);
    if (earlier !== undefined && (await mentions.get(earlier))) return true;
    return (await mentions.find(source, target)) !== undefined;
  }

  async function addMention(found: FoundMention): Promise<void> {
    if (found.post !== undefined && !places.has(found.post)) {
      report.skip(found.mention.source, 'Its post isn’t imported.');
      return;
    }
    const [mention, key] = [storable(found), mentionKey(found)];
    if (await isKnown(key, mention)) report.skip(mention.source, 'Porchlight already has this mention.');
    else if (storing === undefined) report.mentions += 1;
    else waiting.push({ ...mention, key, id: randomBytes(12).toString('base64url') });
    seen.add(key);
    if (waiting.length >= mostTogether) await flush();
  }

  async function flush(): Promise<void> {
    if (storing === undefined || waiting.length === 0) return;
    const some = waiting;
    waiting = [];
    await storing.run.mentions(some.map(({ id, key }) => ({ id, key })));
    const kept = await mentions.keepAll(some, { onlyNew: true });
    const added = kept.filter(({ outcome }) => outcome === 'added');
    report.mentions += added.length;
    for (const { mention } of added) deps.mentionAdded(mention);
    const isKept = new Set(kept.map(({ mention }) => `${mention.source} ${mention.target}`));
    for (const { source, target } of some)
      if (!isKept.has(`${source} ${target}`))
        report.skip(source, 'Its page has reached its limit of mentions.');
  }

  /** Returns why a page can't be added; undefined if it can be. */
  function pageRefusal(slug: string): string | undefined {
    const all = pages.all();
    if (all.some((page) => page.slug === slug)) return 'Porchlight already has a page at this address.';
    return all.length >= mostPages ? 'The site has as many pages as it can have.' : undefined;
  }

  async function addPage(found: FoundPage): Promise<void> {
    const { slug, title } = found.page;
    const skip = (why: string) => report.skip(`/${slug} ${title}`, why);
    const refusal = pageRefusal(slug);
    if (refusal !== undefined || storing === undefined) {
      if (refusal === undefined) report.pages += 1;
      else skip(refusal);
      return;
    }
    const { archive, run: records, addFiles } = storing;
    const text = await archive.convertPage(found, (await addFiles(found, filesKey)).urls);
    const page = { slug, title, text };
    await records.page(slug, pageHash(page));
    try {
      await pages.replace([...pages.all(), page]);
      report.pages += 1;
    } catch (error) {
      if (!(error instanceof PorchlightError && error.code === 'invalid_request')) throw error;
      skip(error.message);
    }
  }

  return {
    async add(extra: FoundExtra): Promise<void> {
      if ('mention' in extra) await addMention(extra.mention);
      else if ('page' in extra) await addPage(extra.page);
      else if (await isNewFile(extra.file)) {
        report.files += 1;
        await storing?.addFiles({ media: [extra.file] }, filesKey);
      }
    },
    /** Writes the mentions that still wait. */
    flush,
  };
}

/** Returns a time of the export in UTC, or `at` (ISO 8601) if it is in the future or before 1970. */
function momentIn(time: string | undefined, at: string): string {
  const found = Date.parse(time ?? '');
  return found >= 0 && found <= Date.parse(at) ? new Date(found).toISOString() : at;
}

/** The maximum length of a file's name in the list of what a post loses. */
const longestName = 200;

interface FileDeps {
  readonly media: Pick<MediaStore, 'add' | 'get' | 'delete'>;
  /** Returns the public origin. */
  readonly base: () => string;
}

interface FilesOfRun {
  readonly archive: Pick<ThreadArchive, 'content'>;
  readonly recorded: Recorded;
  readonly run: RunRecords;
  /** The id of the run that this import continues. */
  readonly begun: string | undefined;
  readonly report: ReportWriter;
}

type FileToAdd = { readonly source: FileInArchive } & Pick<FoundMedia, 'kept'>;
type FileImporter = ReturnType<typeof fileImporter>;

/**
 * Returns a function that adds a post's files to the media store. The function returns the URL of each of the post's
 * media, in the same order, and names those that can't be added in `lost` and in the report. A file that several posts show is added once, so
 * that a small archive can't fill the disk with copies.
 */
export function fileImporter(
  { media, base }: FileDeps,
  { archive, recorded, run, begun, report }: FilesOfRun,
) {
  const added = new Map<string, Promise<string>>();

  async function stored(path: string | undefined): Promise<string | undefined> {
    return path === undefined ? undefined : (await media.get(path))?.path;
  }

  async function add({ source, kept }: FileToAdd, key: string, hash: string): Promise<string> {
    const file = await media.add(archive.content(source), {
      name: kept?.name ?? basename(source.path),
      wasStored: kept !== undefined,
      placing: (path) => run.file(key, hash, path),
    });
    // An export of Porchlight contains every type of file that apps may upload.
    if (file.kind !== 'document' || kept) return file.path;
    // The file has the name of a picture but contains something else, such as text.
    await media.delete(file.path);
    throw new PorchlightError('invalid_request', 'The file isn’t a picture, a video or audio.');
  }

  /** Returns the path of a file in the media store. Adds the file if it isn't there. */
  async function pathOf(file: FileToAdd, key: string): Promise<string> {
    const { source, kept } = file;
    const hash = recordHash(kept?.path ?? source.path);
    const own = await stored(recorded.file(key, hash));
    if (own !== undefined) return own;
    const earlier = async () => {
      const begunPath = begun === undefined ? undefined : await stored(recorded.fileOfAny(hash, begun));
      // Nobody can guess the path of a file in an export, so a known path means that it is the same file.
      return begunPath ?? (kept && ((await stored(kept.path)) ?? (await stored(recorded.fileOfAny(hash)))));
    };
    const path = added.get(hash) ?? earlier().then((found) => found ?? add(file, key, hash));
    added.set(hash, path);
    return path;
  }

  return async function addFiles(
    found: Pick<FoundPost, 'media'>,
    key: string,
  ): Promise<{ urls: (string | undefined)[]; lost: string[] }> {
    const urls: (string | undefined)[] = [];
    const lost: string[] = [];
    const lose = (name: string, why: string) => {
      report.skip(name, why);
      lost.push(`the file ${name.slice(0, longestName)}`);
      urls.push(undefined);
    };
    for (const { source, kept } of found.media) {
      if (typeof source === 'string') {
        if (isWebUrl(source)) urls.push(source);
        else lose(source, 'The archive doesn’t contain this file.');
        continue;
      }
      try {
        urls.push(new URL(await pathOf({ source, kept }, key), base()).href);
      } catch (error) {
        const isFileAtFault =
          error instanceof PorchlightError && ['invalid_request', 'archive_broken'].includes(error.code);
        if (!isFileAtFault) throw error;
        lose(source.path, error.message.replace('The archive can’t be imported. ', ''));
      }
    }
    return { urls, lost };
  };
}
