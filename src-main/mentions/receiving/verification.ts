import { PorchlightError } from '../../contract/error.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Admission, MentionStatus } from '../../contract/webmentions.ts';
import type { Clock } from '../../platform/clock.ts';
import { createCostBudget } from '../../platform/cost-budget.ts';
import { hostnameOf, hostOf } from '../../platform/site-name.ts';
import type { Transaction } from '../../storage/records/group-commit.ts';
import { mentionBytes, shortRoom } from '../mention-limits.ts';
import type { Blocks, Sayer } from '../blocked.ts';
import type { MentionStore } from '../mention-store.ts';
import { authorOf, type Mention, type SourceFacts } from '../mention.ts';
import { admissionOf, statusOfNew } from '../moderation.ts';
import type { OwnSites } from '../own-sites.ts';
import type { SourceResult } from './read-source.ts';

/** The listeners for changes to mentions. */
export interface MentionEvents {
  received(mention: Mention): void;
  changed(mention: Mention): void;
  /**
   * Called when the queue refuses a mention, when a page has reached its limit of mentions, and when a mention is
   * shortened because its sender has used up its disk space. `why`: one sentence for the owner.
   */
  refused(why: string): void;
}

export interface VerificationDeps {
  readonly store: MentionStore;
  readonly settings: () => Settings['webmention'];
  readonly ownSites: () => OwnSites;
  readonly blocks: Pick<Blocks, 'covers'>;
  readonly clock: Clock;
  readonly events: MentionEvents;
}

interface ApplyDeps extends VerificationDeps {
  readonly visitorRoom: VisitorRoom;
}

/** Changes to make in the transaction that stores a mention. */
type Also = (transaction: Transaction) => void;

/** The result of reading a mention's source. */
export type MentionVerdict =
  | { readonly kind: 'added' | 'approved' | 'updated' | 'removed' }
  | Extract<SourceResult, { kind: 'failed' }>;

interface Pair {
  readonly source: string;
  readonly target: string;
}

export interface SentPair extends Pair {
  /** The network that sent the mention, if known. */
  readonly visitor: string | undefined;
}

/** What follows from reading a mention's source. */
interface Applied {
  readonly verdict: MentionVerdict;
  /** Mentions on the same host whose sources must be read again, because this reading makes them doubtful. */
  readonly doubtful: readonly Pair[];
}

/** Returns a refusal if the owner blocks the author or a site of a mention; otherwise undefined. */
export function refusal(
  { blocks }: Pick<VerificationDeps, 'blocks'>,
  sayer: Sayer,
): Extract<MentionVerdict, { kind: 'failed' }> | undefined {
  return blocks.covers(sayer) ? failed('The owner does not accept this mention.') : undefined;
}

/**
 * Applies the result of reading a source: stores the mention, updates it, or marks it as removed (Webmention 3.2.2 to
 * 3.2.4). If the source cannot be read now, keeps the mention (WR-10). Applying a result twice does no harm. `also`: changes
 * to make in the transaction that stores the mention.
 */
export async function applyReading(
  deps: ApplyDeps,
  pair: SentPair,
  reading: SourceResult,
  also?: Also,
): Promise<Applied> {
  switch (reading.kind) {
    case 'links':
      return keepMention(deps, pair, reading, also);
    case 'no-link':
      return withdraw(deps, pair, 'The source does not link to the target.', 'this');
    case 'gone':
      return withdraw(deps, pair, 'The source page says that it was deleted.', 'all');
    case 'failed':
      return sure(reading);
  }
}

const sure = (verdict: MentionVerdict): Applied => ({ verdict, doubtful: [] });

