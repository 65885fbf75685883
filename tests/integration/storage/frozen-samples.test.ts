import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Porchlight, startPorchlight } from '../../support/porchlight.ts';

/**
 * A data folder and a backup that version 1.0 wrote. Every 1.x reads them (docs/formats.md), so never change these files:
 * a change of a format needs a migration.
 */
const samples = join(import.meta.dirname, '../../fixtures/1.0');
const passphrase = 'a lantern on the porch';

let folder: string;
let porchlight: Porchlight;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-frozen-'));
});
afterEach(async () => {
  await porchlight.stop();
  await rm(folder, { recursive: true, force: true });
});

async function mustHoldAll(): Promise<void> {
  const { items } = await porchlight.call('posts.list', { limit: 50 });
  const found = items.map(({ path, name, summary, status, visibility }) => ({
    slug: path.split('/').at(-1),
    text: name || summary,
    status,
    visibility,
  }));
  expect(found.toSorted((a, b) => (a.slug ?? '').localeCompare(b.slug ?? ''))).toEqual([
    { slug: 'article', text: 'An article', status: 'published', visibility: 'public' },
    { slug: 'draft', text: 'A draft.', status: 'draft', visibility: 'public' },
    { slug: 'note', text: 'A public note from 1.0.', status: 'published', visibility: 'public' },
    { slug: 'private', text: 'A private note.', status: 'published', visibility: 'private' },
  ]);
  expect((await porchlight.call('status.get', {})).problems).toEqual([]);
}

test('the data folder of 1.0 is read whole, with its keys and settings', async () => {
  const dataDir = join(folder, 'data');
  await cp(join(samples, 'data'), dataDir, { recursive: true });
  const { secrets } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as {
    secrets: Record<string, string>;
  };
  porchlight = await startPorchlight({ dataDir });
  await mustHoldAll();
  expect((await porchlight.call('settings.get', {})).desktop.sound).toBe(true);
  const { token } = await porchlight.call('secrets.managementToken', {});
  expect(token).toBe(secrets['management-token']);
});

test('the backup of 1.0 is restored, with its secrets', async () => {
  const dataDir = join(folder, 'data');
  porchlight = await startPorchlight({ dataDir });
  const path = join(samples, 'backup.zip');
  const { secrets, problems } = await porchlight.call('data.restore', { path, passphrase });
  expect({ secrets, problems }).toEqual({ secrets: true, problems: [] });
  await porchlight.call('data.applyRestore', {});
  await porchlight.stop();
  porchlight = await startPorchlight({ dataDir });
  await mustHoldAll();
});
