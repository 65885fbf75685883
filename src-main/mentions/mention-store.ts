import type {
  Admission,
  Decision,
  MentionedPage,
  MentionStatus,
  MentionType,
  SourceSnapshot,
} from '../contract/webmentions.ts';
import type { Mention, MentionEvent, SourceFacts } from './mention.ts';

export interface MentionFilter {
  readonly type?: MentionType | undefined;
  readonly status?: MentionStatus | undefined;
  /** The URLs of the mentioned page, at most a few; fragments are ignored. */
  readonly targets?: readonly string[] | undefined;
  readonly source?: string | undefined;
  /** The host of the source. */
  readonly host?: string | undefined;
  /** A case-insensitive part of source, author, name or text. */
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
  readonly target: string;
  readonly facts: SourceFacts;
  /**
   * The status if the mention is new. An existing mention keeps its status, but a removed mention gets back the status
   * from before it was removed.
   */
  readonly status: MentionStatus;
  /** Why a new mention gets that status. */
  readonly admission?: Admission;
  readonly received?: string;
  readonly parsed: string;
  readonly wmId?: number;
  readonly private?: boolean;
  readonly imported?: Mention['imported'];
  readonly snapshot?: SourceSnapshot;
}

/** A size limit for a mention. */
export interface KeepOptions {
  /**
   * The most bytes of JSON, without the history, that the mention may use. Applies only if it is below the general
   * limit.
   */
  readonly most?: number;
}

/** The part of a mention that a decision changes. */
export type Standing = Pick<Mention, 'status' | 'statusBefore' | 'chosen'>;

/** A decision of the owner about one mention, with enough data to undo it. */
export interface Decided {
  readonly id: string;
  readonly before: Standing;
  readonly after: Standing;
  /** The event that the decision added to the history; absent if it added none. */
  readonly event?: MentionEvent | undefined;
}

/**
 * Who decides about a mention: the owner, its source as this server read it, or the aggregator it was imported from.
 */
export type Decider = 'owner' | 'source' | 'aggregator';

export type Kept = { readonly mention: Mention; readonly outcome: 'added' | 'updated' | 'unchanged' };

/** The result of a decision about many mentions. */
export interface DecidedAll {
  readonly changed: readonly { readonly mention: Mention; readonly decided: Decided }[];
  /** The number of mentions that could not be changed. */
  readonly refused: number;
}

/**
 * The mentions on disk. A change that the store acknowledges is durable. A source mentions a target only once: source
 * and target (including the fragment) are the key, so there are no duplicates.
 */
export interface MentionStore {
  /**
   * Adds a mention, or updates the mention with the same source and target. A deleted mention stays deleted. Data that
   * is too long is shortened and marked as such (see mention-size.ts, page-room.ts).
   * @throws PorchlightError `page_full` (503) if the page has no room for another mention from this site.
   */
  keep(mention: NewMention, options?: KeepOptions): Promise<Kept>;
  /**
   * Adds or updates many mentions in few writes, for imports. Returns those that were stored: mentions for which their
   * page has no room are left out.
   */
  keepAll(mentions: readonly NewMention[]): Promise<Kept[]>;
  get(id: string): Promise<Mention | undefined>;
  find(source: string, target: string): Promise<Mention | undefined>;
  /** Returns the URL of a person whose mention is shown, by the handle of that URL (`handleOf`). */
  personUrl(handle: string): string | undefined;
  /** Returns the mention that was imported with this webmention.io number. */
  byWmId(wmId: number): Promise<Mention | undefined>;
  /**
   * Sets a mention's status. `by`: who decides; once the owner has decided, others can only remove the mention.
   * @throws PorchlightError not_found (404).
   */
  setStatus(id: string, status: MentionStatus, by: Decider): Promise<Mention>;
  /**
   * Restores the status from before the deletion.
   * @throws PorchlightError not_found (404).
   */
  restore(id: string): Promise<Mention>;
  /**
   * Applies the owner's decision to many mentions, in one write. Leaves out mentions that no longer exist, that their
   * source withdrew, or that would not change.
   */
  decideAll(ids: readonly string[], decision: Decision): Promise<DecidedAll>;
  /**
   * Restores mentions to their state before the owner's decision, except those that have changed again. Returns the
   * restored mentions.
   */
  undoAll(decided: readonly Decided[]): Promise<Mention[]>;
  /** Returns all mentions of a page, whatever their status, oldest first. A returned array is never changed. */
  ofPage(target: string): Promise<readonly Mention[]>;
  /** Returns every page with mentions whose URL is `page`, in upper or lower case. */
  spellings(page: string): Promise<string[]>;
  /** Returns whether the owner approved a mention from this host by hand. Fast, however many mentions there are. */
  wasApproved(host: string): Promise<boolean>;
  list(options: { limit: number; cursor?: string | undefined; filter?: MentionFilter }): Promise<MentionPage>;
  /** Returns every page with mentions, the most recently mentioned first. The owner's own mentions are not counted. */
  pages(): Promise<MentionedPage[]>;
  /** Returns how many approved mentions by others were received in each month (`2026-11`), by type. */
  counts(): Promise<{ month: string; types: Partial<Record<MentionType, number>> }[]>;
  /** Returns the pages with the most approved mentions by others, in one year (`2026`) or overall. */
  topPages(year?: string): Promise<{ target: string; mentions: number }[]>;
  /** Yields every mention, oldest received first, and reads them from the index in batches. For exports. */
  all(): AsyncIterable<Mention>;
  /** Yields the numbers and ids of all imported mentions, for comparison with the aggregator's. */
  importedIds(): AsyncIterable<{ wmId: number; id: string }>;
  /** Waits for pending writes, and starts no new ones. */
  close(): Promise<void>;
}
