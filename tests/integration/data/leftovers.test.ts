import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPorchlight } from '../../support/porchlight.ts';

/** A server beside whose folder twelve restores left what was there before. */
async function afterTwelveRestores() {
  const home = await mkdtemp(path.join(tmpdir(), 'porchlight-leftovers-'));
  const dataDir = path.join(home, 'data');
  const days = Array.from({ length: 12 }, (_, at) => String(at + 1).padStart(2, '0'));
  for (const day of days) {
    const folder = path.join(home, `data.before-restore-2026-11-${day}T10-00-00`);
    await mkdir(path.join(folder, 'posts'), { recursive: true });
    await writeFile(path.join(folder, 'posts', 'one.json'), 'x'.repeat(1000));
  }
  await mkdir(path.join(home, 'data.before-restore-notes-of-mine'));
  const porchlight = await startPorchlight({ dataDir });
  onTestFinished(async () => {
    await porchlight.stop();
    await rm(home, { recursive: true, force: true });
  });
  return { home, porchlight };
}

const newest = 'data.before-restore-2026-11-12T10-00-00';
const second = 'data.before-restore-2026-11-11T10-00-00';

test('of the data that restores replaced, a start keeps the newest two, and touches nothing else', async () => {
  const { home } = await afterTwelveRestores();
  const left = async () => (await readdir(home)).filter((name) => name.includes('.before-restore-')).sort();
  await expect.poll(left, { timeout: 60_000 }).toEqual([second, newest, 'data.before-restore-notes-of-mine']);
});

test('the owner sees leftover files with their size, and deletes them by name', async () => {
  const { home, porchlight } = await afterTwelveRestores();
  await expect.poll(() => porchlight.call('data.leftovers', {}), { timeout: 60_000 }).toHaveLength(2);
  expect(await porchlight.call('data.leftovers', {})).toEqual([
    { name: newest, path: path.join(home, newest), replacedAt: '2026-11-12T10:00:00.000Z', bytes: 1000 },
    { name: second, path: path.join(home, second), replacedAt: '2026-11-11T10:00:00.000Z', bytes: 1000 },
  ]);
  await porchlight.call('data.deleteLeftover', { name: newest });
  expect((await porchlight.call('data.leftovers', {})).map(({ name }) => name)).toEqual([second]);
  expect(await readdir(home)).not.toContain(newest);
});

test.each(['data', '../data', 'data.before-restore-notes-of-mine', '', newest.replace('12T', '30T')])(
  'nothing else can be deleted by that: %s',
  async (name) => {
    const { home, porchlight } = await afterTwelveRestores();
    await expect(porchlight.call('data.deleteLeftover', { name })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await readdir(home)).toEqual(
      expect.arrayContaining(['data', 'data.before-restore-notes-of-mine']),
    );
  },
);
