import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newPasskey, tell } from '../../support/passkey.ts';
import { openVisitor } from '../../support/scene.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const base = 'https://ada.example';
const setting = 'phones.paired';

async function start(baseUrl: string, dataDir?: string): Promise<Porchlight> {
  const porchlight = await startPorchlight({ baseUrl, ...(dataDir !== undefined && { dataDir }) });
  onTestFinished(() => porchlight.remove());
  await porchlight.call('settings.update', { phones: { on: true } });
  return porchlight;
}

/** Restores a backup at `baseUrl`, and starts again. */
async function restored(path: string, baseUrl: string, accept: string[]): Promise<Porchlight> {
  const before = await start(baseUrl);
  const { changes } = await before.call('data.restore', { path });
  expect(changes).toContainEqual({ setting, here: [], there: ['My phone'] });
  await before.call('data.applyRestore', { accept });
  await before.stop();
  return start(baseUrl, before.dataDir);
}

test('a phone of a backup counts only if ticked, and only at its own host', async () => {
  const first = await start(base);
  const { port } = await first.call('status.get', {});
  const { id, url } = await first.call('phones.pair', {});
  const phone = openVisitor(`http://127.0.0.1:${port ?? 0}`, '203.0.113.1');
  const passkey = newPasskey(base).create(url.split('#pair=')[1] ?? '');
  expect((await tell(phone, 'pair', { name: 'My phone', passkey })).status).toBe(200);
  await first.call('phones.confirm', { id });
  const path = join(await temporaryFolder(), 'backup.zip');
  await first.call('data.backup', { path });

  const unticked = await restored(path, base, []);
  expect(await unticked.call('phones.list', {})).toEqual([]);
  const elsewhere = await restored(path, 'https://other.example', [setting]);
  expect(await elsewhere.call('phones.list', {})).toMatchObject([{ name: 'My phone', usable: false }]);
  const same = await restored(path, base, [setting]);
  expect(await same.call('phones.list', {})).toMatchObject([{ name: 'My phone', usable: true }]);
  // A restored phone has to use its passkey before anything is shown.
  const now = await same.call('status.get', {});
  const cookie = `__Host-porchlight-phone=${phone.cookies.get('__Host-porchlight-phone') ?? ''}`;
  const look = await fetch(`http://127.0.0.1:${now.port ?? 0}/phone/waiting`, { headers: { cookie } });
  expect(look.status).toBe(401);
});