async function keepMention(
  deps: ApplyDeps,
  { source, target, visitor }: SentPair,
  { facts, url, title, text }: Extract<SourceResult, { kind: 'links' }>,
  also: Also | undefined,
): Promise<Applied> {
  // The site may have been blocked since the mention was received, or the source may redirect to a blocked site. Only
  // the source says who wrote it.
  const author = authorOf({ facts });
  const refused = refusal(deps, { source, readAt: url, author });
  if (refused) return sure(refused);
  const admission = await admissionFor(deps, [source, url], author);
  const incoming = {
    source,
    ...(url !== source && url.length <= longestUrl && { readAt: url }),
    target,
    facts,
    status: statusOfNew(admission),
    admission,
    parsed: new Date(deps.clock()).toISOString(),
    snapshot: { ...(title !== undefined && { title }), text },
  };
  const most = visitor === undefined ? undefined : deps.visitorRoom.mostFor(visitor, incoming);
  const kept = await deps.store
    .keep(incoming, { ...(most !== undefined && { most }), ...(also && { also }) })
    .catch(fullPage);
  if (kept instanceof PorchlightError) {
    deps.events.refused(
      `A mention from ${hostOf(new URL(source))} was refused: ${target} has reached its limit of mentions, in total or from that site.`,
    );
    return sure(failed(kept.message));
  }
  const { mention, outcome, standing } = kept;
  if (visitor !== undefined && outcome !== 'unchanged') deps.visitorRoom.wrote(visitor, mention);
  if (most !== undefined && mention.facts.shortened !== undefined)
    deps.events.refused(
      'Mentions from one visitor were shortened: they reached the storage limit for one visitor.',
    );
  // The owner already knows a source that mentioned the same page before.
  if (outcome === 'added' && standing === 'only') deps.events.received(mention);
  else if (outcome !== 'unchanged' || standing === 'outranked') deps.events.changed(mention);
  if (outcome !== 'added' || standing === 'outranked') return sure({ kind: 'updated' });
  return {
    verdict: { kind: mention.status === 'approved' ? 'approved' : 'added' },
    doubtful: standing === 'only' ? await maybeMoved(deps.store, mention) : [],
  };
}

/** The maximum length of a source's final URL to store. A mention's own URLs have the same limit. */
const longestUrl = 2048;

/** The maximum number of mentions to compare with a new one, and of those to read again. */
const mostCompared = 200;
const mostMoved = 3;

/**
 * Returns the mentions whose source may have moved to the source of a new mention: they are on the same host and say the
 * same. Reading them again shows whether they redirect, so that a source that moved counts once.
 */
async function maybeMoved(store: MentionStore, mention: Mention): Promise<Pair[]> {
  const said = sayingOf(mention);
  if (said === undefined) return [];
  const others = await store.neighbours(mention, mostCompared);
  return others.filter((other) => sayingOf(other) === said).slice(0, mostMoved);
}

/** Returns what a source says, for a comparison; undefined if it says nothing. */
function sayingOf({ facts: { author, published = '' }, snapshot }: Mention): string | undefined {
  const { title = '', text = '' } = snapshot ?? {};
  return title + text + published === '' ? undefined : JSON.stringify([author?.name, published, title, text]);
}

/**
 * Returns the error if the target's page is full, because another attempt would fail too. Rethrows any other error,
 * because another attempt may succeed.
 */
function fullPage(error: unknown): PorchlightError {
  if (error instanceof PorchlightError && error.code === 'page_full') return error;
  throw error;
}

/**
 * Returns the status for a new mention that was imported from an aggregator, which has already verified it. `isLater`:
 * whether the mention reached the aggregator after the owner's first import. Earlier mentions were already public, so
 * they are approved. Later mentions are treated like mentions that are sent to this server. A mention that the owner
 * blocks is stored for completeness, and the store hides it.
 */
export async function statusOfImported(
  deps: KnowingDeps,
  { source, facts }: { readonly source: string; readonly facts: SourceFacts },
  isLater: boolean,
): Promise<MentionStatus> {
  if (!isLater) return 'approved';
  return statusOfNew(await admissionFor(deps, [source], authorOf({ facts })));
}

/** The maximum number of spellings of a page that are withdrawn together. */
const mostWithdrawn = 100;

