import { expect, onTestFinished, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { inside } from '../../support/copied-site.ts';
import { addressOf, copiesScene } from '../../support/copies-scene.ts';
import { drawing } from '../../support/picture-samples.ts';

vi.mock('../../../src-main/http/app.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberApp(original),
);
vi.mock('../../../src-main/http/kept-answers.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberVersions(original),
);
vi.mock('../../../src-main/posts/stored-posts.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberPosts(original),
);

// Each test waits for many small steps, which take long on a busy computer.
vi.setConfig({ testTimeout: 540_000 });

const scene = copiesScene();

test('a list that can’t be stored without a deleted post is removed with it', async () => {
  const url = await scene.create({ content: ['Teapot'], category: ['tea'] });
  await scene.create({ content: ['Lamp'] });
  await scene.open();
  await scene.settled();
  scene.mailbox.fails = (name) => name === 'store';
  await scene.act('delete', url);
  expect(
    [...scene.mailbox.copies.values()].filter(({ body }) => Buffer.from(body).includes('Teapot')),
  ).toEqual([]);
  expect(scene.mailbox.copies.has('/')).toBe(false);
  expect(scene.copies?.status().toRemove).toBe(0);
  scene.mailbox.fails = () => false;
  scene.copies?.wake();
  await scene.settled();
});

test('a post that becomes private takes the redirects from its earlier addresses along', async () => {
  const first = await scene.create({ content: ['Secret plan'], 'mp-slug': ['first'] });
  const url = await scene.update(first, { 'mp-slug': ['secret-plan'] });
  // After the first look, nothing is sent but the removal itself.
  scene.everyMs = 3_600_000;
  (await scene.open()).wake();
  await scene.settled();
  expect(scene.mailbox.copies.get(addressOf(first))?.headers['location']).toContain('secret-plan');
  await scene.update(url, { visibility: ['private'] });
  expect(scene.mailbox.copies.has(addressOf(first))).toBe(false);
});

test('a removal that is not confirmed is still known after a kill, and is done first', async () => {
  const url = await scene.create({ content: ['Kettle'] });
  await scene.open();
  await scene.settled();
  scene.mailbox.fails = () => true;
  expect((await scene.act('delete', url)).ok).toBe(true);
  expect(scene.copies?.status()).toMatchObject({ toRemove: 1, error: 'The mailbox can’t be reached.' });
  await scene.kill();
  const opened = await scene.open();
  expect(opened.status().toRemove).toBe(1);
  scene.mailbox.fails = () => false;
  const before = scene.mailbox.calls.length;
  opened.wake();
  await scene.settled();
  expect(scene.mailbox.calls.slice(before).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['remove']),
  );
  expect(scene.mailbox.calls.slice(before).filter(({ name }) => name !== 'copies')[0]?.name).toBe('remove');
  expect(scene.mailbox.gone).toContain(addressOf(url));
});

test('after failed attempts of a new run, the owner’s attempt is followed by all that is left', async () => {
  const url = await scene.create({ content: ['Kettle'] });
  await scene.open();
  await scene.settled();
  scene.mailbox.fails = () => true;
  await scene.act('delete', url);
  await scene.kill();
  let attempts = 0;
  scene.mailbox.fails = () => (attempts += 1) > 0;
  const opened = await scene.open();
  for (let failed = 0; failed < 3; failed += 1) {
    const before = attempts;
    opened.wake();
    await vi.waitFor(() => expect(attempts).toBeGreaterThan(before));
    await vi.waitFor(() => expect(opened.status()).toHaveProperty('error'));
  }
  scene.mailbox.fails = () => false;
  opened.wake();
  await scene.settled();
});

test('a mailbox that does not answer delays a deletion by three seconds at most', async () => {
  scene.removalMs = undefined;
  const url = await scene.create({ content: ['Kettle'] });
  const opened = await scene.open();
  await scene.settled();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  scene.mailbox.before = () => released;
  const deleted = await Promise.race([scene.act('delete', url), released]);
  expect(deleted).toBeInstanceOf(Response);
  expect(opened.status().toRemove).toBe(1);
  expect(scene.mailbox.gone.has(addressOf(url))).toBe(false);
  release();
  await scene.settled();
  expect(scene.mailbox.gone).toContain(addressOf(url));
});

test('a mention that is hidden is removed from the copies at once, or stays known until it is', async () => {
  const url = await scene.create({ content: ['Teapot'] });
  await scene.mention(url, 1, '<a href="TARGET">Words that hurt</a>');
  await scene.open();
  await scene.settled();
  const copied = () => Buffer.from(scene.mailbox.copies.get(addressOf(url))?.body ?? '').toString();
  expect(copied()).toContain(`${scene.site.origin}/1`);
  scene.mailbox.fails = () => true;
  await scene.hideMentions();
  await scene.copies?.pageChanged(url, true);
  expect(scene.copies?.status().toRemove).toBe(1);
  await scene.kill();
  const opened = await scene.open();
  expect(opened.status().toRemove).toBe(1);
  scene.mailbox.fails = () => false;
  opened.wake();
  await scene.settled();
  expect(copied()).not.toContain(`${scene.site.origin}/1`);
  expect(copied()).toContain('Teapot');
});

