import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openGrantDocument } from '../../../src-main/indieauth/grant-document.ts';
import { createGrants } from '../../../src-main/indieauth/store.ts';
import { documentsIn } from '../../../src-main/storage/data-documents.ts';
import { createEndings } from '../../../src-main/storage/endings.ts';

/** grants.json before apps had a device and a name of the owner's. Never change it: it is what files on disks hold. */
const golden = `{"format":1,"grants":[{"id":"7f0f3c52-6a8e-4c3e-9a0e-2f6f2f1f3a10","kind":"app","me":"https://owner.example/","clientId":"https://quill.example/","clientName":"Quill","clientLogo":null,"scopes":["create"],"createdAt":1763712000000,"lastUsedAt":null,"endsAt":null,"revokedAt":null,"refresh":{"hash":"h","spent":[],"expiresAt":9999999999999}}]}`;
const id = '7f0f3c52-6a8e-4c3e-9a0e-2f6f2f1f3a10';

async function openGrants(text: string) {
  const dir = await mkdtemp(join(tmpdir(), 'porchlight-grants-'));
  const file = join(dir, 'grants.json');
  await writeFile(file, text);
  const document = await openGrantDocument(documentsIn(dir), () => Date.now());
  const grants = createGrants(document, {
    endings: createEndings({ changed: () => undefined }),
    clock: () => Date.parse('2026-11-22T08:00:00Z'),
    refreshSeconds: () => 86_400,
  });
  return { grants, file, remove: () => rm(dir, { recursive: true }) };
}

test('a file without devices and names is read as it is, and apps in it can be renamed', async () => {
  const { grants, file, remove } = await openGrants(golden);
  expect(grants.list()).toMatchObject([{ id, clientName: 'Quill' }]);
  expect(await grants.rename(id, 'Quill at work')).toMatchObject({ ownName: 'Quill at work' });
  expect(await readFile(file, 'utf8')).toContain('Quill at work');
  expect(await grants.rename(id, '')).not.toHaveProperty('ownName');
  await remove();
});

test('keys that this version does not know sign nobody out, and stay in the file', async () => {
  const { grants, file, remove } = await openGrants(golden.replace('"kind":', '"later":"kept","kind":'));
  expect(grants.list()).toHaveLength(1);
  await grants.rename(id, 'Quill at work');
  expect(await readFile(file, 'utf8')).toContain('"kept"');
  await remove();
});
