import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import type { Admission, MentionStatus } from '../contract/webmentions.ts';
import type { Clock } from '../platform/clock.ts';
import type { Mention } from '../mentions/mention.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import { admissionOf, statusOfNew } from '../mentions/moderation.ts';
import type { Reading } from './read-source.ts';
import { hostnameOf, hostOf, type OwnSites } from '../mentions/own-sites.ts';
import type { VisitorRoom } from './visitor-room.ts';

/** Who hears of what came in. */
export interface MentionEvents {
  received(mention: Mention): void;
  changed(mention: Mention): void;
  /** Mentions were refused or shortened because a limit was reached. `why`: one sentence for the owner. */
  refused(why: string): void;
}

export interface VerificationDeps {
  readonly store: MentionStore;
  readonly settings: () => Settings['webmention'];
  readonly ownSites: () => OwnSites;
  readonly blocked: { matches(host: string): boolean };
  readonly clock: Clock;
  readonly events: MentionEvents;
}

interface ApplyDeps extends VerificationDeps {
  readonly visitorRoom: VisitorRoom;
}

/** What came of a mention whose source was read. */
export type Verdict =
  { readonly kind: 'added' | 'approved' | 'updated' | 'removed' } | Extract<Reading, { kind: 'failed' }>;

interface Pair {
  readonly source: string;
  readonly target: string;
}

interface SentPair extends Pair {
  /** The network that sent it, where that is known. */
  readonly visitor: string | undefined;
}

/** Why a source is not even read, or not kept: the owner takes nothing from its site. Undefined where nothing speaks against it. */
export function refusal(
  { blocked }: Pick<VerificationDeps, 'blocked'>,
  ...addresses: readonly string[]
): Extract<Verdict, { kind: 'failed' }> | undefined {
  const isBlocked = addresses.some((address) => blocked.matches(hostnameOf(new URL(address))));
  return isBlocked ? failed('The owner does not accept mentions from this site.') : undefined;
}

/**
 * Does what the reading of a source asks for: keeps a mention, brings one up to date, or marks one as removed
 * (Webmention 3.2.2 to 3.2.4). A source that can not be read now takes nothing away (WR-10). May be done again.
 */
export async function applyReading(deps: ApplyDeps, pair: SentPair, reading: Reading): Promise<Verdict> {
  switch (reading.kind) {
    case 'links':
      return keepMention(deps, pair, reading);
    case 'no-link':
      return withdraw(deps, pair, 'The source does not link to the target.');
    case 'gone':
      return withdraw(deps, pair, 'The source page says that it was deleted.');
    case 'failed':
      return reading;
  }
}

async function keepMention(
  deps: ApplyDeps,
  { source, target, visitor }: SentPair,
  { facts, url, title, text }: Extract<Reading, { kind: 'links' }>,
): Promise<Verdict> {
  // Its site may have been blocked since it was received, or it leads to one that is.
  const refused = refusal(deps, source, url);
  if (refused) return refused;
  const admission = await admissionFor(deps, [source, url]);
  const wanted = {
    source,
    target,
    facts,
    status: statusOfNew(admission),
    admission,
    parsed: new Date(deps.clock()).toISOString(),
    snapshot: { ...(title !== undefined && { title }), text },
  };
  const most = visitor === undefined ? undefined : deps.visitorRoom.mostFor(visitor, wanted);
  const kept = await deps.store.keep(wanted, most === undefined ? {} : { most }).catch(fullPage);
  if (kept instanceof PorchlightError) {
    deps.events.refused(
      `A mention from ${hostOf(new URL(source))} was refused: ${target} has reached its limit of mentions, in total or from that site.`,
    );
    return failed(kept.message);
  }
  const { mention, outcome } = kept;
  if (visitor !== undefined && outcome !== 'unchanged') deps.visitorRoom.wrote(visitor, mention);
  if (most !== undefined && mention.facts.shortened !== undefined)
    deps.events.refused(
      'Mentions from one visitor were shortened: they reached the storage limit for one visitor.',
    );
  if (outcome === 'added') {
    deps.events.received(mention);
    return { kind: mention.status === 'approved' ? 'approved' : 'added' };
  }
  if (outcome === 'updated') deps.events.changed(mention);
  return { kind: 'updated' };
}

/** A page without room is a verdict; whatever else went wrong may go better at another try. */
function fullPage(error: unknown): PorchlightError {
  if (error instanceof PorchlightError && error.code === 'page_full') return error;
  throw error;
}

/**
 * What a mention becomes that is new here and that an aggregator verified: from a blocked site it is kept, so that the
 * import is whole, but not shown. `isLater`: it came to the aggregator after the owner's first import. What was there
 * before was shown before; what comes later is held as it would be if it came here.
 */
export async function statusOfImported(
  deps: KnowingDeps,
  source: string,
  isLater: boolean,
): Promise<MentionStatus> {
  if (refusal(deps, source)) return 'hidden';
  if (!isLater) return 'approved';
  return statusOfNew(await admissionFor(deps, [source]));
}

async function withdraw(deps: VerificationDeps, { source, target }: Pair, words: string): Promise<Verdict> {
  const before = await deps.store.find(source, target);
  if (!before) return failed(words);
  const mention = await deps.store.setStatus(before.id, 'removed', 'source');
  if (mention.status !== before.status) deps.events.changed(mention);
  return { kind: 'removed' };
}

type KnowingDeps = Pick<VerificationDeps, 'store' | 'settings' | 'blocked' | 'ownSites'>;

/** `addresses`: the source, and where it led. */
async function admissionFor(deps: KnowingDeps, addresses: readonly string[]): Promise<Admission> {
  const { hold } = deps.settings();
  const own = deps.ownSites();
  const isOwn = addresses.every((address) => own.has(address));
  const isKnown = !isOwn && hold === 'strangers' && (await sitesAreKnown(deps, addresses));
  return admissionOf(hold, { isOwn, isKnown });
}

/** A source that leads elsewhere is as strange as the strangest of the two sites. */
async function sitesAreKnown(deps: KnowingDeps, addresses: readonly string[]): Promise<boolean> {
  const urls = addresses.map((address) => new URL(address));
  for (const url of new Map(urls.map((one) => [one.host, one])).values()) {
    const isKnown =
      isTrusted(deps.settings().trustedDomains, hostnameOf(url)) || (await deps.store.wasApproved(url.host));
    if (!isKnown) return false;
  }
  return true;
}

/** A trusted domain stands for the hosts under it too. */
function isTrusted(domains: readonly string[], host: string): boolean {
  return domains.some((domain) => {
    const trusted = domain.toLowerCase();
    return host === trusted || host.endsWith(`.${trusted}`);
  });
}

function failed(words: string): Extract<Verdict, { kind: 'failed' }> {
  return { kind: 'failed', words, mayPass: false };
}
