import type { MentionType } from '../contract/mention-types.ts';
import type {
  Admission,
  Decision,
  MentionedPage,
  MentionRecord,
  MentionStatus,
  SourceSnapshot,
} from '../contract/webmentions.ts';
import { addressOfPage, oneSpelling, type PageFinder } from '../posts/address.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import { recordOf } from './mention-record.ts';
import { isShown, type Mention, type MentionEvent, type SourceFacts, sourceIdentity } from './mention.ts';

export interface MentionFilter {
  readonly type?: MentionType | undefined;
  readonly status?: MentionStatus | undefined;
  /** Leaves out the mentions with this status. */
  readonly without?: MentionStatus | undefined;
  /** The id of the mentioned page (see MentionPages.pageOf). */
  readonly page?: string | undefined;
  readonly source?: string | undefined;
  /** The host of the source. */
  readonly host?: string | undefined;
  /** A string to find in a mention's source, author, name or text, ignoring case. */
  readonly text?: string | undefined;
}

export interface MentionPage {
  /** Sorted by time received, newest first. */
  readonly items: Mention[];
  /** An opaque cursor for the next page; absent on the last page. */
  readonly nextCursor?: string;
}

/** The data to store about a source that was verified or imported. */
export interface NewMention {
  readonly source: string;
  /** The URL at which the source was read, if it redirects. */
  readonly readAt?: string;
  readonly target: string;
  readonly facts: SourceFacts;
  /**
   * The status for a new mention. An existing mention keeps its status. A removed mention gets its previous status
   * back.
   */
  readonly status: MentionStatus;
  /** The reason why a new mention gets `status`. */
  readonly admission?: Admission;
  readonly received?: string;
  readonly parsed: string;
  readonly wmId?: number;
  readonly private?: boolean;
  /** See Mention. */
  readonly comment?: true | undefined;
  readonly imported?: Mention['imported'];
  readonly snapshot?: SourceSnapshot;
  /** The id for a new mention, so that an import can record it first. If absent, the store chooses one. */
  readonly id?: string;
  /** What an export of the owner's own says about the mention. A new mention takes it over. */
  readonly earlier?: Partial<Pick<Mention, 'statusBefore' | 'chosen' | 'takenBack' | 'history'>>;
}

/** A size limit for a mention. */
export interface KeepOptions {
  /**
   * The maximum size of the mention in bytes of JSON, without the history. Applies only if it is below the limit for
   * all mentions (see mention-limits.ts).
   */
  readonly most?: number;
  /**
   * Leaves existing mentions unchanged, and gives new ones exactly the status in NewMention. An import whose content
   * nobody has verified can't take over what the owner approved from the same source.
   */
  readonly onlyNew?: boolean;
  /**
   * Returns what to store if `before` has the same source and target; undefined to leave it as it is. Must be
   * synchronous.
   */
  readonly revise?: (incoming: NewMention, before: Mention) => NewMention | undefined;
  /** Makes other changes in the transaction that stores the mention. */
  readonly also?: (transaction: Transaction) => void;
}

/** The fields of a mention that a decision changes. */
export type Standing = Pick<Mention, 'status' | 'statusBefore' | 'chosen'>;

/** A decision by the owner about one mention, with enough data to undo it. */
export interface Decided {
  readonly id: string;
  readonly before: Standing;
  readonly after: Standing;
  /** The event that the decision added to the history; absent if it added none. */
  readonly event?: MentionEvent | undefined;
}

/**
 * Who makes a decision about a mention. `source`: this server, after reading the source. `aggregator`: the server from
 * which the mention was imported.
 */
export type Decider = 'owner' | 'source' | 'aggregator';

export interface Kept {
  readonly mention: Mention;
  readonly outcome: 'added' | 'updated' | 'unchanged';
  /**
   * How the mention relates to the other mentions from its source on its page. `only`: there are no others. `leads`: it
   * represents the source now. `outranked`: another one represents the source, so this one isn't shown.
   */
  readonly standing: 'only' | 'leads' | 'outranked';
}

/** The result of storing one of many mentions. */
export type KeptOfMany = Omit<Kept, 'standing'>;

/** The result of a decision about many mentions. */
export interface DecidedAll {
  readonly changed: readonly { readonly mention: Mention; readonly decided: Decided }[];
  /** The number of mentions that could not be changed. */
  readonly refused: number;
}

