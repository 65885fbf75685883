import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Prove } from '../../../../src-main/data/backup/backup.ts';
import { backUp, handMadeBackup, readTree, restore, writeTree } from '../../../support/backup-scene.ts';
import { rawZip, type RawEntry } from '../../../support/raw-zip.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

const settings: RawEntry = { name: 'data/settings.json', content: '{}' };

/** A data folder beside a backup of these bytes, and a restore of it. */
async function scene(backup: Uint8Array) {
  const home = await temporaryFolder();
  const dataDir = join(home, 'data');
  const file = join(home, 'backup.zip');
  await writeTree(dataDir, { 'settings.json': 'mine', 'posts/a.json': 'mine' });
  await writeFile(file, backup);
  return { home, dataDir, file, before: await readTree(home) };
}

/** The code that a restore is refused with; nothing has changed then, and nothing was left. */
async function refusal(backup: Uint8Array, prove?: Prove): Promise<unknown> {
  const { home, dataDir, file, before } = await scene(backup);
  const error: unknown = await restore({ dataDir, file, ...(prove && { prove }) }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(await readTree(home)).toEqual(before);
  expect((await readdir(home)).sort()).toEqual(['backup.zip', 'data']);
  expect((await readdir(dataDir)).sort()).toEqual(['posts', 'settings.json']);
  return error instanceof Error && 'code' in error ? error.code : error;
}

const megabyte = Buffer.alloc(1_000_000);

describe('a backup of a stranger', () => {
  test('made by hand is accepted if it is sound, so that the others are refused for their own fault', async () => {
    const { dataDir, file } = await scene(
      handMadeBackup([settings, { ...settings, name: 'data/posts/b.json' }]),
    );
    expect(await restore({ dataDir, file })).toMatchObject({ secrets: undefined });
    expect(Object.keys(await readTree(`${dataDir}.restore-waiting`))).toEqual([
      'posts/b.json',
      'settings.json',
    ]);
  });

  test.each([
    ['climbs out', 'data/../../evil.json'],
    ['climbs out at once', '../evil.json'],
    ['is at the root of the disk', '/tmp/evil.json'],
    ['is at the root of a drive', 'C:/evil.json'],
    ['climbs with backslashes', 'data\\..\\evil.json'],
    ['hides the climb in percent signs', 'data/%2E%2E/evil.json'],
    ['hides a slash in percent signs', 'data/..%2Fevil.json'],
    ['is not UTF-8 in percent signs', 'data/%FF.json'],
    ['has an empty part', 'data//evil.json'],
    ['is the folder itself', 'data/.'],
    ['is not among the data', 'evil.json'],
    ['stands in for the secrets', 'data/secrets.json'],
    ['stands in for the lock', 'data/lock.sqlite'],
    ['is the tunnel’s program, which is run', 'data/tunnel/cloudflared'],
    ['belongs to the window', 'data/electron/Preferences'],
    ['is a work folder of ours', 'data/.porchlight-0/evil.json'],
    ['ends with a zero byte', 'data/evil.json%00'],
  ])('whose name %s is refused', async (_words, name) => {
    expect(await refusal(handMadeBackup([settings, { name, content: 'evil' }]))).toBe('backup_broken');
  });

  test('with a name twice is refused', async () => {
    expect(await refusal(handMadeBackup([settings, settings]))).toBe('backup_broken');
  });

  test('with a file where another needs a folder is refused', async () => {
    const file = { name: 'data/posts', content: 'evil' };
    const inIt = { name: 'data/posts/a.json', content: 'evil' };
    expect(await refusal(handMadeBackup([file, inIt]))).toBe('backup_broken');
    expect(await refusal(handMadeBackup([inIt, file]))).toBe('backup_broken');
  });

  test.each([
    ['a link', { mode: 0o120777 }],
    ['a folder', { mode: 0o040755 }],
    ['a device', { mode: 0o020666 }],
    ['encrypted', { flags: 1 }],
  ])('that holds %s is refused', async (_words, more: Partial<RawEntry>) => {
    const odd = { name: 'data/posts/b.json', content: '/etc/passwd', ...more };
    expect(await refusal(handMadeBackup([settings, odd]))).toBe('backup_broken');
  });

  test.each([
    ['says less than it unpacks to', 10],
    ['says more than it unpacks to', 2_000_000],
  ])('that %s is refused', async (_words, claimedBytes) => {
    const bomb = { name: 'data/posts/b.json', content: megabyte, deflated: true, claimedBytes };
    expect(await refusal(handMadeBackup([settings, bomb]))).toBe('backup_broken');
  });

  test('a backup that unpacks to more than the free disk space is refused before it is unpacked', async () => {
    const large = Array.from({ length: 4000 }, (_, number) => ({
      name: `data/media/${number}.bin`,
      deflated: true,
      claimedBytes: 4_000_000_000,
    }));
    expect(await refusal(handMadeBackup([settings, ...large]))).toBe('storage_full');
  });

  test('a backup whose list of files would fill the memory is refused', async () => {
    const words = 'x'.repeat(50_000_000);
    const list = { name: 'porchlight-backup.json', content: JSON.stringify({ words }), deflated: true };
    expect(await refusal(rawZip([list]))).toBe('backup_broken');
  });

  test('that claims more files than anybody has is refused', async () => {
    expect(await refusal(rawZip([settings], 3_000_000_000))).toBe('backup_broken');
  });
});

describe('a backup that is not whole', () => {
  const sound = () => handMadeBackup([settings]);

  test.each([
    ['cut off at its end', () => sound().subarray(0, -30), 'not_a_backup'],
    ['cut off in the middle', () => sound().subarray(0, 60), 'not_a_backup'],
    ['empty', () => Buffer.alloc(0), 'not_a_backup'],
    ['followed by junk', () => Buffer.concat([sound(), megabyte]), 'not_a_backup'],
    ['a letter', () => Buffer.from('Dear Robin'), 'not_a_backup'],
    ['somebody else’s zip', () => rawZip([{ name: 'letter.txt', content: 'Dear Robin' }]), 'not_a_backup'],
    [
      'of a newer format',
      () => handMadeBackup([settings], (list) => ({ ...list, porchlightBackup: 2 })),
      'backup_newer',
    ],
    ['with a list that is none', () => handMadeBackup([settings], () => 'a letter'), 'backup_broken'],
    [
      'with a list of no files',
      () => handMadeBackup([settings], (list) => ({ ...list, files: {} })),
      'backup_broken',
    ],
    [
      'without a file of its list',
      () => handMadeBackup([], (list) => ({ ...list, files: fileOf('0') })),
      'backup_broken',
    ],
    [
      'with other content than its list says',
      () => handMadeBackup([settings], (list) => ({ ...list, files: fileOf('0') })),
      'backup_broken',
    ],
    [
      'without the secrets it promises',
      () => handMadeBackup([settings], (list) => ({ ...list, secrets: true })),
      'backup_broken',
    ],
    [
      'with secrets that it does not promise',
      () => handMadeBackup([settings, { name: 'secrets.age' }]),
      'backup_broken',
    ],
  ])('%s is refused, in its own words', async (_words, backup, code) => {
    expect(await refusal(backup())).toBe(code);
  });

  test('or whose data can’t be opened changes nothing', async () => {
    expect(await refusal(sound(), () => Promise.reject(new Error('no')))).toMatchObject({ message: 'no' });
  });
});

const fileOf = (digit: string) => ({ 'data/settings.json': { bytes: 2, sha256: digit.repeat(64) } });

describe('the secrets in a backup', () => {
  const values = { 'signing-key': 'a key' };
  const passphrase = 'correct horse battery';

  async function sealed() {
    const home = await temporaryFolder();
    const dataDir = join(home, 'data');
    await writeTree(dataDir, { 'settings.json': 'mine' });
    const file = join(home, 'backup.zip');
    await backUp({ dataDir, file, secrets: { values, rows: {}, passphrase, workFactor: 4 } });
    return { dataDir, file };
  }

  test('come back under their passphrase', async () => {
    const { dataDir, file } = await sealed();
    expect(await restore({ dataDir, file, passphrase })).toMatchObject({ secrets: { values } });
  });

  test('the secrets in a backup stay encrypted under another passphrase, and nothing changes', async () => {
    const { dataDir, file } = await sealed();
    const attempt = restore({ dataDir, file, passphrase: 'not the passphrase' });
    await expect(attempt).rejects.toMatchObject({ code: 'wrong_passphrase', status: 403 });
    expect((await readdir(join(dataDir, '..'))).sort()).toEqual(['backup.zip', 'data']);
    await expect(restore({ dataDir, file: file, passphrase: '' })).rejects.toMatchObject({
      code: 'wrong_passphrase',
    });
  });

  test('that would take hours to open are refused at once', async () => {
    const age = `age-encryption.org/v1\n-> scrypt ${'A'.repeat(22)} 40\n${'A'.repeat(43)}\n--- ${'A'.repeat(43)}\n`;
    const backup = handMadeBackup([settings, { name: 'secrets.age', content: age }], (list) => ({
      ...list,
      secrets: true,
    }));
    const { dataDir, file, before, home } = await scene(backup);
    await expect(restore({ dataDir, file, passphrase })).rejects.toMatchObject({ code: 'backup_broken' });
    expect(await readTree(home)).toEqual(before);
  });
});