/**
 * Withdraws the mention of a source that no longer links to its target. `which`: `all` if the source no longer exists,
 * so that it mentions no other spelling of the page either.
 */
async function withdraw(
  { store, events }: VerificationDeps,
  { source, target }: Pair,
  words: string,
  which: 'this' | 'all',
): Promise<Applied> {
  const found = await store.find(source, target);
  if (!found) return sure(failed(words));
  let before: Mention | undefined = found;
  for (let turn = 0; before !== undefined && turn < mostWithdrawn; turn += 1) {
    const mention = await store.setStatus(before.id, 'removed', 'source');
    if (mention.status !== before.status) events.changed(mention);
    // Another spelling may represent the source now.
    const next = await store.leader(found);
    const isLeft = next?.source === source && next.status !== 'removed' && next.status !== 'deleted';
    before = isLeft ? next : undefined;
    if (before && which === 'this') return { verdict: { kind: 'removed' }, doubtful: [before] };
  }
  return sure({ kind: 'removed' });
}

type KnowingDeps = Pick<VerificationDeps, 'store' | 'settings' | 'ownSites'>;

/**
 * Returns whether to show or hold a mention, and why. `addresses`: the source's URL, and the final URL after redirects.
 * `author`: see authorOf.
 */
async function admissionFor(
  deps: KnowingDeps,
  addresses: readonly string[],
  author: string,
): Promise<Admission> {
  const { hold } = deps.settings();
  const own = deps.ownSites();
  const isOwn = addresses.every((address) => own.has(address));
  const isKnown = !isOwn && hold === 'strangers' && (await isFromKnown(deps, addresses, author));
  return admissionOf(hold, { isOwn, isKnown });
}

/**
 * Returns whether a mention is from somebody known: the owner trusts each of its sites, or approved a mention by the
 * same author from there. A source can name any author, so an author is known only at the sites where the owner approved
 * them. After a redirect, there may be two sites.
 */
async function isFromKnown(
  deps: KnowingDeps,
  addresses: readonly string[],
  author: string,
): Promise<boolean> {
  const urls = addresses.map((address) => new URL(address));
  for (const [host, url] of new Map(urls.map((one) => [hostOf(one), one]))) {
    const isKnown =
      isTrusted(deps.settings().trustedDomains, hostnameOf(url)) ||
      (await deps.store.wasApproved(host, author));
    if (!isKnown) return false;
  }
  return true;
}

/** Returns whether a host is trusted. A trusted domain includes its subdomains. */
function isTrusted(domains: readonly string[], host: string): boolean {
  return domains.some((domain) => {
    const trusted = domain.toLowerCase();
    return host === trusted || host.endsWith(`.${trusted}`);
  });
}

function failed(words: string): Extract<MentionVerdict, { kind: 'failed' }> {
  return { kind: 'failed', words, mayPass: false };
}

/**
 * The disk space that the mentions from one sender may use, in bytes of JSON: 2 MB at first, plus 1 MB per hour. This
 * is enough for bridges, which send hundreds of ordinary mentions (2 to 4 KB each) in a short time.
 */
const share = { burst: 2 * 1024 * 1024, perMinute: (1024 * 1024) / 60 };

type VisitorRoom = ReturnType<typeof createVisitorRoom>;

/** Limits the disk space for the mentions from each sender. Mentions beyond the limit are shortened, but never lost. */
export function createVisitorRoom(clock: Clock) {
  const budget = createCostBudget({ ...share, clock });
  return {
    /**
     * Returns the maximum size in bytes of a mention from this sender; undefined (no maximum) while the sender has disk
     * space left.
     */
    mostFor: (visitor: string, mention: Pick<Mention, 'source' | 'target'>): number | undefined =>
      budget.waitMs([visitor]) === 0 ? undefined : shortRoom(mention),
    /** Records that a mention from this sender was stored. */
    wrote: (visitor: string, mention: Mention) => budget.charge([visitor], mentionBytes(mention)),
  };
}
