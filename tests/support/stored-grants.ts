import { randomUUID } from 'node:crypto';
import { allGrants, type Grant, grantIn, grantTable, putGrant } from '../../src-main/sign-in/grant.ts';
import { readRecords, withClosedRecords } from '../../src-main/storage/records/closed-records.ts';

/** Returns the grants in a data folder, also while a server uses it. */
export async function storedGrants(dataDir: string): Promise<Grant[]> {
  const found = await readRecords(dataDir, grantTable, (database) => database.prepare(allGrants).all());
  if (found === 'damaged') throw new Error(`The database in ${dataDir} is damaged.`);
  return (found ?? []).flatMap(({ body }) => grantIn(body) ?? []);
}

/** Returns a grant of an app. */
export const sampleGrant = (clientName: string): Grant => ({
  id: randomUUID(),
  kind: 'app',
  me: 'https://owner.example/',
  clientId: 'https://quill.example/',
  clientName,
  clientLogo: null,
  scopes: ['create'],
  createdAt: 1_763_712_000_000,
  lastUsedAt: null,
  endsAt: null,
  revokedAt: null,
  refresh: { hash: 'h', spent: [], expiresAt: 9_999_999_999_999 },
});

/** Writes a grant into a folder that no server uses. */
export const storeGrant = (dataDir: string, grant: Grant) =>
  withClosedRecords(dataDir, [grantTable], (database) =>
    database.prepare(putGrant).run(grant.id, JSON.stringify(grant)),
  );
