import { type Static, Type } from 'typebox';
import { choice, closed, Id, orNull } from '../contract/shapes.ts';
import { jsonIn } from '../storage/json-value.ts';
import { readRecords, withClosedRecords } from '../storage/records/closed-records.ts';
import type { Transaction, WriteOptions } from '../storage/records/group-commit.ts';
import { asChecked, readRow, recordTable } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { isValid } from '../storage/schema-check.ts';
import type { Database } from '../storage/sqlite.ts';

/** A time that a Date can hold. */
const Time = Type.Integer({ minimum: -8.64e15, maximum: 8.64e15 });

/**
 * The permission that the owner gave an app. It lasts until it is revoked, reaches its end (`endsAt`), or goes unused
 * for too long. Times are in ms since the epoch. Unknown keys are allowed and stay in the file. Rejecting a grant
 * because of them would sign the app out.
 */
export const Grant = Type.Object({
  id: Type.String(),
  kind: choice('app', 'manual'),
  me: Type.String(),
  clientId: Type.String(),
  clientName: Type.String(),
  clientLogo: orNull(Type.String()),
  /** The owner's name for the app; absent if the owner uses the app's own name. */
  ownName: Type.Optional(Type.String()),
  /** The browser and system that the sign-in came from (deviceOf); absent if unknown. */
  device: Type.Optional(Type.String()),
  scopes: Type.Array(Type.String()),
  /** The sign-in that the owner approved, and the phone with which they did; absent if it was this computer. */
  signIn: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  /** Where the app's tokens count: only at the endpoint for assistants. Absent: everywhere else. */
  resource: Type.Optional(Type.Literal('mcp')),
  createdAt: Time,
  lastUsedAt: orNull(Time),
  /** When the permission ends, even if the app is in use; null if it never ends. */
  endsAt: orNull(Time),
  revokedAt: orNull(Time),
  /** When Porchlight signed the app out by itself, because data that decides about its access was lost. */
  signedOutAt: Type.Optional(Time),
  refresh: orNull(
    closed({
      /** SHA-256 of the only refresh token that is still valid. */
      hash: Type.String(),
      /**
       * Hashes of used refresh tokens. A second use means that the token was probably stolen, so it revokes the grant.
       */
      spent: Type.Array(Type.String()),
      expiresAt: Time,
    }),
  ),
});
export type Grant = Static<typeof Grant>;

/** Grants by id, in the order in which they were made. */
export type GrantsById = Map<string, Grant>;

/** Returns the app's name as shown in the window: the owner's name for the app, or else the app's own name. */
export function grantName({ ownName, clientName }: Pick<Grant, 'ownName' | 'clientName'>): string {
  return ownName ?? clientName;
}

/** Returns whether tokens of a grant may still be accepted. `now`: ms since the epoch. */
export function isGrantLive(grant: Grant, now: number): boolean {
  if (grant.signedOutAt !== undefined) return false;
  return grant.revokedAt === null && (grant.endsAt === null || now < grant.endsAt);
}

/**
 * Returns whether an app can still use its grant. A grant with an end or without a refresh token has an access token
 * that lasts as long as the grant. Any other grant needs a refresh token that has not expired. `now`: ms since the
 * epoch.
 */
export function isSignedIn(grant: Grant, now: number): boolean {
  if (!isGrantLive(grant, now)) return false;
  return grant.refresh === null || grant.endsAt !== null || now < grant.refresh.expiresAt;
}

export const grantTable = recordTable({
  name: 'grants',
  /** `body`: the JSON of a Grant. */
  row: closed({ id: Id, body: Type.String() }),
  read({ id, body }): Grant | undefined {
    const grant = grantIn(body);
    return grant?.id === id ? grant : undefined;
  },
  create: 'CREATE TABLE IF NOT EXISTS grants (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT',
  format: 1,
  cleaned: asChecked,
  // A grant that only the copy has may have been revoked since. Its app has to sign in again.
  merge(older, damaged) {
    const [before, now] = [older && grantIn(older.body), damaged && grantIn(damaged.body)];
    if (damaged === undefined || now === undefined) return older && signedOutRow(older);
    const revokedAt = now.revokedAt ?? before?.revokedAt ?? null;
    return revokedAt === now.revokedAt
      ? damaged
      : { ...damaged, body: JSON.stringify({ ...now, revokedAt }) };
  },
  distrusted: (row) => signedOutRow(row),
});

/** Returns a grant whose app has to sign in again. `now`: ms since the epoch. */
const signedOut = (grant: Grant, now: number): Grant =>
  isGrantLive(grant, now) ? { ...grant, signedOutAt: now } : grant;

function signedOutRow(row: { id: string; body: string }): { id: string; body: string } {
  const grant = grantIn(row.body);
  return grant === undefined ? row : { ...row, body: JSON.stringify(signedOut(grant, Date.now())) };
}

export const allGrants = 'SELECT id, body FROM grants ORDER BY rowid';
const oneGrant = 'SELECT id, body FROM grants WHERE id = ?';
export const putGrant =
  'INSERT INTO grants (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body';

