import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readingZip } from '../../../src-main/storage/zip.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { storedSubscription } from '../../support/push-service.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const passphrase = 'correct horse battery';

async function newFolder(): Promise<string> {
  const dataDir = path.join(await temporaryFolder(), 'data');
  await mkdir(dataDir);
  return dataDir;
}

test('a backup holds what pushes need only in its encrypted part, and a restore takes it only if ticked', async () => {
  const dataDir = await newFolder();
  const phone = await storedSubscription(dataDir);
  const porchlight = await startPorchlight({ dataDir });
  onTestFinished(() => porchlight.stop());
  await porchlight.call('secrets.setNtfy', { server: 'https://ntfy.example', topic: 'a-topic' });
  const secret = [...Object.values(phone), 'ntfy.example/a-topic'];
  const [plain, sealed] = [path.join(dataDir, '../plain.zip'), path.join(dataDir, '../sealed.zip')];
  await porchlight.call('data.backup', { path: plain });
  await porchlight.call('data.backup', { path: sealed, passphrase });
  for (const file of [plain, sealed])
    await readingZip(file, async (zip) => {
      expect(zip.entries.size).toBeGreaterThan(5);
      for (const [name, entry] of zip.entries) {
        const text = Buffer.from(await zip.bytes(entry, 10_000_000)).toString('latin1');
        for (const one of secret) expect(text.includes(one), name).toBe(false);
      }
    });
  await porchlight.stop();

  for (const accept of [[], ['secrets.phonePush', 'secrets.ntfy']]) {
    const otherDir = await newFolder();
    const other = await startPorchlight({ dataDir: otherDir });
    const { changes } = await other.call('data.restore', { path: sealed, passphrase });
    expect(changes).toEqual(
      expect.arrayContaining([
        { setting: 'secrets.phonePush', here: false, there: true },
        { setting: 'secrets.ntfy', here: false, there: true },
      ]),
    );
    await other.call('data.applyRestore', { accept });
    await other.stop();
    const again = await startPorchlight({ dataDir: otherDir });
    onTestFinished(() => again.stop());
    const stored = await readFile(path.join(otherDir, 'secrets.json'), 'utf8');
    for (const one of secret) expect(stored.includes(one)).toBe(accept.length > 0);
  }
}, 540_000);
