import { numberOf } from '../import/raw-mention.ts';
import { isShown, type Mention } from '../mention.ts';
import type { MentionStore } from '../mention-store.ts';
import { mentionsAt, type MayTell } from '../shown-mentions.ts';
import type { MentionQuery } from './query.ts';

const atOnce = 200;

/**
 * Returns whether the owner's token gives access to a mention. Held and hidden mentions are excluded, because site
 * generators publish every mention that they read.
 */
function isThere({ status }: Mention): boolean {
  return status === 'approved';
}

/**
 * Yields the mentions that a query requests, in the requested order. With targets, these are the public mentions of the
 * targets. Without targets, these are all of the owner's approved mentions, of which only a few are in memory at a
 * time.
 */
export async function* selected(
  store: MentionStore,
  mayTell: MayTell,
  query: MentionQuery,
): AsyncIterable<Mention> {
  const { perPage, page } = query;
  let skip = page * perPage;
  let left = perPage;
  for await (const mention of ordered(store, mayTell, query)) {
    if (skip > 0) skip -= 1;
    else {
      yield mention;
      left -= 1;
      if (left === 0) return;
    }
  }
}

/**
 * Returns the public mentions of the pages at the given targets (see mentionsAt), without duplicates and in no
 * particular order. Like webmention.io, ignores case, and treats `//host/path` as both http and https (PROTOCOLS 8.2).
 */
export async function ofTargets(
  store: Pick<MentionStore, 'ofPage' | 'recordsOf' | 'spellings' | 'pageRules'>,
  mayTell: MayTell,
  targets: readonly string[],
): Promise<Mention[]> {
  const found = new Map<string, Mention>();
  for (const target of targets.flatMap(schemesOf))
    for (const page of await store.spellings(store.pageRules.pageOf(target)))
      for (const mention of await mentionsAt(store, mayTell, target, page))
        if (isShown(mention)) found.set(mention.id, mention);
  return [...found.values()];
}

/** Returns a target, or both targets that a target without a scheme stands for. */
export const schemesOf = (target: string): string[] =>
  target.startsWith('//') ? [`https:${target}`, `http:${target}`] : [target];

async function* ordered(store: MentionStore, mayTell: MayTell, query: MentionQuery): AsyncIterable<Mention> {
  const { targets, sortBy, down } = query;
  const wanted = filterOf(query);
  if (targets.length > 0) {
    const mentions = (await ofTargets(store, mayTell, targets)).filter(wanted);
    yield* mentions
      .map((mention) => ({ mention, ...orderOf(mention, sortBy) }))
      .sort(byOrder(down))
      .map(({ mention }) => mention);
    return;
  }
  if (sortBy === 'created') {
    for await (const mention of byAge(store, down)) if (wanted(mention)) yield mention;
    return;
  }
  // The store lists mentions only by age. For any other order, read all mentions first, and keep only a small part of
  // each in memory.
  const orders: (Order & { id: string })[] = [];
  for await (const mention of store.all('leading'))
    if (wanted(mention)) orders.push({ id: mention.id, ...orderOf(mention, sortBy) });
  for (const { id } of orders.sort(byOrder(down))) {
    const mention = await store.get(id);
    if (mention && wanted(mention)) yield mention;
  }
}

async function* byAge(store: MentionStore, down: boolean): AsyncIterable<Mention> {
  if (!down) {
    yield* store.all('leading');
    return;
  }
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await store.list({ limit: atOnce, cursor });
    yield* items;
    cursor = nextCursor;
  } while (cursor !== undefined);
}

function filterOf({ targets, domain, since, sinceId, properties }: MentionQuery) {
  return (mention: Mention): boolean => {
    if (targets.length === 0 && !isThere(mention)) return false;
    if (targets.length === 0 && domain !== undefined && !isOn(domain, mention.target)) return false;
    if (since !== undefined && Date.parse(mention.received) <= since) return false;
    if (sinceId !== undefined && numberOf(mention) <= sinceId) return false;
    return properties.length === 0 || properties.includes(mention.facts.property);
  };
}

function isOn(domain: string, target: string): boolean {
  const { host, hostname } = new URL(target);
  return domain === host || domain === hostname;
}

interface Order {
  readonly first: string | number;
  readonly received: string;
  readonly number: number;
}

function orderOf(mention: Mention, sortBy: MentionQuery['sortBy']): Order {
  const { received, parsed, facts } = mention;
  const first = {
    created: '',
    updated: parsed,
    published: publishedTime(facts.published),
    rsvp: facts.rsvp ?? '',
  }[sortBy];
  return { first, received, number: numberOf(mention) };
}

function byOrder(down: boolean): (a: Order, b: Order) => number {
  const sign = down ? -1 : 1;
  return (a, b) =>
    sign * (compared(a.first, b.first) || compared(a.received, b.received) || a.number - b.number);
}

const compared = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Returns a date in milliseconds since the epoch. A date without an offset counts as UTC. A missing or invalid date
 * sorts before all other dates.
 */
function publishedTime(published: string | undefined): number {
  if (published === undefined) return Number.NEGATIVE_INFINITY;
  const hasOffset = /(?:Z|[+-]\d{2}:\d{2})$/.test(published) || published.length <= 10;
  const time = Date.parse(hasOffset ? published : `${published}Z`);
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}
