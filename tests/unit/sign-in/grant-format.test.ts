import { expect, onTestFinished, test, vi } from 'vitest';
import { grantTable, openGrantRows, putGrant } from '../../../src-main/sign-in/grant.ts';
import { Grants } from '../../../src-main/sign-in/store.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { createUnsaved } from '../../../src-main/sign-in/unsaved.ts';
import { openRecords } from '../../../src-main/storage/records/records.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

/** A grant before apps had a device and a name of the owner's. Never change it: it is what disks hold. */
const golden = `{"id":"7f0f3c52-6a8e-4c3e-9a0e-2f6f2f1f3a10","kind":"app","me":"https://owner.example/","clientId":"https://quill.example/","clientName":"Quill","clientLogo":null,"scopes":["create"],"createdAt":1763712000000,"lastUsedAt":null,"endsAt":null,"revokedAt":null,"refresh":{"hash":"h","spent":[],"expiresAt":9999999999999}}`;
const id = '7f0f3c52-6a8e-4c3e-9a0e-2f6f2f1f3a10';

async function openGrants(body: string) {
  const records = await openRecords({ dir: await temporaryFolder(), tables: [grantTable], log: silentLog });
  onTestFinished(() => records.close());
  await records.write(({ run }) => run(putGrant, id, body));
  const grants = new Grants(
    openGrantRows(records),
    () => Date.parse('2026-11-22T08:00:00Z'),
    createUnsaved(vi.fn(), vi.fn()),
    () => 86_400,
  );
  return { grants, stored: () => String(records.rows(({ body: text }) => text, 'SELECT body FROM grants')) };
}

test('a grant without device and name is readable, and its app can be renamed', async () => {
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

test('exchanging a refresh token reads and writes the row of its own grant only', async () => {
  const records = await openRecords({ dir: await temporaryFolder(), tables: [grantTable], log: silentLog });
  onTestFinished(() => records.close());
  const touched: string[] = [];
  const watched: Parameters<typeof openGrantRows>[0] = {
    rows: (read, sql, ...cells) => records.rows(read, sql, ...cells),
    openings: records.openings,
    write: (change) =>
      records.write((transaction) =>
        change({
          ...transaction,
          rows(sql, ...cells) {
            const rows = transaction.rows(sql, ...cells);
            touched.push(...rows.map((row) => `read ${String(row['id'])}`));
            return rows;
          },
          run(sql, ...cells) {
            touched.push(`write ${String(cells[0])}`);
            return transaction.run(sql, ...cells);
          },
        }),
      ),
  };
  const grants = new Grants(
    openGrantRows(watched),
    () => Date.parse('2026-11-22T08:00:00Z'),
    createUnsaved(vi.fn(), vi.fn()),
    () => 86_400,
  );
  const app = { kind: 'app', me: 'https://owner.example/', clientName: 'App', clientLogo: null } as const;
  const made = { ...app, clientId: 'https://app.example/', device: null, scopes: [], expiresIn: undefined };
  const all = await Promise.all(Array.from({ length: 30 }, () => grants.create(made)));
  touched.length = 0;
  const { grant } = await grants.rotate(all[7]?.refreshToken ?? '', made.clientId);
  expect(touched).toEqual([`read ${grant.id}`, `write ${grant.id}`]);
});

test('a change that could not be saved does not stay in memory', async () => {
  const records = await openRecords({ dir: await temporaryFolder(), tables: [grantTable], log: silentLog });
  onTestFinished(() => records.close());
  await records.write(({ run }) => run(putGrant, id, golden));
  const rows = openGrantRows({
    rows: (read, sql, ...cells) => records.rows(read, sql, ...cells),
    openings: records.openings,
    write: (change) =>
      records.write((transaction) => {
        change(transaction);
        throw new Error('The disk is full.');
      }),
  });
  expect(rows.data.get(id)?.clientName).toBe('Quill');
  const renamed = rows.update([id], (grants) => {
    for (const grant of grants.values()) grant.clientName = 'Other';
  });
  await expect(renamed).rejects.toThrow('The disk is full.');
  expect(rows.data.get(id)?.clientName).toBe('Quill');
});
