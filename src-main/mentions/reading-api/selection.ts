import { PorchlightError } from '../../contract/error.ts';
import { numberOf } from '../import/raw-mention.ts';
import type { MentionStore } from '../mention-store.ts';
import { type MayDisclose, mentionsAt } from '../shown-mentions.ts';
import { isShown, type Mention } from '../mention.ts';

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
  mayDisclose: MayDisclose,
  query: MentionQuery,
): AsyncIterable<Mention> {
  const { perPage, page } = query;
  let skip = page * perPage;
  let left = perPage;
  for await (const mention of ordered(store, mayDisclose, query)) {
    if (query.isPublicOnly === true && !(await isPublic(store, mayDisclose, mention))) continue;
    if (skip > 0) skip -= 1;
    else {
      yield mention;
      left -= 1;
      if (left === 0) return;
    }
  }
}

/** Returns whether everybody may see a mention, and that its page exists. */
export const isPublic = async (
  { pageRules }: Pick<MentionStore, 'pageRules'>,
  mayDisclose: MayDisclose,
  mention: Mention,
): Promise<boolean> => isShown(mention) && mayDisclose(pageRules.pageOf(mention.target));

/**
 * Returns the public mentions of the pages at the given targets (see mentionsAt), without duplicates and in no
 * particular order. Like webmention.io, ignores case, and treats `//host/path` as both http and https (PROTOCOLS 8.2).
 */
export async function ofTargets(
  store: Pick<MentionStore, 'ofPage' | 'recordsOf' | 'spellings' | 'pageRules'>,
  mayDisclose: MayDisclose,
  targets: readonly string[],
): Promise<Mention[]> {
  const found = new Map<string, Mention>();
  for (const target of targets.flatMap(schemesOf))
    for (const page of await store.spellings(store.pageRules.pageOf(target)))
      for (const mention of await mentionsAt(store, mayDisclose, target, page))
        if (isShown(mention)) found.set(mention.id, mention);
  return [...found.values()];
}

/** Returns a target, or both targets that a target without a scheme stands for. */
export const schemesOf = (target: string): string[] =>
  target.startsWith('//') ? [`https:${target}`, `http:${target}`] : [target];

