import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { ActivityItem, areaOf } from '../../contract/activity.ts';
import type { EventHub, Params } from '../../contract/contract.ts';
import { type ErrorCode, isDiskCode, PorchlightError } from '../../contract/error.ts';
import { closed, orNull } from '../../contract/shapes.ts';
import { Outcome, type PastSignIn } from '../../contract/sign-ins.ts';
import { jsonIn } from '../json-value.ts';
import type { Transaction } from './group-commit.ts';
import { readRow, recordTable, withTimes } from './record-table.ts';
import type { Records } from './records.ts';
import { isValid } from '../schema-check.ts';

/** A settled sign-in (approved, denied or expired), as stored with its activity entry. */
const SignInRecord = closed({
  id: Type.String(),
  outcome: Outcome,
  clientId: Type.String(),
  clientName: Type.String(),
  scopes: Type.Array(Type.String()),
  /** The name of the phone with which the owner decided; absent if it was this computer. */
  by: Type.Optional(Type.String()),
});

/** An entry of the activity. */
type ActivityEntry = Static<typeof ActivityItem> & { readonly signIn?: Static<typeof SignInRecord> };

export const activityTable = recordTable({
  name: 'activity',
  /** `seq`: the order in which the entries were written. `sign_in`: the JSON of a SignInRecord. */
  row: closed({
    seq: Type.Integer({ minimum: 1 }),
    ...ActivityItem.properties,
    sign_in: orNull(Type.String()),
  }),
  read({ sign_in, ...item }) {
    const signIn = sign_in === null ? null : jsonIn(sign_in);
    return signIn === null || isValid(SignInRecord, signIn) ? { ...item, signIn } : undefined;
  },
  create: `CREATE TABLE IF NOT EXISTS activity (
      seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, kind TEXT NOT NULL, words TEXT NOT NULL, sign_in TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS activity_sign_ins ON activity (seq) WHERE sign_in IS NOT NULL`,
  format: 1,
  cleaned: withTimes('at'),
});

export type Activity = ReturnType<typeof createActivity>;

const usualPage = 50;
/** How many rows a search reads before it lets other work run. */
const entriesAtOnce = 500;
/**
 * The maximum number of entries to keep in memory while writing to the disk fails. They are written once writing works
 * again.
 */
const mostKept = 200;

/** How long entries are kept, in ms: two years. */
const keptMs = 2 * 366 * 86_400_000;
/** Looks only at the oldest entries, because `at` has no index. */
const deleteOld = `DELETE FROM activity WHERE seq IN (
  SELECT seq FROM (SELECT seq, at FROM activity ORDER BY seq LIMIT ${entriesAtOnce}) WHERE at < ?)`;

/** Returns whether a write that failed with `code` may succeed later. */
const mayPass = (code: ErrorCode) =>
  isDiskCode(code) || code === 'storage_busy' || code === 'storage_changed';

/** Inserts an entry. An entry that is there already stays: one whose sync failed may be written twice. */
export function insertActivity(
  run: Transaction['run'],
  { id, at, kind, words, signIn }: ActivityEntry,
): void {
  const sql = 'INSERT OR IGNORE INTO activity (id, at, kind, words, sign_in) VALUES (?, ?, ?, ?, ?)';
  run(sql, id, at, kind, words, signIn === undefined ? null : JSON.stringify(signIn));
}

