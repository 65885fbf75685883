import { createHash, randomBytes } from 'node:crypto';
import { PorchlightError } from '../contract/error.ts';
import type { SitePage } from '../contract/settings.ts';
import type { Mention } from '../mentions/mention.ts';
import type { MentionStore, NewMention } from '../mentions/mention-store.ts';
import { hostOf } from '../platform/site-name.ts';
import type { ThreadArchive } from './archive-thread.ts';
import type { FoundExtra, FoundMedia, FoundMention, FoundPage } from './found-post.ts';
import type { FileImporter } from './import-files.ts';
import type { Recorded, RunRecords } from './import-records.ts';
import type { ReportWriter } from './import-report.ts';

/** What the importer needs for the mentions and pages of an export. */
export interface ExtrasDeps {
  readonly mentions: Pick<MentionStore, 'get' | 'find' | 'keepAll' | 'erase'>;
  /** Returns whether the owner has blocked the site of a source. */
  readonly isBlocked: (source: string) => boolean;
  /** Called for each mention that was added. Must not notify other sites. */
  readonly mentionAdded: (mention: Mention) => void;
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
  /** The paths of posts that got another path here, by their paths in the export. */
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
export const pageHash = ({ slug, title, text }: SitePage) =>
  createHash('sha256')
    .update(JSON.stringify([slug, title, text]))
    .digest('base64url')
    .slice(0, 22);

/**
 * Returns what identifies a mention in every export of a site. A target on that site counts by its path, because the
 * address of this server may change between two imports.
 */
const mentionKey = ({ mention: { source, target }, path }: FoundMention) =>
  createHash('sha256')
    .update(`${source} ${path ?? target}`)
    .digest('base64url')
    .slice(0, 22);

/**
 * Creates the importer of what an export of Porchlight has besides posts. Nothing replaces what is here: a mention, a
 * page or a file that exists stays as it is.
 */
export function extrasImporter(deps: ExtrasDeps, run: ExtrasOfRun) {
  const { report, ownExport, recorded, places, isNewFile, storing } = run;
  const { mentions, isBlocked, pages, base, now } = deps;
  let waiting: (NewMention & { readonly id: string; readonly key: string })[] = [];
  const seen = new Set<string>();

  /** Returns a mention in the form in which it is stored. Trusts the export only as far as the owner does. */
  function wanted({ mention, path, own }: FoundMention): NewMention {
    const at = new Date(now()).toISOString();
    const known = { ...mention, ...(ownExport && own) };
    const kept = ownExport ? own.status : 'held';
    const isShown = kept === 'approved' || kept === 'held';
    return {
      ...known,
      target: path === undefined ? mention.target : targetHere(mention.target, path),
      status: isShown && isBlocked(mention.source) ? 'hidden' : kept,
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
    const [mention, key] = [wanted(found), mentionKey(found)];
    if (await isKnown(key, mention)) report.skip(mention.source, 'Porchlight already has this mention.');
    else if (storing === undefined) report.takeMentions(1);
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
    report.takeMentions(added.length);
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
      if (refusal === undefined) report.takePage();
      else skip(refusal);
      return;
    }
    const { archive, run: records, addFiles } = storing;
    const text = await archive.convertPage(found, (await addFiles(found, filesKey)).urls);
    const page = { slug, title, text };
    await records.page(slug, pageHash(page));
    try {
      await pages.replace([...pages.all(), page]);
      report.takePage();
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
        report.takeFile();
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