/**
 * The mentions on disk. Each change is on disk when its promise resolves. Source and target (including the fragment)
 * together identify a mention, because a source can mention a target only once.
 */
export interface MentionStore {
  /**
   * Adds a mention, or updates the mention with the same source and target. A deleted mention stays deleted. Data that
   * is too long is shortened and marked as shortened (see mention-limits.ts).
   * @throws PorchlightError `page_full` (503) if the page has no space for another mention from this site.
   */
  keep(mention: NewMention, options?: KeepOptions): Promise<Kept>;
  /**
   * Adds or updates many mentions in a few writes, for imports. Returns the stored mentions. Skips mentions for pages
   * that have no space left.
   */
  keepAll(mentions: readonly NewMention[], options?: KeepOptions): Promise<KeptOfMany[]>;
  /**
   * Removes mentions as if they had never been there, to undo an import. Unlike a deleted mention, an erased one comes
   * back as a new mention if its source sends it. Returns the mentions that were removed.
   */
  erase(ids: readonly string[]): Promise<Mention[]>;
  get(id: string): Promise<Mention | undefined>;
  find(source: string, target: string): Promise<Mention | undefined>;
  /**
   * Returns the URL of a mention's author; undefined if no mention by the author is shown. `handle`: see `handleOf`.
   */
  personUrl(handle: string): string | undefined;
  /** Returns the mention that was imported with this `wm-id`. */
  byWmId(wmId: number): Promise<Mention | undefined>;
  /**
   * Sets a mention's status. `by`: who made the decision. After a decision by the owner, the source and the aggregator
   * can only remove the mention.
   * @throws PorchlightError not_found (404).
   */
  setStatus(id: string, status: MentionStatus, by: Decider): Promise<Mention>;
  /**
   * Restores a deleted mention with its status from before the deletion.
   * @throws PorchlightError not_found (404).
   */
  restore(id: string): Promise<Mention>;
  /**
   * Applies the owner's decision to many mentions, a few in each write. Skips mentions that no longer exist, that their source
   * withdrew, or that the decision would not change.
   */
  decideAll(ids: readonly string[], decision: Decision): Promise<DecidedAll>;
  /**
   * Undoes the owner's decisions about mentions. Skips mentions that have changed since the decision. Returns the
   * changed mentions.
   */
  undoAll(decided: readonly Decided[]): Promise<Mention[]>;
  /** Shows all mentions again that a repair of the database has held. Returns their number. */
  releaseHeld(): Promise<number>;
  /** The rule by which mentions are assigned to pages. */
  readonly pageRules: MentionPages;
  /**
   * Returns the mentions of a page, whatever their status, oldest first. Returns one mention for each source: the one
   * that represents it (see rankForSource). `target`: any URL of the page, or its id. The store never changes a returned
   * array.
   */
  ofPage(target: string): Promise<readonly Mention[]>;
  /**
   * Returns every mention of a page, even if a source links to several spellings of its URL. Oldest first. Caches
   * nothing, for callers that read one page after another. `target`: any URL of the page, or its id.
   */
  recordsOf(target: string): Promise<readonly Mention[]>;
  /**
   * Returns up to `limit` other mentions that may be of the same source at a former URL: with the same page, host of the
   * source and type. They are approved or held, and represent their sources.
   */
  neighbours(mention: Mention, limit: number): Promise<Mention[]>;
  /** Returns the mention that represents a mention's source on its page. */
  leader(mention: Pick<Mention, 'source' | 'readAt' | 'target'>): Promise<Mention | undefined>;
  /** Returns whether a mention represents its source on its page. */
  isLeading(id: string): Promise<boolean>;
  /** Returns the ids of mentioned pages that equal `page` except for upper and lower case. */
  spellings(page: string): Promise<string[]>;
  /** Returns the ids of the mentioned pages, the most recently mentioned first. */
  pageIds(): Promise<string[]>;
  /**
   * Moves mentions to other pages, because there may be another page at these addresses now. The mentions follow before
   * they are read the next time. Never throws.
   */
  addressesChanged(addresses: readonly string[], transaction: Pick<Transaction, 'run'>): void;
  /**
   * Returns whether the owner has approved a mention by this author from this host. Imported comments don't count. Fast,
   * even with many mentions.
   * `author`: see authorOf.
   */
  wasApproved(host: string, author: string): Promise<boolean>;
  /** Resolves once everything that the owner blocks is hidden, and nothing else is hidden by a block. */
  applyBlocks(): Promise<void>;
  list(options: { limit: number; cursor?: string | undefined; filter?: MentionFilter }): Promise<MentionPage>;
  /** Returns every page with mentions, the most recently mentioned first. The owner's own mentions are not counted. */
  pages(): Promise<MentionedPage[]>;
  /**
   * Returns the number of approved mentions by month of receipt (`2026-11`) and type, without the owner's own mentions.
   */
  counts(): Promise<{ month: string; types: Partial<Record<MentionType, number>> }[]>;
  /**
   * Returns the pages with the most approved mentions in one year (`2026`) or overall. The owner's own mentions are not
   * counted.
   */
  topPages(year?: string): Promise<{ target: string; mentions: number }[]>;
  /**
   * Yields every mention for an export, in the order in which they were received. Reads the mentions in
   * batches. `which`: every mention, or only one from each source of a page.
   */
  all(which?: 'every' | 'leading'): AsyncIterable<Mention>;
  /** Yields the `wm-id` and the id of each imported mention, for comparison with the aggregator's list. */
  importedIds(): AsyncIterable<{ wmId: number; id: string }>;
  /** Waits for pending writes, and starts no new ones. */
  close(): Promise<void>;
}