/** Creates the owner's activity log, which describes each event in a sentence. */
export function createActivity({
  records,
  hub,
  clock,
  lost,
}: {
  records: Pick<Records, 'rows' | 'write'>;
  hub: EventHub;
  /** Returns the time in ms since the epoch. */
  clock: () => number;
  /** Called if an entry that was kept to be written later can never be written. */
  lost: (error: unknown) => void;
}) {
  const unwritten: ActivityEntry[] = [];

  const insert = (entry: ActivityEntry): Promise<void> =>
    records.write(({ run }) => insertActivity(run, entry));

  /** Returns up to `limit` rows that were written before the row `before`, newest first. */
  const olderThan = (before: number, limit: number) =>
    records.rows(
      (row) => readRow(activityTable, row),
      'SELECT * FROM activity WHERE seq < ? ORDER BY seq DESC LIMIT ?',
      before,
      limit,
    );

  async function write(item: ActivityEntry): Promise<void> {
    const items = [...unwritten.splice(0), item];
    const written = await Promise.allSettled(items.map(insert));
    let failed: PromiseRejectedResult | undefined;
    for (const [index, outcome] of written.entries()) {
      if (outcome.status === 'fulfilled') continue;
      const error: unknown = outcome.reason;
      const one = items[index];
      if (error instanceof PorchlightError && mayPass(error.code)) {
        if (one !== undefined && unwritten.length < mostKept) unwritten.push(one);
      } else if (one === item) failed = outcome;
      else lost(error);
    }
    if (failed) throw failed.reason;
  }

  const itemOf = (kind: string, words: string) => ({
    id: randomUUID(),
    at: new Date(clock()).toISOString(),
    kind,
    words,
  });

  return {
    /** Records an event in the transaction that writes the event itself. The windows hear of it once that is on disk. */
    recordIn({ run, after }: Transaction, kind: string, words: string): void {
      const item = itemOf(kind, words);
      insertActivity(run, item);
      after(() => hub.emit('activity.added', item));
    },

    /**
     * Records an event and notifies the windows. Resolves when the entry is on disk. If writing fails for a temporary
     * reason, such as a full disk, the promise still resolves, because the event did happen. The next call then tries
     * to write the entry again.
     */
    async record(kind: string, words: string, signIn?: Static<typeof SignInRecord>): Promise<void> {
      const item = itemOf(kind, words);
      await write(signIn ? { ...item, signIn } : item);
      hub.emit('activity.added', item);
    },

    /**
     * Returns entries that match a search, newest first.
     * @throws PorchlightError `invalid_request` for a cursor that isn't from this list
     */
    async list({ limit = usualPage, cursor, area, query = '' }: Params<'activity.list'>) {
      const passes = filterOf(area, query);
      const found: ReturnType<typeof olderThan> = [];
      let before = cursor === undefined ? Number.MAX_SAFE_INTEGER : parseCursor(cursor);
      // One entry more than the page shows that there is another page.
      while (found.length <= limit) {
        const rows = olderThan(before, passes ? entriesAtOnce : limit + 1);
        found.push(...(passes ? rows.filter(passes) : rows));
        const last = rows.at(-1);
        if (last === undefined || last.seq === 1) break;
        before = last.seq;
        if (passes) await nextTurn();
      }
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(({ id, at, kind, words }) => ({ id, at, kind, words })),
        ...(found.length > limit && last && { nextCursor: String(last.seq) }),
      };
    },

    /** Deletes entries that are older than two years, in steps. `now`: a trusted time in ms. */
    async prune(now: number): Promise<void> {
      const before = new Date(now - keptMs).toISOString();
      const [oldest] = records.rows(({ at }) => String(at), 'SELECT at FROM activity ORDER BY seq LIMIT 1');
      if (oldest === undefined || oldest >= before) return;
      while ((await records.write(({ run }) => run(deleteOld, before))) > 0);
    },

    history: (limit: number): PastSignIn[] =>
      records
        .rows(
          (row) => readRow(activityTable, row),
          'SELECT * FROM activity WHERE sign_in IS NOT NULL ORDER BY seq DESC LIMIT ?',
          limit,
        )
        .flatMap(({ at, signIn }) => (signIn === null ? [] : [{ at, by: 'computer', ...signIn }])),
  };
}

function parseCursor(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor))
    throw new PorchlightError('invalid_request', 'This cursor doesn’t belong to this list.');
  return Number(cursor);
}

function filterOf(area: Params<'activity.list'>['area'], query: string) {
  const text = query.trim().toLowerCase();
  if (area === undefined && text === '') return undefined;
  return ({ kind, words }: Pick<ActivityEntry, 'kind' | 'words'>) =>
    (area === undefined || areaOf(kind) === area) && words.toLowerCase().includes(text);
}
