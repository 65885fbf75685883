import { PorchlightError } from '../../contract/error.ts';

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
}

/** The fields of a parsed query. A parameter that occurs more than once has a list as its value. */
export type QueryFields = Readonly<Record<string, unknown>>;

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
