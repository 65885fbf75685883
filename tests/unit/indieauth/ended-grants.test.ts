import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openGrantDocument } from '../../../src-main/indieauth/grant-document.ts';
import { keepRevoked } from '../../../src-main/indieauth/restored-grants.ts';
import { createGrants } from '../../../src-main/indieauth/store.ts';
import { documentsIn } from '../../../src-main/storage/data-documents.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { createEndings } from '../../../src-main/storage/endings.ts';

const day = 86_400_000;
const quill = {
  ...{ kind: 'app' as const, me: 'https://ada.example/', clientId: 'https://quill.example/' },
  ...{ clientName: 'Quill', clientLogo: null, device: null, scopes: ['create'], expiresIn: undefined },
};

/** The grants in `dir`, as a start opens them. */
async function open(dir: string, clock = () => 1_800_000_000_000) {
  const document = await openGrantDocument(
    documentsIn(dir, () => undefined),
    clock,
  );
  return createGrants(document, {
    ...{ clock, refreshSeconds: () => 3600 },
    endings: createEndings({ changed: () => undefined }),
  });
}

const damage = (dir: string) => writeFile(join(dir, 'grants.json'), '{ "format": 1, "gra');
const endedIn = (dir: string) => readFile(join(dir, 'grants-ended.jsonl'), 'utf8');

describe('a grants.json that is damaged after a revocation', () => {
  test('does not bring the revoked token back with its previous version', async () => {
    const dir = await temporaryFolder();
    const grants = await open(dir);
    const { grant, refreshToken = '' } = await grants.create(quill);
    const { grant: other } = await grants.create(quill);
    expect(await grants.revoke(grant.id)).toBe(true);
    await damage(dir);

    const after = await open(dir);
    expect(after.byRefreshToken(refreshToken)).toBeUndefined();
    expect(after.get(grant.id)?.revokedAt).not.toBeNull();
    expect(after.list().map(({ id }) => id)).toEqual([other.id]);

    // The next change saves it, so the list is not needed for long.
    await after.rename(other.id, 'Pen');
    expect(await readFile(join(dir, 'grants.json'), 'utf8')).not.toMatch(
      /"revokedAt": null[^]*"revokedAt": null/,
    );
  });

  test('does not bring back any of those that were revoked at once', async () => {
    const dir = await temporaryFolder();
    const grants = await open(dir);
    const created = await Promise.all([1, 2, 3].map(() => grants.create(quill)));
    await Promise.all(created.map(({ grant }) => grants.revoke(grant.id)));
    await damage(dir);
    expect((await open(dir)).list()).toEqual([]);
    for (const { grant } of created) expect(await endedIn(dir)).toContain(grant.id);
  });

  test('does not bring back a grant that ended because its refresh token was stolen', async () => {
    const dir = await temporaryFolder();
    const grants = await open(dir);
    const { grant, refreshToken = '' } = await grants.create(quill);
    await grants.rotate(refreshToken, quill.clientId);
    await expect(grants.rotate(refreshToken, quill.clientId)).rejects.toMatchObject({
      code: 'invalid_grant',
    });
    await damage(dir);
    expect((await open(dir)).list()).toEqual([]);
    expect(await endedIn(dir)).toContain(grant.id);
  });
});

describe('the list of ended grants', () => {
  test('is shortened once no version of grants.json contains a grant any more', async () => {
    const dir = await temporaryFolder();
    const grants = await open(dir);
    const { grant } = await grants.create(quill);
    await grants.revoke(grant.id);
    await open(dir);
    expect(await endedIn(dir)).toContain(grant.id);

    const later = await open(dir, () => 1_800_000_000_000 + 91 * day);
    await later.create(quill);
    await later.create(quill);
    await open(dir);
    expect(await endedIn(dir)).toBe('');
  });

  test('is kept by a restore that takes the apps of a backup', async () => {
    const [here, there] = [await temporaryFolder(), await temporaryFolder()];
    const grants = await open(here);
    const { grant } = await grants.create(quill);
    await writeFile(join(there, 'grants.json'), await readFile(join(here, 'grants.json')));
    await grants.revoke(grant.id);
    await damage(here);
    await keepRevoked(here, there);
    expect((await open(there)).list()).toEqual([]);
    expect(await endedIn(there)).toContain(grant.id);
  });
});
