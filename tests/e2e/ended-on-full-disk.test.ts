import { join } from 'node:path';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { openSite, page } from '../support/client-app.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { storedGrants } from '../support/stored-grants.ts';
import { fillBeyondReserve, mountSmallDisk, reserveSize } from '../support/small-disk.ts';
import { limitOf } from '../support/patience.ts';

const patience = { timeout: 75_000, interval: 200 };

/** The built program on a disk of its own, with a token of an app. */
async function houseOnSmallDisk(context: TestContext) {
  const disk = await mountSmallDisk(context, '48m');
  onTestFinished(() => disk.remove());
  const dataDir = join(disk.dir, 'data');
  const house = await started(dataDir);
  await expect.poll(() => reserveSize(dataDir), patience).toBeGreaterThan(0);
  const { id, token } = await house.call('apps.issueToken', { label: 'Pen', scopes: ['create'] });
  return { disk, dataDir, house, id, token };
}

async function started(dataDir: string): Promise<HeadlessProcess> {
  const house = await startHeadless({
    dataDir,
    args: ['--me', 'https://owner.example/', '--allow-private-fetch'],
  });
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

test('what ends on a full disk is on disk when it is answered, and outlives a kill', async (context) => {
  const { disk, dataDir, house, id, token } = await houseOnSmallDisk(context);
  const { url } = await house.call('posts.create', {
    text: 'Hello',
    status: 'published',
    visibility: 'public',
    categories: [],
    photos: [],
  });
  const { url: kept } = await house.call('posts.create', {
    text: 'It stays',
    status: 'published',
    visibility: 'public',
    categories: [],
    photos: [],
  });
  const file = await house.call('media.upload', {
    name: 'a.txt',
    data: Buffer.from('some text').toString('base64'),
  });
  const site = await openSite();
  onTestFinished(() => site.close());
  const words = `<a class="u-in-reply-to" href="${kept}">to</a> <p class="e-content">A reply</p>`;
  site.pages.set('/reply', page(`<div class="h-entry">${words}</div>`));
  const source = `${site.origin}/reply`;
  const sent = new URLSearchParams({ source, target: kept });
  expect((await fetch(`${house.ready.baseUrl}/webmention`, { method: 'POST', body: sent })).status).toBe(201);
  await house.call('webmentions.process', {});
  const [mention] = (await house.call('webmentions.list', {})).items;
  await disk.fill();

  expect(await house.call('apps.revoke', { id })).toEqual({ id, saved: true });
  expect(await house.call('webmentions.blockDomain', { domain: 'spam.example' })).toEqual(['spam.example']);
  await house.call('webmentions.setStatus', { id: mention?.id ?? '', status: 'hidden' });
  await house.call('media.delete', { url: file.url });
  await house.call('posts.delete', { url });
  await expect(house.call('posts.undelete', { url })).rejects.toThrow('The disk is full');
  await house.stop('SIGKILL');
  await disk.free();

  const again = await started(dataDir);
  const at = (address: string) => fetch(again.ready.baseUrl + new URL(address).pathname);
  expect(await counts(again, token)).toBe(false);
  expect(await again.call('webmentions.blockedDomains', {})).toEqual(['spam.example']);
  expect([(await at(url)).status, (await at(file.url)).status]).toEqual([410, 410]);
  expect(await (await at(kept)).text()).not.toContain('A reply');
  // The reserve is there again, too.
  await expect.poll(() => reserveSize(dataDir), patience).toBeGreaterThan(0);
  await again.call('posts.undelete', { url: new URL(new URL(url).pathname, again.ready.baseUrl).href });
});

test('an end in order after the reserve is used up ends in time, and says which revocation is lost', async (context) => {
  const { disk, dataDir, house, id, token } = await houseOnSmallDisk(context);
  await fillBeyondReserve(disk, dataDir, house);
  expect(await house.call('apps.revoke', { id })).toEqual({ id, saved: false });
  expect(await counts(house, token)).toBe(false);
  expect(await problems(house)).toContain('not_saved');
  const before = Date.now();
  expect(await house.stop('SIGTERM')).toBe(0);
  expect(Date.now() - before).toBeLessThan(limitOf(5000));
  expect(house.log()).toContain('Porchlight could not save this before it ended: Pen is signed out.');
  expect(house.log()).toContain('The reason: the disk is full.');

  await disk.free();
  const again = await started(dataDir);
  expect(await counts(again, token)).toBe(true);
  await expect.poll(() => reserveSize(dataDir), patience).toBeGreaterThan(0);
  // With room, the end itself saves what was not saved before.
  await fillBeyondReserve(disk, dataDir, again);
  expect(await again.call('apps.revoke', { id })).toEqual({ id, saved: false });
  await disk.free();
  await again.stop('SIGTERM');
  expect(again.log()).not.toContain('could not save');
  expect(await revokedAt(dataDir, id)).toEqual(expect.any(Number));
});
