import { join } from 'node:path';
import { describe, expect, onTestFinished, test, type TestContext } from 'vitest';
import type { Problem } from '../../src-main/contract/status.ts';
import { counts, expectError, introspect, withToken } from '../support/answers.ts';
import { page } from '../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../support/porchlight.ts';
import { openScene } from '../support/scene.ts';
import { post } from '../support/sign-in.ts';
import { storedGrants } from '../support/stored-grants.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';

const patience = { timeout: 75_000, interval: 200 };

/** A server on a disk of its own, with an app that may sign in. */
async function sceneOnSmallDisk(context: TestContext) {
  const disk = await mountSmallDisk(context, '24m');
  onTestFinished(() => disk.remove());
  const scene = await openScene({ dataDir: join(disk.dir, 'data') });
  onTestFinished(() => scene.app.close());
  onTestFinished(() => scene.porchlight.stop());
  return { disk, scene, house: scene.porchlight };
}

/** Two ways in which nothing can be saved: what makes it so, what ends it, and the words for the owner. */
const troubles: [string, (disk: SmallDisk) => Promise<void>, (disk: SmallDisk) => Promise<void>, string][] = [
  ['full', (disk) => disk.fill(), (disk) => disk.free(), 'Not saved yet: the disk is full.'],
  [
    'read-only',
    (disk) => disk.setWritable(false),
    (disk) => disk.setWritable(true),
    'Not saved yet: the data folder can’t be written to.',
  ],
];

const unsaved = async (house: Porchlight): Promise<Problem[]> =>
  (await house.call('status.get', {})).problems.filter(({ code }) => code === 'not_saved');

/** Resolves once nothing is left to save. */
const allSaved = (house: Porchlight) => expect.poll(() => unsaved(house), patience).toEqual([]);

/** Ends the server and starts it again in the same folder. */
async function restarted(house: Porchlight): Promise<Porchlight> {
  await house.stop();
  const again = await startPorchlight({ dataDir: house.dataDir });
  onTestFinished(() => again.stop());
  return again;
}

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