/** Finds the page to which a mention belongs. */
export interface MentionPages extends Pick<PageFinder, 'pageAt'> {
  /** Returns the public origin of this server. */
  readonly base: () => string;
  /** Returns the address of a target; see addressOfPage. An address is returned unchanged. */
  readonly addressOf: (target: string) => string;
  /** Returns the id of the page that a target leads to, whatever the spelling of the target. */
  readonly pageOf: (target: string) => string;
  /** Returns the URL of a page. `page`: its id. */
  readonly urlOf: (page: string) => string;
  /** Returns the title of the post that a target leads to; undefined if it leads to no post (see PageFinder.titleOf). */
  readonly titleOf: (target: string) => string | undefined;
}

/** Creates the rule by which mentions are assigned to pages. `base`: returns the public origin of this server. */
export function mentionPages(base: () => string, finder: PageFinder = noFinder): MentionPages {
  const addressOf = (target: string) => addressOfPage(base(), target);
  return {
    base,
    addressOf,
    pageOf: (target) => finder.pageAt(addressOf(target)),
    pageAt: (address) => finder.pageAt(address),
    // The id of a page of the built-in site is a path.
    urlOf: (page) => finder.homeUrl(page) ?? (page.startsWith('/') ? base() + oneSpelling(page) : page),
    titleOf: (target) => finder.titleOf(finder.pageAt(addressOf(target))),
  };
}

/** Knows no posts: each address is a page of its own. */
const noFinder: PageFinder = {
  pageAt: (address) => address,
  homeUrl: () => undefined,
  titleOf: () => undefined,
};

/** Returns the approved, public mentions of a page. `page`: its id, or any of its URLs. */
export async function shownMentions(
  store: Pick<MentionStore, 'ofPage'>,
  page: string,
): Promise<MentionRecord[]> {
  return (await store.ofPage(page)).filter(isShown).map(recordOf);
}

/**
 * Returns whether everybody may learn that URLs belong to the same page. That is not so if the page's post isn't public,
 * because the post may have moved since it was. `page`: the id of the page.
 */
export type MayDisclose = (page: string) => Promise<boolean>;

/**
 * Returns the mentions that everybody may see at a target, some of which may not be shown (see isShown). These are the
 * mentions of the target's page, one for each source. For a target with a fragment, these are only the mentions of
 * exactly that target. `page`: the id of the target's page, if it differs from the target in upper and lower case.
 */
export async function mentionsAt(
  store: Pick<MentionStore, 'ofPage' | 'recordsOf' | 'pageRules'>,
  mayDisclose: MayDisclose,
  target: string,
  page = store.pageRules.pageOf(target),
): Promise<readonly Mention[]> {
  const mentions = await store.ofPage(page);
  if (target.includes('#')) {
    const shown = new Set(mentions.filter(isShown).map(sourceIdentity));
    const records = await store.recordsOf(page);
    return records.filter((one) => isEqual(one.target, target) && shown.has(sourceIdentity(one)));
  }
  if (await mayDisclose(page)) return mentions;
  const { addressOf } = store.pageRules;
  return mentions.filter((one) => isEqual(addressOf(one.target), addressOf(target)));
}

/** Ignores case, as webmention.io does (PROTOCOLS 8.2). */
const isEqual = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
