import { DurableObject } from 'cloudflare:workers';
import { type MailboxState, mailboxVersion, mostCallBytes } from '../../platform/mailbox-protocol.ts';
import { copyAnswer, type CopyAnswer, findCopy, type CopyRequest } from './copies.ts';
import { createItems, type KeptOrNot, type NewItem } from './items.ts';
import { changeStatus, goAway, loadStatus, Refusal, serverCalls, type Status } from './server-calls.ts';
import {
  callAnswer,
  claimedCall,
  type ClaimedCall,
  isCallName,
  refusalAnswer,
  refusals,
} from './signature.ts';
import { readBody } from './visitor.ts';

/**
 * The migrations. Each migration converts the tables to the next version. Add new migrations at the end, and never
 * change the others.
 */
const migrations: readonly string[] = [
  // Only `address` has an index, because Cloudflare also counts each index row that is written.
  `CREATE TABLE status (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), json TEXT NOT NULL);
   CREATE TABLE items (
     number INTEGER PRIMARY KEY,
     arrived INTEGER NOT NULL,
     host TEXT NOT NULL,
     network TEXT NOT NULL,
     pair TEXT,
     bytes INTEGER NOT NULL,
     sealed BLOB NOT NULL
   );
   CREATE TABLE copies (
     address TEXT NOT NULL,
     part INTEGER NOT NULL,
     hash TEXT NOT NULL,
     about TEXT NOT NULL,
     body BLOB NOT NULL,
     UNIQUE (address, part)
   );`,
];

/** Creates the tables, or migrates those of an older mailbox. */
function migrate(storage: DurableObjectStorage): void {
  const { sql } = storage;
  sql.exec('CREATE TABLE IF NOT EXISTS format (version INTEGER NOT NULL)');
  const version = sql.exec<{ version: number }>('SELECT version FROM format').toArray()[0]?.version ?? 0;
  if (version >= migrations.length) return;
  storage.transactionSync(() => {
    for (const migration of migrations.slice(version)) sql.exec(migration);
    sql.exec('DELETE FROM format');
    sql.exec('INSERT INTO format VALUES (?)', migrations.length);
  });
}

/** The minimum time between the Worker's attempts to reach a server that is away, in ms. */
const pause = 30_000;

/** A visitor's request that the server has not responded to. */
export interface Visit {
  /** Whether the server has just failed to respond to this request. */
  readonly failed: boolean;
  /** The data for finding a copy; present only for GET and HEAD requests. */
  readonly look?: CopyRequest;
  /** The item to keep for the server. `targetHost` must be one of the server's hosts; null allows any host. */
  readonly item?: NewItem & { readonly targetHost: string | null };
}

/** The state of the server. `unclaimed`: no server has called the mailbox yet. */
export type Mode = Status['mode'] | 'unclaimed';

export interface Answered {
  readonly mode: Mode;
  /** Whether the Worker should try the server again. */
  readonly tries: boolean;
  readonly copy?: CopyAnswer | 'gone';
  /**
   * The result of storing an item. `elsewhere`: the target isn't on the server. `unknown`: the server has never
   * reported its hosts.
   */
  readonly kept?: KeptOrNot | 'elsewhere' | 'unknown';
}

/**
 * How far the number of a call may be ahead of the mailbox's clock, in ms: a year. Servers derive the number from
 * their own clock.
 */
const mostAhead = 365 * 86_400_000;

/**
 * Stores data for use while the server is away: copies of public pages, and sealed (encrypted) requests to the server.
 */