async function* ordered(
  store: MentionStore,
  mayDisclose: MayDisclose,
  query: MentionQuery,
): AsyncIterable<Mention> {
  const { targets, sortBy, down } = query;
  const passes = filterOf(query);
  if (targets.length > 0) {
    const mentions = (await ofTargets(store, mayDisclose, targets)).filter(passes);
    yield* mentions
      .map((mention) => ({ mention, ...orderOf(mention, sortBy) }))
      .sort(byOrder(down))
      .map(({ mention }) => mention);
    return;
  }
  if (sortBy === 'created') {
    for await (const mention of byAge(store, down)) if (passes(mention)) yield mention;
    return;
  }
  // The store lists mentions only by age. For any other order, read all mentions first, and keep only a small part of
  // each in memory.
  const orders: (Order & { id: string })[] = [];
  for await (const mention of store.all('leading'))
    if (passes(mention)) orders.push({ id: mention.id, ...orderOf(mention, sortBy) });
  for (const { id } of orders.sort(byOrder(down))) {
    const mention = await store.get(id);
    if (mention && passes(mention)) yield mention;
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

/** The parsed query of a request to read mentions (PROTOCOLS 8.2). */
export interface MentionQuery {
  /**
   * The requested targets, as spelled in the query, without duplicates. If the query has targets, its token and domain
   * have no effect.
   */
  readonly targets: readonly string[];
  /** The host, in lower case. */
  readonly domain?: string;
  readonly perPage: number;
  /** The page number, counted from 0. */
  readonly page: number;
  readonly sortBy: 'created' | 'updated' | 'published' | 'rsvp';
  readonly down: boolean;
  /** Restricts the results to mentions received after this time, in milliseconds since the epoch. */
  readonly since?: number;
  /** Restricts the results to mentions with an ID (`wm-id`) above this number. */
  readonly sinceId?: number;
  /** The requested `wm-property` values. An empty list requests all mentions. */
  readonly properties: readonly string[];
  /** True for an app, which gets only what everybody may see. */
  readonly isPublicOnly?: true;
}

/** The fields of a parsed query. A parameter that occurs more than once has a list as its value. */
type QueryFields = Readonly<Record<string, unknown>>;

const mostTargets = 200;
const sorts = ['created', 'updated', 'published', 'rsvp'] as const;

/**
 * Reads a query. Ignores unknown parameters, as webmention.io does.
 * @throws invalid_input (400)
 */
export function mentionQuery(fields: QueryFields): MentionQuery {
  const sortBy = oneOf(fields, 'sort-by');
  const domain = oneOf(fields, 'domain');
  const since = sinceOf(oneOf(fields, 'since'));
  const sinceId = count(oneOf(fields, 'since_id'));
  return {
    targets: targetsOf(fields),
    ...(domain !== undefined && { domain: domain.toLowerCase() }),
    perPage: count(oneOf(fields, 'per-page') ?? oneOf(fields, 'perPage')) || 20,
    page: count(oneOf(fields, 'page')) ?? 0,
    sortBy: sorts.find((sort) => sort === sortBy) ?? 'created',
    down: (oneOf(fields, 'sort-dir') ?? 'down') === 'down',
    ...(since !== undefined && { since }),
    ...(sinceId !== undefined && { sinceId }),
    properties: [...new Set([...valuesOf(fields, 'wm-property'), ...valuesOf(fields, 'wm-properties')])],
  };
}

/**
 * Returns the requested targets.
 * @throws invalid_input (400) if one request has too many targets.
 */
export function targetsOf(fields: QueryFields): string[] {
  const targets = [...new Set(valuesOf(fields, 'target'))];
  if (targets.length > mostTargets)
    throw new PorchlightError('invalid_input', `A request can have at most ${mostTargets} targets.`);
  return targets;
}

/** Returns a query's token, whether it is named `token` or `access_token`. */
export function tokenInQuery(fields: QueryFields): string | undefined {
  return oneOf(fields, 'token') ?? oneOf(fields, 'access_token');
}

const functionName = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;

/**
 * Returns the name of the function that the response must call, for requests by script elements (JSONP, WI-4).
 * @throws invalid_input (400) if the name isn't a valid function name.
 */
export function callbackOf(fields: QueryFields): string | undefined {
  const name = oneOf(fields, 'jsonp');
  if (name === undefined || (name.length <= 100 && functionName.test(name))) return name;
  throw new PorchlightError('invalid_input', 'The parameter jsonp must be the name of a function.');
}

/**
 * Returns the values of a parameter, whether it is spelled `name` (once or repeatedly), `name[]` or `name[0]` (WI-46).
 * Skips empty values.
 */
function valuesOf(fields: QueryFields, name: string): string[] {
  const isName = (key: string) =>
    key === name || (key.startsWith(`${name}[`) && /^\[\d*\]$/.test(key.slice(name.length)));
  return Object.entries(fields)
    .filter(([key]) => isName(key))
    .flatMap(([, value]) => value)
    .filter((value) => typeof value === 'string')
    .filter((value) => value !== '');
}

const oneOf = (fields: QueryFields, name: string): string | undefined => valuesOf(fields, name).at(-1);

function count(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Returns a query's time in milliseconds since the epoch. Clients write the offset as `-0700` or `+0200`. A `+` in a
 * query arrives as a space, so a space before the offset counts as `+`. A time without an offset counts as UTC.
 */
function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, before = text, sign = '', hours = '', minutes = ''] =
    /^(.*:\d{2}(?:\.\d+)?)([ +-])(\d{2}):?(\d{2})$/.exec(text) ?? [];
  const offset =
    sign === '' ? (/T[\d:.]+$/.test(text) ? 'Z' : '') : `${sign.trim() || '+'}${hours}:${minutes}`;
  const time = Date.parse(before + offset);
  if (Number.isNaN(time)) throw new PorchlightError('invalid_input', 'The parameter since must be a date.');
  return time;
}
