import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { counts, expectError, introspect, withToken } from '../../support/answers.ts';
import { page } from '../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { openScene } from '../../support/scene.ts';
import { post } from '../../support/sign-in.ts';
import { storedGrants } from '../../support/stored-grants.ts';
import { fillBeyondReserve, mountSmallDisk, reserveSize } from '../../support/small-disk.ts';

const patience = { timeout: 75_000, interval: 200 };

/** A server on a disk of its own, with an app that may sign in. */
async function sceneOnSmallDisk(context: TestContext) {
  const disk = await mountSmallDisk(context, '32m');
  onTestFinished(() => disk.remove());
  const scene = await openScene({ dataDir: join(disk.dir, 'data') });
  onTestFinished(() => scene.app.close());
  onTestFinished(() => scene.porchlight.stop());
  const house = scene.porchlight;
  await hasReserve(house);
  return { disk, scene, house };
}

/** Resolves once the reserve is there. */
const hasReserve = ({ dataDir }: Porchlight) =>
  expect.poll(() => reserveSize(dataDir), patience).toBe(4 * 1024 * 1024);

const problems = async (house: Porchlight) => (await house.call('status.get', {})).problems;
const codes = async (house: Porchlight) => (await problems(house)).map(({ code }) => code);

/** Resolves once there is nothing left to tell the owner. */
const allWell = (house: Porchlight) => expect.poll(() => codes(house), patience).toEqual([]);

/** Ends the server and starts it again in the same folder. */
async function restarted(house: Porchlight): Promise<Porchlight> {
  await house.stop();
  const again = await startPorchlight({ dataDir: house.dataDir });
  onTestFinished(() => again.stop());
  return again;
}

/** What the owner reads when something that isn't access can't be ended now. */
const refused = (code: string) => ({
  code,
  message: expect.stringContaining('turn Porchlight off') as string,
});

const revokedIn = async ({ dataDir }: Porchlight, id: string): Promise<unknown> =>
  (await storedGrants(dataDir)).find((grant) => grant.id === id)?.revokedAt;

const write = (house: Porchlight, text = 'Hello') =>
  house.call('posts.create', {
    text,
    status: 'published',
    visibility: 'public',
    categories: [],
    photos: [],
  });