test('a mention that is hidden before the mailbox was reached stays known until it is removed', async () => {
  const url = await scene.create({ content: ['Teapot'] });
  const hidden = await scene.create({ content: ['Secret'], visibility: ['private'] });
  await scene.mention(url, 1, '<a href="TARGET">Words that hurt</a>');
  await scene.open();
  await scene.settled();
  const copied = () => Buffer.from(scene.mailbox.copies.get(addressOf(url))?.body ?? '').toString();
  expect(copied()).toContain(`${scene.site.origin}/1`);
  await scene.close();
  scene.mailbox.fails = () => true;
  const offline = await scene.open();
  await scene.hideMentions();
  for (const page of [url, hidden]) await offline.pageChanged(page, true);
  expect(offline.status().toRemove).toBe(2);
  await scene.kill();
  const opened = await scene.open();
  expect(opened.status().toRemove).toBe(2);
  scene.mailbox.fails = () => false;
  opened.wake();
  await scene.settled();
  expect(copied()).not.toContain(`${scene.site.origin}/1`);
  expect(copied()).toContain('Teapot');
  // The mailbox doesn't learn the address of a private post.
  expect(scene.mailbox.sent()).not.toContain(addressOf(hidden));
});

/** Has the mailbox answer no call. Returns how to interrupt the calls that wait, as a farewell does. */
function hang(): () => void {
  let interrupt: () => void = () => undefined;
  const interrupted = new Promise<void>((_resolve, reject) => {
    interrupt = () => reject(new PorchlightError('cancelled', 'The call was interrupted.', 503));
  });
  interrupted.catch(() => undefined);
  scene.mailbox.before = () => interrupted;
  return () => interrupt();
}

test('quitting is not delayed by a mailbox that doesn’t answer a removal, and the next run removes the post', async () => {
  scene.removalMs = 10;
  const url = await scene.create({ content: ['Kettle'] });
  await scene.open();
  await scene.settled();
  const interrupt = hang();
  await scene.act('delete', url);
  const closing = scene.close();
  scene.mailbox.before = () => new Promise(() => undefined);
  interrupt();
  await closing;
  scene.mailbox.before = () => Promise.resolve();
  const opened = await scene.open();
  expect(opened.status().toRemove).toBe(1);
  opened.wake();
  await scene.settled();
  expect(scene.mailbox.gone).toContain(addressOf(url));
});

test('quitting during a removal removes the post itself, and no list', async () => {
  scene.removalMs = 10;
  const url = await scene.create({ content: ['Kettle'] });
  await scene.create({ content: ['Lamp'] });
  await scene.open();
  await scene.settled();
  const before = [...scene.mailbox.copies.keys()];
  const interrupt = hang();
  await scene.act('delete', url);
  // The public app is closed at the same time, so no page can be made any more.
  const { app } = inside;
  delete inside.app;
  try {
    const closing = scene.close();
    scene.mailbox.before = () => Promise.resolve();
    interrupt();
    await closing;
    const left = before.filter((address) => address !== addressOf(url));
    expect([...scene.mailbox.copies.keys()].sort()).toEqual(left.sort());
  } finally {
    if (app) inside.app = app;
  }
  const opened = await scene.open();
  expect(opened.status().toRemove).toBe(1);
  opened.wake();
  await scene.settled();
  expect(scene.mailbox.gone).toContain(addressOf(url));
});

test('a deleted post is removed from the mailbox before the app is told that it is deleted', async () => {
  const urls = [];
  for (let number = 0; number < 45; number += 1) {
    scene.clock += 1000;
    urls.push(await scene.create({ content: [`Kettle number${number}.`], category: ['tea'] }));
  }
  await scene.open();
  await scene.settled();
  for (const number of [44, 20, 0]) {
    expect((await scene.act('delete', urls[number] ?? '')).ok).toBe(true);
    const address = addressOf(urls[number] ?? '');
    expect(scene.mailbox.gone).toContain(address);
    expect(scene.mailbox.copies.has(address)).toBe(false);
    const showing = [...scene.mailbox.copies.values()].filter(({ body }) =>
      Buffer.from(body).includes(`Kettle number${number}.`),
    );
    expect(showing.map((copy) => copy.address)).toEqual([]);
    expect(scene.mailbox.copies.has('/')).toBe(true);
  }
  await scene.settled();
  await scene.act('undelete', urls[20] ?? '');
  await scene.settled();
  expect(scene.mailbox.gone.has(addressOf(urls[20] ?? ''))).toBe(false);
  await scene.update(urls[20] ?? '', { visibility: ['private'] });
  expect(scene.mailbox.copies.has(addressOf(urls[20] ?? ''))).toBe(false);
  expect(scene.mailbox.gone.has(addressOf(urls[20] ?? ''))).toBe(false);
  await scene.settled();
});

