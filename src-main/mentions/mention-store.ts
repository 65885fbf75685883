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
  /** The page mentioned; a fragment is ignored. */
  readonly target?: string | undefined;
  readonly source?: string | undefined;
  /** The host of the source. */
  readonly host?: string | undefined;
  /** Case-insensitive part of source, author, name or text. */
  readonly text?: string | undefined;
}

export interface MentionPage {
  /** Newest received first. */
  readonly items: Mention[];
  /** Opaque: for the page after this one; absent on the last. */
  readonly nextCursor?: string;
}

/** What is to be kept of a source that was verified or imported. */
export interface NewMention {
  readonly source: string;
  readonly target: string;
  readonly facts: SourceFacts;
  /** What it is to be where it is new; one that the owner decided on keeps what the owner chose. */
  readonly status: MentionStatus;
  /** Why it is that. */
  readonly admission?: Admission;
  readonly received?: string;
  readonly parsed: string;
  readonly wmId?: number;
  readonly private?: boolean;
  readonly imported?: Mention['imported'];
  readonly snapshot?: SourceSnapshot;
}

/** How much a mention may take. */
export interface KeepOptions {
  /** In bytes of JSON without its history, where that is less than any mention may take. */
  readonly most?: number;
}

/** What a decision changes of a mention. */
export type Standing = Pick<Mention, 'status' | 'statusBefore' | 'chosen'>;

/** A decision of the owner about one mention: enough to undo it. */
export interface Decided {
  readonly id: string;
  readonly before: Standing;
  readonly after: Standing;
  /** What the decision added to the history; absent where it added nothing. */
  readonly event?: MentionEvent | undefined;
}

/** Who decides what becomes of a mention: the owner, its source as this server read it, or where it was imported from. */
export type Decider = 'owner' | 'source' | 'aggregator';

export type Kept = { readonly mention: Mention; readonly outcome: 'added' | 'updated' | 'unchanged' };

/** What a decision about many came to. */
export interface DecidedAll {
  readonly changed: readonly { readonly mention: Mention; readonly decided: Decided }[];
  /** How many could not be changed. */
  readonly refused: number;
}

/**
 * The mentions on disk. What it acknowledges is durable. A source mentions a target once: source and target (fragment
 * included) are the key, so nothing is ever there twice.
 */
export interface MentionStore {
  /**
   * Adds a mention, or brings the one of the same source and target up to date. A deleted one stays deleted. What is too
   * long is shortened, and says so (see mention-size.ts, page-room.ts).
   * @throws PorchlightError `page_full` (503) where there is no room on the page for one more of this site.
   */
  keep(mention: NewMention, options?: KeepOptions): Promise<Kept>;
  /** The same for many, in few writes: for the import. Answers those that were kept: there may be no room for some. */
  keepAll(mentions: readonly NewMention[]): Promise<Kept[]>;
  get(id: string): Promise<Mention | undefined>;
  find(source: string, target: string): Promise<Mention | undefined>;
  /** Imported under this number. */
  byWmId(wmId: number): Promise<Mention | undefined>;
  /** Sets what became of it. `by`: whose decision; `owner` ones stick. @throws PorchlightError not_found (404). */
  setStatus(id: string, status: MentionStatus, by: Decider): Promise<Mention>;
  /** Brings back what it was before it was deleted. @throws PorchlightError not_found (404). */
  restore(id: string): Promise<Mention>;
  /**
   * Does what the owner decided with many, in one write. Mentions that are gone or that their source withdrew
   * are left out, and so are those that would not change.
   */
  decideAll(ids: readonly string[], decision: Decision): Promise<DecidedAll>;
  /** Puts mentions back as they were before the owner's decision, except those that changed again; answers the rest. */
  undoAll(decided: readonly Decided[]): Promise<Mention[]>;
  /** All mentions of a page, whatever their status, oldest first. An array that was given before is still true. */
  ofPage(target: string): Promise<readonly Mention[]>;
  /** Whether the owner approved a mention of this host by hand. Costs little, however many mentions there are. */
  wasApproved(host: string): Promise<boolean>;
  list(options: { limit: number; cursor?: string | undefined; filter?: MentionFilter }): Promise<MentionPage>;
  /** Every page with mentions, the one mentioned last first. The owner's own mentions are not counted. */
  pages(): Promise<MentionedPage[]>;
  /** How many of each type were received in each month (`2026-11`), approved ones of others. */
  counts(): Promise<{ month: string; types: Partial<Record<MentionType, number>> }[]>;
  /** The pages with the most approved mentions of others, of a year (`2026`) or of all. */
  topPages(year?: string): Promise<{ target: string; mentions: number }[]>;
  /** Every mention, oldest received first, a page at a time: for exports and readers of everything. */
  all(): AsyncIterable<Mention>;
  /** The numbers of all imported mentions, for comparing with what the aggregator has. */
  importedIds(): AsyncIterable<{ wmId: number; id: string }>;
  /** Waits for what is being written, and begins nothing more. */
  close(): Promise<void>;
}
