import { join } from 'node:path';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { storedGrants } from '../support/stored-grants.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { limitOf } from '../support/patience.ts';

const patience = { timeout: 75_000, interval: 200 };

/** The built program on a disk of its own, with a token of an app. */
async function houseOnSmallDisk(context: TestContext) {
  const disk = await mountSmallDisk(context, '48m');
  onTestFinished(() => disk.remove());
  const dataDir = join(disk.dir, 'data');
  const house = await started(dataDir);
  const { id, token } = await house.call('apps.issueToken', { label: 'Pen', scopes: ['create'] });
  return { disk, dataDir, house, id, token };
}

async function started(dataDir: string): Promise<HeadlessProcess> {
  const house = await startHeadless({ dataDir, args: ['--me', 'https://owner.example/'] });
  onTestFinished(async () => void (await house.stop('SIGKILL')));
  return house;
}

const counts = async ({ ready }: HeadlessProcess, token: string) =>
  (await fetch(`${ready.baseUrl}/token`, { headers: { authorization: `Bearer ${token}` } })).status === 200;

const problems = async (house: HeadlessProcess) =>
  (await house.call('status.get', {})).problems.map(({ code }) => code);

async function revokedAt(dataDir: string, id: string): Promise<unknown> {
  return (await storedGrants(dataDir)).find((grant) => grant.id === id)?.revokedAt;
}

test('a revocation on a full disk applies at once, is saved once there is room, and outlives a restart', async (context) => {
  const { disk, dataDir, house, id, token } = await houseOnSmallDisk(context);
  expect(await counts(house, token)).toBe(true);
  await disk.fill();
  expect(await house.call('apps.revoke', { id })).toEqual({ id, saved: false });
  expect(await counts(house, token)).toBe(false);
  expect(await revokedAt(dataDir, id)).toBeNull();
  expect(await problems(house)).toContain('not_saved');

  await disk.free();
  await expect.poll(() => revokedAt(dataDir, id), patience).toEqual(expect.any(Number));
  await expect.poll(() => problems(house), patience).toEqual([]);
  // Even a kill loses nothing now.
  await house.stop('SIGKILL');
  expect(await counts(await started(dataDir), token)).toBe(false);
});

test('an end in order on a disk that is still full ends in time, and says what is lost', async (context) => {
  const { disk, dataDir, house, id, token } = await houseOnSmallDisk(context);
  await disk.fill();
  await house.call('apps.revoke', { id });
  const before = Date.now();
  expect(await house.stop('SIGTERM')).toBe(0);
  expect(Date.now() - before).toBeLessThan(limitOf(5000));
  expect(house.log()).toContain('Porchlight could not save this before it ended: Pen is signed out.');
  expect(house.log()).toContain('The reason: the disk is full.');

  await disk.free();
  const again = await started(dataDir);
  expect(await counts(again, token)).toBe(true);
  // With room, the end itself saves what was not saved before.
  await disk.fill();
  expect(await again.call('apps.revoke', { id })).toEqual({ id, saved: false });
  await disk.free();
  expect(await again.stop('SIGTERM')).toBe(0);
  expect(again.log()).not.toContain('could not save');
  expect(await revokedAt(dataDir, id)).toEqual(expect.any(Number));
});

test('a kill before a revocation is saved loses the revocation', async (context) => {
  const { disk, dataDir, house, id, token } = await houseOnSmallDisk(context);
  await disk.fill();
  expect(await house.call('apps.revoke', { id })).toEqual({ id, saved: false });
  await house.stop('SIGKILL');
  await disk.free();
  const again = await started(dataDir);
  expect(await counts(again, token)).toBe(true);
  expect((await again.call('apps.list', {})).map((app) => app.id)).toEqual([id]);
});