describe.each(troubles)('on a disk that is %s', (_name, fill, free, words) => {
  test('an app that is signed out has no access at once, and this is saved as soon as there is room', async (context) => {
    const { disk, scene, house } = await sceneOnSmallDisk(context);
    const tokens = await scene.tokens(scene.request({ scope: 'profile create update' }));
    const [app] = await house.call('apps.list', {});
    const { token: other } = await house.call('apps.issueToken', { label: 'Pen', scopes: ['create'] });
    await fill(disk);
    // The database is open, and can still be written to after its disk became read-only.
    const saved = fill !== troubles[0]?.[1];

    expect(await house.call('apps.revoke', { id: app?.id ?? '' })).toEqual({ id: app?.id, saved });
    expect(await counts(house, tokens.access_token)).toBe(false);
    expect(await introspect(house, tokens.access_token, other)).toEqual({ active: false });
    for (const address of ['/userinfo', '/micropub?q=config'])
      expect((await withToken(house, address, tokens.access_token)).status).toBe(401);
    const refresh = {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: `${scene.app.origin}/`,
    };
    await expectError(await post(house, '/token', refresh), 400, 'invalid_grant');
    expect((await house.call('apps.list', {})).map(({ clientName }) => clientName)).toEqual(['Pen']);
    const [problem] = await unsaved(house);
    if (saved) expect(problem).toBeUndefined();
    else expect(problem?.message).toMatch(new RegExp(`${words}.*Quill is signed out`));
    // Whoever revokes again is told what is so.
    await expect(house.call('apps.revoke', { id: app?.id ?? '' })).rejects.toMatchObject({
      code: 'not_found',
    });

    await free(disk);
    await allSaved(house);
    expect(await revokedIn(house, app?.id ?? '')).toEqual(expect.any(Number));
    const again = await restarted(house);
    expect(await counts(again, tokens.access_token)).toBe(false);
    expect(await counts(again, other)).toBe(true);
  });

  test('POST /revoke answers 200, and a stolen refresh token ends its sign-in', async (context) => {
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
    await fill(disk);

    expect((await post(house, '/revoke', { token: first.refresh_token })).status).toBe(200);
    expect(await counts(house, first.access_token)).toBe(false);
    expect((await post(house, '/revoke', { token: first.access_token })).status).toBe(200);
    await expectError(await refresh(stolen.refresh_token), 400, 'invalid_grant');
    expect(await counts(house, stolen.access_token)).toBe(false);

    await free(disk);
    await allSaved(house);
    const again = await restarted(house);
    expect(await counts(again, first.access_token)).toBe(false);
    expect(await counts(again, stolen.access_token)).toBe(false);
  });

  test('a deleted post is gone at once, from its page, the lists and the feeds', async (context) => {
    const { disk, house } = await sceneOnSmallDisk(context);
    const kept = await write(house, 'It stays');
    const { url } = await write(house, 'It goes #teatime');
    const pages = ['/', '/feed.atom', '/categories', '/categories/teatime', '/sitemap.xml', '/search?q=goes'];
    // Twice, so that the answers are kept in memory.
    for (const address of [...pages, ...pages]) await textAt(house.base + address);
    await textAt(url);
    await textAt(url);
    await fill(disk);

    expect(await house.call('posts.delete', { url })).toMatchObject({
      url,
      deletedAt: expect.any(String) as string,
      saved: false,
    });
    expect(await statusOf(url)).toBe(410);
    for (const address of pages)
      expect(await textAt(house.base + address), address).not.toMatch(/It goes|teatime<|hello-2|it-goes/);
    expect(await textAt(`${house.base}/`)).toContain('It stays');
    expect((await house.call('posts.list', {})).items.map((item) => item.url)).toEqual([kept.url]);
    expect((await house.call('posts.list', { status: 'deleted' })).items.map((item) => item.url)).toEqual([
      url,
    ]);
    expect((await unsaved(house))[0]?.message).toContain(words);
    await expect(house.call('posts.update', { url, text: 'Back' })).rejects.toMatchObject({
      code: 'invalid_request',
    });

    await free(disk);
    await allSaved(house);
    const again = await restarted(house);
    expect(await statusOf(again.base + new URL(url).pathname)).toBe(410);
  });

  test('an app that deletes a post is told that this is accepted, not that it is stored', async (context) => {
    const { disk, house } = await sceneOnSmallDisk(context);
    const { token } = await house.call('apps.issueToken', { label: 'Pen', scopes: ['delete', 'create'] });
    const { url } = await write(house);
    await fill(disk);
    expect((await micropub(house, token, { action: 'delete', url })).status).toBe(202);
    expect(await statusOf(url)).toBe(410);
    expect((await micropub(house, token, { action: 'delete', url })).status).toBe(202);
    const created = { type: ['h-entry'], properties: { content: ['x'.repeat(60_000)] } };
    expect((await micropub(house, token, created)).status).toBe(507);
    await free(disk);
    await allSaved(house);
    expect((await micropub(house, token, { action: 'delete', url })).status).toBe(204);
    expect(await statusOf((await restarted(house)).base + new URL(url).pathname)).toBe(410);
  });

  test('a deletion that was not saved yet can be undone, and nothing of it comes back', async (context) => {
    const { disk, house } = await sceneOnSmallDisk(context);
    const { url } = await write(house);
    await fill(disk);
    await house.call('posts.delete', { url });
    expect(await house.call('posts.undelete', { url })).toMatchObject({ deletedAt: null });
    expect(await statusOf(url)).toBe(200);
    expect(await unsaved(house)).toEqual([]);
    await free(disk);
    const again = await restarted(house);
    expect(await statusOf(again.base + new URL(url).pathname)).toBe(200);
  });

  test('a deleted file is gone at once', async (context) => {
    const { disk, house } = await sceneOnSmallDisk(context);
    const upload = (name: string) =>
      house.call('media.upload', { name, data: Buffer.from('some text').toString('base64') });
    const [file, other] = [await upload('a.txt'), await upload('b.txt')];
    const { token } = await house.call('apps.issueToken', { label: 'Pen', scopes: ['media', 'delete'] });
    await fill(disk);
    const { saved } = await house.call('media.delete', { url: file.url });
    expect(await statusOf(file.url)).toBe(410);
    const response = await fetch(`${house.base}/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'delete', url: other.url }),
    });
    // A line may still fit into the last block of a journal.
    expect([202, 204]).toContain(response.status);
    expect(saved).toBe((await unsaved(house)).every(({ message }) => !message.includes('a.txt')));
    expect(await statusOf(other.url)).toBe(410);
    expect((await house.call('media.list', {})).items).toEqual([]);

    await free(disk);
    await allSaved(house);
    const again = await restarted(house);
    expect(await statusOf(again.base + new URL(file.url).pathname)).toBe(410);
    expect(await statusOf(again.base + new URL(other.url).pathname)).toBe(410);
  });

  test('a hidden or deleted mention is gone at once, from the page and from the reading API', async (context) => {
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
    await fill(disk);

    const decided = await house.call('webmentions.decide', { ids: [one], decision: 'hidden' });
    expect(decided).toMatchObject({ changed: [{ id: one, status: 'hidden' }], refused: 0 });
    const removal = new URLSearchParams({ source: `${scene.app.origin}/two`, target: url, token });
    const removed = await fetch(`${house.base}/webmention?${removal.toString()}`, { method: 'DELETE' });
    expect([200, 202]).toContain(removed.status);
    expect(await removed.json()).toMatchObject({ id: two, status: 'deleted' });
    expect(await house.call('webmentions.delete', { id: three })).toMatchObject({
      id: three,
      status: 'deleted',
    });
    for (const address of [url, reading]) expect(await textAt(address)).not.toContain('Reply');
    expect((await list('approved')).items).toEqual([]);
    expect((await list('hidden')).items.map(({ id }) => id)).toEqual([one]);
    expect((await list('deleted')).items.map(({ id }) => id).sort()).toEqual([two, three].sort());
    // A file that is open can still be written to after its disk became read-only.
    if (fill === troubles[0]?.[1]) expect((await unsaved(house))[0]?.message).toContain(words);

    // Undoing an ending that is not on disk needs no disk.
    expect(await house.call('webmentions.restore', { id: three })).toMatchObject({ status: 'approved' });
    expect(await textAt(url)).toContain('Reply three');
    expect(await house.call('webmentions.undo', { id: decided.undo ?? '' })).toMatchObject({
      changed: [{ id: one, status: 'approved' }],
    });
    expect(await textAt(url)).toContain('Reply one');
    await house.call('webmentions.decide', { ids: [one], decision: 'hidden' });
    await house.call('webmentions.decide', { ids: [one], decision: 'deleted' });

    await free(disk);
    await allSaved(house);
    const again = await restarted(house);
    const text = await textAt(again.base + new URL(url).pathname);
    expect(text).not.toMatch(/Reply (?:one|two)/);
    const deleted = await again.call('webmentions.list', { status: 'deleted' });
    expect(deleted.items.map(({ id }) => id).sort()).toEqual([one, two].sort());
    expect(await again.call('webmentions.restore', { id: one })).toMatchObject({ status: 'hidden' });
  });

  test('a blocked site is refused at once, and can be unblocked at once', async (context) => {
    const { disk, house } = await sceneOnSmallDisk(context);
    const { url } = await write(house);
    await house.call('webmentions.blockDomain', { domain: 'old.example' });
    const mention = async (host: string) =>
      (await post(house, '/webmention', { source: `https://${host}/reply`, target: url })).status;
    await fill(disk);
    // The database is open, and can still be written to after its disk became read-only.
    const saved = fill !== troubles[0]?.[1];
    for (const domain of ['spam.example', 'other.example'])
      expect(await house.call('webmentions.blockDomain', { domain })).toMatchObject({ saved });
    const blocked = ['old.example', 'other.example', 'spam.example'];
    expect(await house.call('webmentions.blockedDomains', {})).toEqual(blocked);
    expect(await mention('www.spam.example')).toBe(400);
    if (!saved) expect((await unsaved(house))[0]?.message).toContain(words);
    expect(await house.call('webmentions.unblockDomain', { domain: 'other.example' })).toEqual([
      'old.example',
      'spam.example',
    ]);

    await free(disk);
    await allSaved(house);
    const again = await restarted(house);
    expect(await again.call('webmentions.blockedDomains', {})).toEqual(['old.example', 'spam.example']);
  });

  test('a management token that is replaced opens nothing at once', async (context) => {
    const { disk, house } = await sceneOnSmallDisk(context);
    const { token: before } = await house.call('secrets.managementToken', {});
    const opens = async (token: string, { base } = house) =>
      (await fetch(`${base}/webmentions?token=${token}`)).status === 200;
    await fill(disk);
    const { token, saved } = await house.call('secrets.rotateManagementToken', {});
    expect(saved).toBe(false);
    expect([await opens(before), await opens(token)]).toEqual([false, true]);
    expect(await house.call('secrets.managementToken', {})).toEqual({ token });
    await free(disk);
    await allSaved(house);
    const again = await restarted(house);
    expect([await opens(before, again), await opens(token, again)]).toEqual([false, true]);
  });
});

test('with room, every ending is saved when it is answered', async (context) => {
  const { house } = await sceneOnSmallDisk(context);
  const { id } = await house.call('apps.issueToken', { label: 'Pen', scopes: ['create'] });
  const { url } = await write(house);
  expect(await house.call('apps.revoke', { id })).toEqual({ id, saved: true });
  expect(await revokedIn(house, id)).toEqual(expect.any(Number));
  expect(await house.call('posts.delete', { url })).toMatchObject({ saved: true });
  expect(await house.call('webmentions.blockDomain', { domain: 'spam.example' })).toEqual({
    domains: ['spam.example'],
    saved: true,
  });
  expect(await house.call('secrets.rotateManagementToken', {})).toMatchObject({ saved: true });
  expect(await unsaved(house)).toEqual([]);
});
