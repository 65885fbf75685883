import { join } from 'node:path';
import { mergeEnded, readEnded } from '../storage/ended-ids.ts';
import { readDocument, writeDocument } from '../storage/unopened.ts';
import { endedGrantsName } from './grant-document.ts';
import { grantsFormat, isSignedIn } from './grant.ts';

const fileIn = (dir: string) => join(dir, 'grants.json');
const endedIn = (dir: string) => join(dir, endedGrantsName);

/** Returns the names of the apps that are signed in according to a data folder. `now`: ms since the epoch. */
export async function appsSignedIn(dir: string, now: number): Promise<string[]> {
  const { grants } = (await readDocument(fileIn(dir), grantsFormat)) ?? { grants: [] };
  return grants
    .filter((grant) => isSignedIn(grant, now))
    .map(({ clientName, clientId }) => clientName || clientId);
}

/** Revokes the grants in the folder `there` that were revoked in the folder `here`. No server may be using `there`. */
export async function keepRevoked(here: string, there: string): Promise<void> {
  const ours = await readDocument(fileIn(here), grantsFormat);
  const theirs = await readDocument(fileIn(there), grantsFormat);
  if (theirs === undefined) return;
  const { ids: ended } = await readEnded(endedIn(here));
  const now = Date.now();
  const revoked = new Map(ours?.grants.map(({ id, revokedAt }) => [id, revokedAt]));
  const grants = theirs.grants.map((grant) => ({
    ...grant,
    revokedAt: grant.revokedAt ?? revoked.get(grant.id) ?? (ended.has(grant.id) ? now : null),
  }));
  await writeDocument(fileIn(there), grantsFormat, { ...theirs, grants });
  await mergeEnded(endedIn(here), endedIn(there));
}
