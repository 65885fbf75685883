import { readRecords, withClosedRecords } from '../storage/records/closed-records.ts';
import type { Database } from '../storage/sqlite.ts';
import { allGrants, grantIn, grantTable, putGrant } from './grant-rows.ts';
import { grantName, isSignedIn, type Grant } from './grant.ts';

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