/** Returns the grant in a row's JSON; undefined if it is none. */
export function grantIn(body: unknown): Grant | undefined {
  const grant = jsonIn(String(body));
  return isValid(Grant, grant) ? grant : undefined;
}

export type GrantRows = ReturnType<typeof openGrantRows>;

/** Opens the table of grants. All of them are kept in memory, because every request with a token needs one. */
export function openGrantRows(records: Pick<Records, 'rows' | 'write' | 'openings'>) {
  let seen: { readonly grants: GrantsById; readonly opening: number } | undefined;

  return {
    /**
     * All grants.
     * @throws the errors of `Records.rows`
     */
    get data(): ReadonlyMap<string, Readonly<Grant>> {
      if (seen?.opening !== records.openings) {
        const grants = records.rows((row) => readRow(grantTable, row), allGrants);
        seen = { grants: new Map(grants.map((grant) => [grant.id, grant])), opening: records.openings };
      }
      return seen.grants;
    },

    /**
     * Changes grants: `change` gets those with these ids that exist, and may change, add and delete. It may write other
     * records into the same transaction. Resolves with its result once the grants are on disk. The time doesn't grow with
     * the number of grants.
     * @throws the errors of `change` and of `Records.write`
     */
    async update<R>(
      ids: readonly string[],
      change: (grants: GrantsById, transaction: Transaction) => R,
      how?: WriteOptions,
    ): Promise<R> {
      try {
        return await records.write((transaction) => {
          const { rows, run } = transaction;
          const found = ids.flatMap((id) => rows(oneGrant, id));
          const before = new Map(found.map(({ id, body }) => [String(id), String(body)]));
          const grants = found.map((row) => readRow(grantTable, row));
          const draft: GrantsById = new Map(grants.map((grant) => [grant.id, grant]));
          const result = change(draft, transaction);
          const known = seen?.opening === records.openings ? seen.grants : undefined;
          for (const [id, grant] of draft) {
            const body = JSON.stringify(grant);
            if (before.get(id) !== body) run(putGrant, id, body);
            before.delete(id);
            known?.set(id, grant);
          }
          for (const id of before.keys()) {
            run('DELETE FROM grants WHERE id = ?', id);
            known?.delete(id);
          }
          return result;
        }, how);
      } catch (error) {
        // The grants in memory may be those of a transaction that was rolled back.
        seen = undefined;
        throw error;
      }
    },
  };
}

/**
 * Signs out all apps. Returns whether any was signed in. `now`: ms since the epoch.
 * @throws the errors of `Records`
 */
export async function signOutAll(stored: GrantRows, now: number): Promise<boolean> {
  const ids = [...stored.data.values()].filter((grant) => isSignedIn(grant, now)).map(({ id }) => id);
  if (ids.length === 0) return false;
  await stored.update(
    ids,
    (grants) => {
      for (const grant of grants.values()) grants.set(grant.id, signedOut(grant, now));
    },
    { ends: true },
  );
  return true;
}

const grantsIn = (database: Database): Grant[] =>
  database.prepare(allGrants).all().flatMap(({ body }) => grantIn(body) ?? []); // prettier-ignore

/** Returns the names of the apps that are signed in according to a data folder. `now`: ms since the epoch. */
export async function appsSignedIn(dir: string, now: number): Promise<string[]> {
  const grants = await readRecords(dir, grantTable, grantsIn);
  if (grants === undefined || grants === 'damaged') return [];
  return grants.filter((grant) => isSignedIn(grant, now)).map((grant) => grantName(grant) || grant.clientId);
}

/**
 * Replaces the grants in the folder `there` by those of the folder `here`. If those can't be read, all apps have to sign
 * in again. No server may be using the folders.
 */
export async function keepGrants(here: string, there: string): Promise<void> {
  const ours = await readRecords(here, grantTable, grantsIn);
  const grants = ours === 'damaged' ? [] : (ours ?? []);
  await change(there, () => grants);
}

/**
 * Revokes the grants in the folder `there` that were revoked in the folder `here`; all of them if `here` can't be read.
 * No server may be using the folders.
 */
export async function keepRevoked(here: string, there: string): Promise<void> {
  const ours = await readRecords(here, grantTable, grantsIn);
  const now = Date.now();
  const revoked = new Map(ours === 'damaged' ? [] : ours?.map(({ id, revokedAt }) => [id, revokedAt]));
  await change(there, (grants) =>
    grants.map((grant) => ({
      ...grant,
      revokedAt: grant.revokedAt ?? revoked.get(grant.id) ?? (ours === 'damaged' ? now : null),
    })),
  );
}

async function change(dir: string, changed: (grants: Grant[]) => readonly Grant[]): Promise<void> {
  await withClosedRecords(dir, [grantTable], (database) => {
    const grants = changed(grantsIn(database));
    database.exec('DELETE FROM grants');
    for (const grant of grants) database.prepare(putGrant).run(grant.id, JSON.stringify(grant));
  });
}