const micropub = ({ base }: Porchlight, token: string, body: unknown) =>
  fetch(`${base}/micropub`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const statusOf = async (url: string) => (await fetch(url)).status;
const textAt = async (url: string) => (await fetch(url)).text();
const someText = Buffer.from('some text').toString('base64');

test('an app that is signed out on a full disk has no access, and this is on disk', async (context) => {
  const { disk, scene, house } = await sceneOnSmallDisk(context);
  const tokens = await scene.tokens(scene.request({ scope: 'profile create update' }));
  const [app] = await house.call('apps.list', {});
  const { token: other } = await house.call('apps.issueToken', { label: 'Pen', scopes: ['create'] });
  await disk.fill();

  expect(await house.call('apps.revoke', { id: app?.id ?? '' })).toEqual({ id: app?.id, saved: true });
  expect(await revokedIn(house, app?.id ?? '')).toEqual(expect.any(Number));
  expect(await counts(house, tokens.access_token)).toBe(false);
  expect(await introspect(house, tokens.access_token, other)).toEqual({ active: false });
  for (const address of ['/userinfo', '/micropub?q=config'])
    expect((await withToken(house, address, tokens.access_token)).status).toBe(401);
  expect((await house.call('apps.list', {})).map(({ clientName }) => clientName)).toEqual(['Pen']);
  expect(await codes(house)).not.toContain('not_saved');

  await disk.free();
  await allWell(house);
  const again = await restarted(house);
  expect(await counts(again, tokens.access_token)).toBe(false);
  expect(await counts(again, other)).toBe(true);
});

test('POST /revoke answers 200 on a full disk, and a stolen refresh token ends its sign-in', async (context) => {
  const { disk, scene, house } = await sceneOnSmallDisk(context);
  const first = await scene.tokens(scene.request());
  const stolen = await scene.tokens(scene.request());
  const refresh = (token: string) =>
    post(house, '/token', {
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: `${scene.app.origin}/`,
    });
  expect((await refresh(stolen.refresh_token)).status).toBe(200);
  await disk.fill();

  expect((await post(house, '/revoke', { token: first.refresh_token })).status).toBe(200);
  expect(await counts(house, first.access_token)).toBe(false);
  await expectError(await refresh(stolen.refresh_token), 400, 'invalid_grant');
  expect(await counts(house, stolen.access_token)).toBe(false);
  expect(await codes(house)).not.toContain('not_saved');

  await disk.free();
  await allWell(house);
  const again = await restarted(house);
  expect(await counts(again, first.access_token)).toBe(false);
  expect(await counts(again, stolen.access_token)).toBe(false);
});

test('a post that is deleted on a full disk is gone from its page, the lists and the feeds', async (context) => {
  const { disk, house } = await sceneOnSmallDisk(context);
  const kept = await write(house, 'It stays');
  const { url } = await write(house, 'It goes #teatime');
  const pages = ['/', '/feed.atom', '/categories', '/categories/teatime', '/sitemap.xml', '/search?q=goes'];
  // Twice, so that the answers are kept in memory.
  for (const address of [...pages, ...pages]) await textAt(house.base + address);
  await textAt(url);
  await textAt(url);
  await disk.fill();

  expect(await house.call('posts.delete', { url })).toMatchObject({
    url,
    deletedAt: expect.any(String) as string,
  });
  expect(await statusOf(url)).toBe(410);
  for (const address of pages)
    expect(await textAt(house.base + address), address).not.toMatch(/It goes|teatime<|hello-2|it-goes/);
  expect(await textAt(`${house.base}/`)).toContain('It stays');
  expect((await house.call('posts.list', {})).items.map((item) => item.url)).toEqual([kept.url]);
  expect((await house.call('posts.list', { status: 'deleted' })).items.map((item) => item.url)).toEqual([
    url,
  ]);
  await expect(house.call('posts.undelete', { url })).rejects.toMatchObject({ code: 'storage_full' });

  await disk.free();
  await allWell(house);
  const again = await restarted(house);
  expect(await statusOf(again.base + new URL(url).pathname)).toBe(410);
});

test('an app that deletes a post or a file on a full disk gets 204, and 507 for everything else', async (context) => {
  const { disk, house } = await sceneOnSmallDisk(context);
  const { token } = await house.call('apps.issueToken', {
    label: 'Pen',
    scopes: ['delete', 'create', 'media'],
  });
  const { url } = await write(house);
  const file = await house.call('media.upload', { name: 'a.txt', data: someText });
  await disk.fill();
  expect((await micropub(house, token, { action: 'delete', url })).status).toBe(204);
  expect(await statusOf(url)).toBe(410);
  expect((await micropub(house, token, { action: 'delete', url })).status).toBe(204);
  const deletion = await fetch(`${house.base}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'delete', url: file.url }),
  });
  expect(deletion.status).toBe(204);
  expect(await statusOf(file.url)).toBe(410);
  expect((await house.call('media.list', {})).items).toEqual([]);
  const created = { type: ['h-entry'], properties: { content: ['Hello'] } };
  expect((await micropub(house, token, created)).status).toBe(507);

  await disk.free();
  await allWell(house);
  const again = await restarted(house);
  expect(await statusOf(again.base + new URL(url).pathname)).toBe(410);
  expect(await statusOf(again.base + new URL(file.url).pathname)).toBe(410);
});

test('a mention that is hidden or deleted on a full disk is gone from the page and from the reading API', async (context) => {
  const { disk, scene, house } = await sceneOnSmallDisk(context);
  const { url } = await write(house);
  for (const name of ['one', 'two', 'three']) {
    const words = `<a class="u-in-reply-to" href="${url}">to</a> <p class="e-content">Reply ${name}</p>`;
    scene.app.pages.set(`/${name}`, page(`<div class="h-entry">${words}</div>`));
    await post(house, '/webmention', { source: `${scene.app.origin}/${name}`, target: url });
  }
  await house.call('webmentions.process', {});
  const list = (status?: 'approved' | 'hidden' | 'deleted') =>
    house.call('webmentions.list', { ...(status && { status }) });
  const ids = new Map((await list()).items.map(({ id, source }) => [source.split('/').at(-1), id]));
  const [one = '', two = '', three = ''] = ['one', 'two', 'three'].map((name) => ids.get(name));
  const reading = `${house.base}/api/mentions.jf2?target=${encodeURIComponent(url)}`;
  for (const address of [url, reading, url, reading]) expect(await textAt(address)).toContain('Reply one');
  const { token } = await house.call('secrets.managementToken', {});
  await disk.fill();

  const decided = await house.call('webmentions.decide', { ids: [one], decision: 'hidden' });
  expect(decided).toMatchObject({ changed: [{ id: one, status: 'hidden' }], refused: 0 });
  const removal = new URLSearchParams({ source: `${scene.app.origin}/two`, target: url, token });
  const removed = await fetch(`${house.base}/webmention?${removal.toString()}`, { method: 'DELETE' });
  expect([removed.status, await removed.json()]).toMatchObject([200, { id: two, status: 'deleted' }]);
  expect(await house.call('webmentions.delete', { id: three })).toMatchObject({ status: 'deleted' });
  for (const address of [url, reading]) expect(await textAt(address)).not.toMatch(/Reply (one|two|three)/);
  expect((await list('approved')).items).toEqual([]);
  expect((await list('hidden')).items.map(({ id }) => id)).toEqual([one]);
  // Showing a mention ends nothing.
  for (const undoing of [
    house.call('webmentions.restore', { id: three }),
    house.call('webmentions.undo', { id: decided.undo ?? '' }),
  ])
    await expect(undoing).rejects.toMatchObject({ code: 'storage_full' });

  await disk.free();
  await allWell(house);
  const again = await restarted(house);
  expect(await textAt(again.base + new URL(url).pathname)).not.toMatch(/Reply (one|two|three)/);
  const deleted = await again.call('webmentions.list', { status: 'deleted' });
  expect(deleted.items.map(({ id }) => id).sort()).toEqual([two, three].sort());
});

test('a site that is blocked on a full disk is refused, and the management token can be replaced', async (context) => {
  const { disk, house } = await sceneOnSmallDisk(context);
  const { url } = await write(house);
  const { token: before } = await house.call('secrets.managementToken', {});
  const opens = async (token: string, { base } = house) =>
    (await fetch(`${base}/webmentions?token=${token}`)).status === 200;
  await disk.fill();
  expect(await house.call('webmentions.blockDomain', { domain: 'spam.example' })).toEqual(['spam.example']);
  const source = 'https://www.spam.example/reply';
  expect((await post(house, '/webmention', { source, target: url })).status).toBe(400);
  const { token, saved } = await house.call('secrets.rotateManagementToken', {});
  expect([saved, await opens(before), await opens(token)]).toEqual([true, false, true]);

  await disk.free();
  await allWell(house);
  const again = await restarted(house);
  expect(await again.call('webmentions.blockedDomains', {})).toEqual(['spam.example']);
  expect([await opens(before, again), await opens(token, again)]).toEqual([false, true]);
});

test('the room of the reserve is for endings only, until the reserve is restored', async (context) => {
  const { disk, house } = await sceneOnSmallDisk(context);
  const { url } = await write(house);
  await disk.fill();
  await house.call('webmentions.blockDomain', { domain: 'spam.example' });
  // There are almost 4 MB left, but nothing else may use them.
  const others = {
    post: () => write(house),
    'edit of a post': () => house.call('posts.update', { url, text: 'Changed' }),
    setting: () => house.call('settings.update', { profile: { name: 'Ada' } }),
    file: () => house.call('media.upload', { name: 'a.txt', data: someText }),
    token: () => house.call('apps.issueToken', { label: 'Pen', scopes: ['create'] }),
    unblocking: () => house.call('webmentions.unblockDomain', { domain: 'spam.example' }),
    secret: () => house.call('secrets.setAggregatorToken', { token: 'secret' }),
  };
  for (const [what, change] of Object.entries(others))
    await expect(change(), what).rejects.toMatchObject({ code: 'storage_full' });
  const source = 'https://friend.example/reply';
  expect((await post(house, '/webmention', { source, target: url })).status).toBe(507);
  expect(await codes(house)).toEqual(['storage_full']);
  await house.call('webmentions.blockDomain', { domain: 'more.example' });

  await disk.free();
  await hasReserve(house);
  await allWell(house);
  for (const change of Object.values(others)) await change();
});

test('a restart while the reserve is given back refuses the same, until there is room', async (context) => {
  const { disk, house } = await sceneOnSmallDisk(context);
  await disk.fill();
  await house.call('webmentions.blockDomain', { domain: 'spam.example' });
  await house.stop();
  await disk.free();
  // Too little room for the reserve, but not for a post.
  await disk.fill(6 * 1024 * 1024);
  const again = await startPorchlight({ dataDir: house.dataDir, me: undefined });
  onTestFinished(() => again.stop());
  await expect(write(again)).rejects.toMatchObject({ code: 'storage_full' });
  expect(await codes(again)).toEqual(['storage_full']);
  await disk.free();
  await allWell(again);
  await write(again);
});

test('on a disk that is full up to the reserve, access ends in memory, and everything else is refused', async (context) => {
  const { disk, house } = await sceneOnSmallDisk(context);
  const { url } = await write(house);
  const { id, token } = await house.call('apps.issueToken', { label: 'Pen', scopes: ['create'] });
  const file = await house.call('media.upload', { name: 'a.txt', data: someText });
  await fillBeyondReserve(disk, house.dataDir, house);

  expect(await house.call('apps.revoke', { id })).toEqual({ id, saved: false });
  expect(await counts(house, token)).toBe(false);
  const [unsaved] = (await problems(house)).filter(({ code }) => code === 'not_saved');
  expect(unsaved?.message).toContain('Not saved yet: the disk is full. Pen is signed out.');
  const full = refused('storage_full');
  await expect(house.call('webmentions.blockDomain', { domain: 'more.example' })).rejects.toMatchObject(full);
  await expect(house.call('posts.delete', { url })).rejects.toMatchObject(full);
  await expect(house.call('media.delete', { url: file.url })).rejects.toMatchObject(full);
  expect(await statusOf(url)).toBe(200);
  expect(await statusOf(file.url)).toBe(200);

  await disk.free();
  await expect.poll(() => revokedIn(house, id), patience).toEqual(expect.any(Number));
  await allWell(house);
  expect(await house.call('posts.delete', { url })).toMatchObject({
    deletedAt: expect.any(String) as string,
  });
  const again = await restarted(house);
  expect(await counts(again, token)).toBe(false);
});

test('on a disk that becomes read-only, a deletion is saved in the open database, and the management token changes in memory', async (context) => {
  const { disk, house } = await sceneOnSmallDisk(context);
  const { url } = await write(house);
  const { token: before } = await house.call('secrets.managementToken', {});
  const opens = async (token: string) => (await fetch(`${house.base}/webmentions?token=${token}`)).status;
  await disk.setWritable(false);
  // The file that was opened before can still be written to.
  await house.call('posts.delete', { url });
  expect(await statusOf(url)).toBe(410);
  const { token, saved } = await house.call('secrets.rotateManagementToken', {});
  expect([saved, await opens(before), await opens(token)]).toEqual([false, 403, 200]);
  const [unsaved] = (await problems(house)).filter(({ code }) => code === 'not_saved');
  expect(unsaved?.message).toContain(
    'the data folder can’t be written to. the management token is replaced.',
  );

  await disk.setWritable(true);
  await expect.poll(() => codes(house), patience).not.toContain('not_saved');
  const again = await restarted(house);
  expect(await again.call('secrets.managementToken', {})).toEqual({ token });
  expect(await statusOf(again.base + new URL(url).pathname)).toBe(410);
});

test('while the data folder is gone, access ends in memory, and everything else is refused', async (context) => {
  const { house } = await sceneOnSmallDisk(context);
  const { id, token } = await house.call('apps.issueToken', { label: 'Pen', scopes: ['create'] });
  const { url } = await write(house);
  const away = `${house.dataDir}-away`;
  await rename(house.dataDir, away);
  expect(await house.call('apps.revoke', { id })).toEqual({ id, saved: false });
  const gone = refused('storage_gone');
  await expect(house.call('webmentions.blockDomain', { domain: 'spam.example' })).rejects.toMatchObject(gone);
  await expect(house.call('posts.delete', { url })).rejects.toMatchObject({ code: 'storage_gone' });
  expect(await codes(house)).toContain('not_saved');

  await rename(away, house.dataDir);
  expect(await counts(house, token)).toBe(false);
  await expect.poll(() => revokedIn(house, id), patience).toEqual(expect.any(Number));
  await allWell(house);
});

test('with room, an ending is saved when it is answered', async (context) => {
  const { house } = await sceneOnSmallDisk(context);
  const { id } = await house.call('apps.issueToken', { label: 'Pen', scopes: ['create'] });
  expect(await house.call('apps.revoke', { id })).toEqual({ id, saved: true });
  expect(await revokedIn(house, id)).toEqual(expect.any(Number));
  expect(await house.call('secrets.rotateManagementToken', {})).toMatchObject({ saved: true });
  await hasReserve(house);
  expect(await codes(house)).toEqual([]);
});