/** Creates a post with a picture. Returns the path of the picture, and how to list the copies that name it. */
async function pictured() {
  const picture = await scene.upload(await drawing().png().toBuffer(), 'image/png', 'tea.png');
  await scene.create({ content: ['Tea'], photo: [picture], category: ['tea'] });
  const path = addressOf(picture);
  const naming = () =>
    [...scene.mailbox.copies.values()]
      .filter(({ body }) => Buffer.from(body).includes(path))
      .map(({ address }) => address);
  /** Returns the copies that name the picture now, although the server's own pages no longer do. */
  async function outdated(): Promise<string[]> {
    const named = naming();
    const found = await scene.found();
    return named.filter((address) => !Buffer.from(found.get(address)?.body ?? '').includes(path));
  }
  return { path, naming, outdated };
}

/**
 * Calls `arrange` with a function whose promise stays pending the first time it is called. Resolves after that call,
 * with the function that ends it.
 */
function holdOnce(arrange: (hold: () => Promise<void>) => void): Promise<() => void> {
  return new Promise((reached) => {
    let isHeld = false;
    arrange(() => {
      if (isHeld) return Promise.resolve();
      isHeld = true;
      return new Promise((release) => {
        onTestFinished(() => release());
        reached(release);
      });
    });
  });
}

test('a deleted picture is removed with every page and feed that names it, before its owner is told', async () => {
  const { path, naming, outdated } = await pictured();
  await scene.create({ content: ['Water'], category: ['water'] });
  await scene.open();
  await scene.settled();
  expect(naming()).toEqual(
    expect.arrayContaining([
      '/',
      '/feed.atom',
      '/feed.rss',
      '/feed.json',
      '/kinds/photo',
      '/kinds/photo/feed.json',
      '/categories/tea',
      '/categories/tea/feed.atom',
      '/categories/tea/feed.rss',
    ]),
  );
  await scene.deleteFile(path);
  expect(await outdated()).toEqual([]);
  await scene.settled();
});

test('a picture that is deleted while the pages are being compared is removed from those that were compared already', async () => {
  const { path, naming, outdated } = await pictured();
  await scene.open();
  await scene.settled();
  // The comparison that follows the deletion has made the first pages again, and has not sent them yet.
  const comparing = holdOnce((hold) => {
    scene.made = (address) => (address === '/feed.rss' ? hold() : Promise.resolve());
  });
  await scene.deleteFileHere(path);
  scene.copies?.everythingChanged(); // a comparison begins at once
  const goOn = await comparing;
  expect(naming()).toEqual(expect.arrayContaining(['/', '/feed.atom', '/feed.rss']));
  const deleting = scene.fileDeleted(path);
  await expect.poll(() => scene.mailbox.copies.has(path)).toBe(false);
  goOn();
  await deleting;
  expect(await outdated()).toEqual([]);
  await scene.settled();
});

test('a picture that is deleted while a page with it is on its way to the mailbox is removed from that page', async () => {
  await scene.open();
  await scene.settled();
  const sending = holdOnce((hold) => {
    scene.mailbox.before = (name) => (name === 'store' ? hold() : Promise.resolve());
  });
  const { path, naming, outdated } = await pictured();
  const goOn = await sending;
  expect(naming()).toEqual([]);
  const deleting = scene.deleteFile(path);
  goOn();
  await deleting;
  expect(await outdated()).toEqual([]);
  await scene.settled();
});

test('a picture that is deleted before this run has compared its pages stays known until no page names it', async () => {
  const { path, naming, outdated } = await pictured();
  await scene.open();
  await scene.settled();
  await scene.close();
  const comparing = holdOnce((hold) => {
    scene.made = (address) => (address === '/' ? hold() : Promise.resolve());
  });
  const opened = await scene.open();
  const goOn = await comparing;
  scene.removalMs = undefined;
  await scene.deleteFile(path);
  expect(scene.mailbox.copies.has(path)).toBe(false);
  expect(naming()).toContain('/');
  expect(opened.status().toRemove).toBe(1);
  goOn();
  await expect.poll(() => opened.status().toRemove, { timeout: 180_000, interval: 1 }).toBe(0);
  expect(await outdated()).toEqual([]);
  await scene.settled();
});
