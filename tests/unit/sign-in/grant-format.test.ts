import { expect, onTestFinished, test } from 'vitest';
import { grantTable, openGrantRows, putGrant } from '../../../src-main/sign-in/grant.ts';
import { createGrants } from '../../../src-main/sign-in/store.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { createEndings } from '../../../src-main/storage/endings.ts';
import { openRecords } from '../../../src-main/storage/records/records.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

/** A grant before apps had a device and a name of the owner's. Never change it: it is what disks hold. */
const golden = `{"id":"7f0f3c52-6a8e-4c3e-9a0e-2f6f2f1f3a10","kind":"app","me":"https://owner.example/","clientId":"https://quill.example/","clientName":"Quill","clientLogo":null,"scopes":["create"],"createdAt":1763712000000,"lastUsedAt":null,"endsAt":null,"revokedAt":null,"refresh":{"hash":"h","spent":[],"expiresAt":9999999999999}}`;
const id = '7f0f3c52-6a8e-4c3e-9a0e-2f6f2f1f3a10';

async function openGrants(body: string) {
  const records = await openRecords({ dir: await temporaryFolder(), tables: [grantTable], log: silentLog });
  onTestFinished(() => records.close());
  await records.write(({ run }) => run(putGrant, id, body));
  const grants = createGrants(openGrantRows(records), {
    endings: createEndings({ changed: () => undefined }),
    clock: () => Date.parse('2026-11-22T08:00:00Z'),
    refreshSeconds: () => 86_400,
  });
  return { grants, stored: () => String(records.rows(({ body: text }) => text, 'SELECT body FROM grants')) };
}

test('a grant without device and name is read as it is, and its app can be renamed', async () => {
  const { grants, stored } = await openGrants(golden);
  expect(grants.list()).toMatchObject([{ id, clientName: 'Quill' }]);
  expect(await grants.rename(id, 'Quill at work')).toMatchObject({ ownName: 'Quill at work' });
  expect(stored()).toContain('Quill at work');
  expect(await grants.rename(id, '')).not.toHaveProperty('ownName');
});

test('keys that this version does not know sign nobody out, and stay in the row', async () => {
  const { grants, stored } = await openGrants(golden.replace('"kind":', '"later":"kept","kind":'));
  expect(grants.list()).toHaveLength(1);
  await grants.rename(id, 'Quill at work');
  expect(stored()).toContain('"kept"');
});