export class Mailbox extends DurableObject {
  #items: ReturnType<typeof createItems> | undefined;
  #triesAt = 0;
  /**
   * The number of refusals that are not stored yet. Refusals are not stored one by one, because Cloudflare counts each
   * write, and a flood of requests causes many refusals.
   */
  #refused = 0;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    migrate(ctx.storage);
  }

  /** Returns the last known state of the server. */
  mode(): Mode {
    return modeOf(loadStatus(this.ctx.storage.sql));
  }

  /**
   * Records that the server is awake, because it has just responded. `before`: the known state of the server when the
   * request was sent.
   */
  answered(before: Mode): void {
    const { sql } = this.ctx.storage;
    // While the request was under way, the server may have reported that it is going away.
    if (this.mode() === before) changeStatus(sql, { mode: 'awake' });
  }

  /**
   * Responds to a visitor's request in place of the server. Stores no item and returns no copy while the server is
   * awake or off, or if no server has called the mailbox yet.
   */
  visit({ failed, look, item }: Visit): Answered {
    const { sql } = this.ctx.storage;
    if (failed && this.mode() === 'awake') {
      goAway(sql, 'silent');
      this.#triesAt = Date.now() + pause;
    }
    const status = loadStatus(sql);
    const mode = modeOf(status);
    if (mode === 'awake' || mode === 'unclaimed') return { mode, tries: false };
    const tries = Date.now() >= this.#triesAt;
    if (tries) this.#triesAt = Date.now() + pause;
    if (mode === 'off') return { mode, tries };
    if (item !== undefined) return { mode, tries, kept: this.#keep(item, status) };
    const copy = look === undefined ? undefined : findCopy(sql, look.address);
    if (look === undefined || copy === undefined) return { mode, tries };
    return { mode, tries, copy: copy.status === 'gone' ? 'gone' : copyAnswer(copy, look, status.since) };
  }

  /** Responds to a call from the server. The Worker (see calls.ts) has checked the signature, but not the body. */
  override async fetch(request: Request): Promise<Response> {
    const call = claimedCall(request);
    if (call === undefined) return refusalAnswer(refusals.forged);
    const body = await readBody(request, mostCallBytes);
    if (body === undefined) return refusalAnswer(refusals.tooLarge);
    if ((await sha256Of(body)) !== call.sha256) return refusalAnswer(refusals.forged);
    try {
      if (call.name !== 'wipe') return callAnswer(200, this.#answer(call, body) ?? this.#state());
      await this.#wipe(call);
      return callAnswer(200, this.#state());
    } catch (error) {
      // The counts in memory may be wrong, because the transaction may have been rolled back.
      this.#items = undefined;
      if (error instanceof Refusal) return refusalAnswer(error.refused);
      throw error;
    }
  }

  #answer(call: ClaimedCall, body: Uint8Array<ArrayBuffer>): unknown {
    const { name } = call;
    const { sql } = this.ctx.storage;
    if (!isCallName(name) || name === 'wipe') throw new Refusal(refusals.invalid);
    const { server } = loadStatus(sql);
    // A second Porchlight server that has the right key may read the state, and may call `claim`. The mailbox refuses
    // its other calls.
    if (name === 'state' && server !== call.server) return undefined;
    this.#accept(call);
    if (name === 'away') this.#triesAt = Date.now() + pause;
    return this.ctx.storage.transactionSync(() => serverCalls[name]({ sql, items: this.#kept() }, body));
  }

  /** Records the number of a call, even if the call then fails, so that the call can't be replayed. */
  #accept({ name, server, number }: ClaimedCall): void {
    const { sql } = this.ctx.storage;
    const status = loadStatus(sql);
    const isOwner = status.server === null || status.server === server;
    if (!isOwner && name !== 'claim') throw new Refusal(refusals.otherServer);
    // Without this limit, somebody who had the key for a moment could use up all call numbers.
    if (number > Date.now() + mostAhead) throw new Refusal(refusals.invalid);
    if (number <= status.last) throw new Refusal({ ...refusals.replayed, last: status.last });
    changeStatus(sql, { server, last: number });
    if (this.#refused > 0) this.#saveRefused(status);
  }

  async #wipe(call: ClaimedCall): Promise<void> {
    this.#accept(call);
    const { storage } = this.ctx;
    await this.ctx.blockConcurrencyWhile(async () => {
      await storage.deleteAll();
      migrate(storage);
      // Store the number of this call, so that older calls can't be replayed.
      changeStatus(storage.sql, { last: call.number });
      this.#items = undefined;
    });
  }

  #keep({ targetHost, ...item }: NonNullable<Visit['item']>, status: Status): Answered['kept'] {
    if (status.hosts.length === 0) return 'unknown';
    if (targetHost !== null && !status.hosts.includes(targetHost)) return 'elsewhere';
    const kept = this.#kept().add(item, Date.now(), status.lastItem);
    if (kept !== 'kept') this.#refused += 1;
    if (this.#refused > status.refused) this.#saveRefused(status);
    return kept;
  }

  #saveRefused({ refused }: Status): void {
    changeStatus(this.ctx.storage.sql, { refused: refused + this.#refused });
    this.#refused = 0;
  }

  #kept() {
    return (this.#items ??= createItems(this.ctx.storage.sql));
  }

  #state(): MailboxState {
    const { sql } = this.ctx.storage;
    const { mode, refused, copies } = loadStatus(sql);
    return {
      version: mailboxVersion,
      state: mode === 'silent' ? 'asleep' : mode,
      kept: this.#kept().kept(),
      refused: refused + this.#refused,
      copies,
      bytes: sql.databaseSize,
    };
  }
}

function modeOf({ server, mode }: Status): Mode {
  return server === null ? 'unclaimed' : mode;
}

async function sha256Of(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
