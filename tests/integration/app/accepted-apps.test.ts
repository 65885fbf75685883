import { expect, test } from 'vitest';
import { keepTrust } from '../../../src-main/app/restoring.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { sampleGrant, storedGrants, storeGrant } from '../../support/stored-grants.ts';

/** Returns this computer's folder and the unpacked backup, each with an app of its own and one that both know. */
async function folders() {
  const [here, staged] = [await temporaryFolder(), await temporaryFolder()];
  const both = sampleGrant('Both');
  await storeGrant(here, sampleGrant('Ours'));
  await storeGrant(here, { ...both, revokedAt: 1_763_712_100_000 });
  await storeGrant(staged, sampleGrant('Theirs'));
  await storeGrant(staged, both);
  const apps = async () =>
    (await storedGrants(staged))
      .filter(({ revokedAt }) => revokedAt === null)
      .map(({ clientName }) => clientName);
  return { here, staged, apps };
}

test('the apps of a backup are taken over if the owner accepts them, except those that were revoked here', async () => {
  const { here, staged, apps } = await folders();
  await keepTrust(here, { staged, accept: ['apps.signedIn'], access: 'backup' }, () => undefined);
  expect(await apps()).toEqual(['Theirs']);
});

test('without the owner’s consent, the apps of this computer replace those of a backup', async () => {
  const { here, staged, apps } = await folders();
  await keepTrust(here, { staged, accept: [], access: 'here' }, () => undefined);
  expect(await apps()).toEqual(['Ours']);
});
