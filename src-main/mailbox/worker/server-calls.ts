import { type CallName, type MailboxCalls, mostHosts } from '../../platform/mailbox-protocol.ts';
import {
  fieldOf,
  isAddress,
  isCount,
  jsonInBytes,
  listCopies,
  removeCopies,
  splitCopies,
  storeCopies,
} from './copies.ts';
import type { createItems } from './items.ts';
import { refusals, type Refused } from './signature.ts';

const longestHost = 260;
const mostListed = 1000;
const mostNamed = 10_000;

/** The error with which a handler refuses a call. */
export class Refusal extends Error {
  readonly refused: Refused;
  constructor(refused: Refused) {
    super(refused.error);
    this.refused = refused;
  }
}

interface Storage {
  readonly sql: SqlStorage;
  readonly items: ReturnType<typeof createItems>;
}
type Body = Uint8Array<ArrayBuffer>;
/** A function that handles a call. If it returns undefined, the response is the mailbox's state. */
type Call<Name extends CallName> = (storage: Storage, body: Body) => MailboxCalls[Name]['answer'] | undefined;

/**
 * The functions that handle the server's calls, each in one transaction. They throw a Refusal if the body is
 * malformed.
 */
export const serverCalls: { readonly [Name in Exclude<CallName, 'wipe'>]: Call<Name> } = {
  state: () => undefined,
  claim: () => undefined,

  awake({ sql }, body) {
    const hosts = listIn(body, 'hosts', isHost, mostHosts);
    changeStatus(sql, { mode: 'awake', hosts });
    return undefined;
  },

  away({ sql }, body) {
    const kind = fieldOf(jsonInBytes(body), 'kind');
    if (kind !== 'asleep' && kind !== 'off') throw new Refusal(refusals.invalid);
    goAway(sql, kind);
    return undefined;
  },

  copies({ sql }, body) {
    const limit = countIn(body, 'limit', mostListed);
    const after = fieldOf(jsonInBytes(body), 'after') ?? '';
    if (after !== '' && !isAddress(after)) throw new Refusal(refusals.invalid);
    const copies = listCopies(sql, after, limit);
    return { copies, next: copies.length < limit ? null : (copies.at(-1)?.address ?? null) };
  },

  store({ sql }, body) {
    const copies = splitCopies(body);
    if (copies === undefined) throw new Refusal(refusals.invalid);
    const totals = storeCopies(sql, copies, loadStatus(sql));
    if (totals === undefined) throw new Refusal(refusals.full);
    changeStatus(sql, { copies: totals.copies, copyBytes: totals.copyBytes });
    return { stored: copies.length };
  },

  remove({ sql }, body) {
    const addresses = listIn(body, 'addresses', isAddress, mostNamed);
    const gone = fieldOf(jsonInBytes(body), 'gone');
    if (typeof gone !== 'boolean') throw new Refusal(refusals.invalid);
    const before = loadStatus(sql);
    const { copies, copyBytes } = removeCopies(sql, addresses, gone, before);
    changeStatus(sql, { copies, copyBytes });
    return { removed: before.copies - copies };
  },

  items({ items }, body) {
    const after = countIn(body, 'after', Number.MAX_SAFE_INTEGER);
    return { items: items.list(after, countIn(body, 'limit', mostListed)), kept: items.kept() };
  },

  done({ sql, items }, body) {
    const isNumber = (value: unknown): value is number => isCount(value, Number.MAX_SAFE_INTEGER);
    const numbers = listIn(body, 'numbers', isNumber, mostNamed);
    changeStatus(sql, { lastItem: Math.max(loadStatus(sql).lastItem, items.remove(numbers)) });
    return { kept: items.kept() };
  },
};

/**
 * Records that the server has stopped responding. A failed request (`silent`) changes the state only if the server was
 * awake.
 */
export function goAway(sql: SqlStorage, kind: 'asleep' | 'off' | 'silent'): void {
  const { mode } = loadStatus(sql);
  if (mode === 'awake') changeStatus(sql, { mode: kind, since: Date.now(), refused: 0 });
  else if (kind !== 'silent') changeStatus(sql, { mode: kind });
}

function listIn<T>(
  body: Body,
  name: string,
  isOne: (value: unknown) => value is T,
  most: number,
): readonly T[] {
  const list = fieldOf(jsonInBytes(body), name);
  if (Array.isArray(list) && list.length <= most && list.every(isOne)) return list;
  throw new Refusal(refusals.invalid);
}

function countIn(body: Body, name: string, most: number): number {
  const count = fieldOf(jsonInBytes(body), name);
  if (isCount(count, most)) return count;
  throw new Refusal(refusals.invalid);
}

function isHost(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestHost;
}

/** The data that the mailbox stores about its server and itself. */
export interface Status {
  /** The id of the server that the mailbox belongs to; null until a server has called. */
  readonly server: string | null;
  /** The number of the last accepted call. */
  readonly last: number;
  /** The server's state. `silent`: a request has failed, though the server has not reported that it is going away. */
  readonly mode: 'awake' | 'silent' | 'asleep' | 'off';
  /** When the server was last awake, in ms since 1970. */
  readonly since: number;
  /** The hosts for which the server accepts mentions. */
  readonly hosts: readonly string[];
  /** The number of items that were refused since the server was last awake. */
  readonly refused: number;
  /** The highest item number ever used, recorded when items are deleted. */
  readonly lastItem: number;
  readonly copies: number;
  readonly copyBytes: number;
}

const initial: Status = {
  server: null,
  last: 0,
  mode: 'awake',
  since: 0,
  hosts: [],
  refused: 0,
  lastItem: 0,
  copies: 0,
  copyBytes: 0,
};

export function loadStatus(sql: SqlStorage): Status {
  const row = sql.exec<{ json: string }>('SELECT json FROM status').toArray()[0];
  return row === undefined ? initial : { ...initial, ...(JSON.parse(row.json) as Partial<Status>) };
}

/** Saves changes to the status, and returns the new status. */
export function changeStatus(sql: SqlStorage, change: Partial<Status>): Status {
  const status = { ...loadStatus(sql), ...change };
  sql.exec('INSERT OR REPLACE INTO status VALUES (1, ?)', JSON.stringify(status));
  return status;
}
