import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readPending } from '../../../src-main/data/backup/pending.ts';
import { type BackupReader, createRestoreDesk } from '../../../src-main/data/restore-desk.ts';
import { initialSettings } from '../../../src-main/contract/settings.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { openSecretsFile, secretsFileIn } from '../../../src-main/platform/secrets.ts';
import { quietWork } from '../../support/backup-scene.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const about = {
  porchlightBackup: 1,
  version: '1.0.0',
  madeAt: '2026-05-01T12:00:00.000Z',
  me: null,
  secrets: false,
  bytes: 0,
} as const;
const apps = { here: [], there: ['Theirs'] };

/** Reads a backup that would sign in the app “Theirs”. */
const reader: BackupReader = {
  describe: () => Promise.resolve({ about }),
  unpack: () => Promise.resolve(),
  prove: () => Promise.resolve({ counts: { posts: 0, files: 0, mentions: 0 }, problems: [] }),
  compare: () => Promise.resolve({ left: 0, changes: [{ setting: 'apps.signedIn', ...apps }], apps }),
};

test.each([
  [['apps.signedIn'], 'backup'],
  [[], 'here'],
])('a restore that accepts %j uses the signed-in apps of “%s”', async (accept, access) => {
  const dataDir = path.join(await temporaryFolder(), 'data');
  await mkdir(dataDir);
  const desk = createRestoreDesk({
    dataDir,
    now: Date.now,
    log: silentLog,
    secrets: await openSecretsFile({ file: secretsFileIn(dataDir) }),
    settings: initialSettings,
    reader,
  });
  await desk.check('backup.zip', undefined, quietWork());
  await desk.arm(accept);
  expect(await readPending(dataDir)).toMatchObject({ access, accept });
});
