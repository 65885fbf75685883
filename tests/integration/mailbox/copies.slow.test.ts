import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { mostCopyBytes } from '../../../src-main/platform/mailbox-protocol.ts';
import { addressOf, copiesScene } from '../../support/copies-scene.ts';
import { fakeCopyStore } from '../../support/fake-copy-store.ts';
import { patience } from '../../support/patience.ts';
import { photograph } from '../../support/photograph.ts';
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

test('everything public is copied, and a change is copied soon after it', async () => {
  const url = await scene.create({ content: ['Hello'], category: ['porch'] });
  await scene.create({ content: ['Only for those who know'], visibility: ['unlisted'] });
  await scene.updateSite({ pages: [{ slug: 'now', title: 'Now', text: 'Reading.' }] });
  await scene.open();
  await scene.settled();
  expect([...scene.mailbox.copies.keys()]).toEqual(
    expect.arrayContaining([
      '/',
      '/now',
      '/archive',
      '/categories/porch',
      '/categories/porch/feed.atom',
      '/kinds/note',
      '/posts/2026/',
      '/posts/2026/11/',
      addressOf(url),
      '/feed.json',
      '/sitemap.xml',
      '/robots.txt',
    ]),
  );
  await scene.update(url, { content: ['Good evening'] });
  await scene.settled();
  expect(String(scene.mailbox.copies.get(addressOf(url))?.body)).not.toContain('Hello');
});

test('a post that becomes private leaves the copies of the posts beside it, which linked to it', async () => {
  // Older than all other posts, so that they are beside each other.
  const first = await scene.create({ content: ['First words'], published: ['2026-11-01T10:00:00Z'] });
  const second = await scene.create({ content: ['Second words'], published: ['2026-11-01T11:00:00Z'] });
  await scene.open();
  await scene.settled();
  const copied = () => String(Buffer.from(scene.mailbox.copies.get(addressOf(first))?.body ?? ''));
  expect(copied()).toContain('Second words');
  await scene.update(second, { visibility: ['private'] });
  await scene.settled();
  expect(copied()).toContain('First words');
  expect(copied()).not.toContain('Second words');
});

test('an edit that was not copied before a kill is copied by the next start', async () => {
  const url = await scene.create({ content: ['My number is 12345'], 'mp-slug': ['number'] });
  // After the first look, nothing is sent by itself.
  scene.everyMs = 3_600_000;
  (await scene.open()).wake();
  await scene.settled();
  await scene.update(url, { content: ['Call me'] });
  await scene.kill();
  const copied = () => String(Buffer.from(scene.mailbox.copies.get(addressOf(url))?.body ?? ''));
  expect(copied()).toContain('12345');
  (await scene.open()).wake();
  await scene.settled();
  expect(copied()).not.toContain('12345');
  expect(copied()).toContain('Call me');
});

test('before a stop, the latest edit is copied, but a mailbox that does not answer delays it only a little', async () => {
  const url = await scene.create({ content: ['Hello'] });
  // After the first look, nothing is sent by itself.
  Object.assign(scene, { everyMs: 3_600_000, flushMs: 10 });
  const opened = await scene.open();
  await opened.flush(); // There is nothing yet that could have changed.
  expect(scene.mailbox.calls).toEqual([]);
  opened.wake();
  await scene.settled();
  await scene.update(url, { content: ['Good evening'] });
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  scene.mailbox.before = () => released;
  await opened.flush();
  expect(opened.status().toCopy).toBeGreaterThan(0);
  release();
  await scene.settled();

  await scene.close();
  scene.flushMs = 60_000;
  const again = await scene.open();
  again.wake();
  await scene.settled();
  await scene.update(url, { content: ['Good night'] });
  await again.flush();
  expect(String(Buffer.from(scene.mailbox.copies.get(addressOf(url))?.body ?? ''))).toContain('Good night');
});

test('a page marks where its note about the copy belongs, and its policy allows the note’s style', async () => {
  const url = await scene.create({ content: ['Hello'] });
  await scene.updateSite({ css: 'h1::after { content: "<body>" }' });
  await scene.open();
  await scene.settled();
  for (const address of ['/', addressOf(url)]) {
    const copy = scene.mailbox.copies.get(address);
    const body = Buffer.from(copy?.body ?? []);
    expect(body.subarray(0, copy?.noteAt ?? 0).toString()).toMatch(/<\/head>\s*<body>$/);
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(body.toString()) ?? [];
    expect(style).toContain('.copy-note {');
    const hash = createHash('sha256').update(style).digest('base64');
    expect(copy?.headers['content-security-policy']).toContain(`style-src 'sha256-${hash}'`);
  }
  expect(scene.mailbox.copies.get('/feed.atom')?.noteAt).toBeNull();
  expect(scene.mailbox.copies.get('/favicon.ico')?.headers).toMatchObject({ 'content-type': 'image/png' });
  for (const { headers } of scene.mailbox.copies.values())
    for (const name of [
      'etag',
      'date',
      'set-cookie',
      'content-encoding',
      'content-length',
      'connection',
      'vary',
    ])
      expect(headers).not.toHaveProperty(name);
});

test('the earlier addresses of posts that moved before there was a mailbox redirect there, too', async () => {
  const first = await scene.create({ content: ['Moved twice'], 'mp-slug': ['one'] });
  const second = await scene.update(first, { 'mp-slug': ['two'] });
  const url = await scene.update(second, { 'mp-slug': ['three'] });
  const hidden = await scene.create({ content: ['Moved and hidden'], 'mp-slug': ['four'] });
  await scene.update(await scene.update(hidden, { 'mp-slug': ['five'] }), { visibility: ['private'] });
  await scene.open();
  await scene.settled();
  for (const old of [first, second])
    expect(scene.mailbox.copies.get(addressOf(old))).toMatchObject({
      status: 301,
      headers: { location: expect.stringContaining(addressOf(url)) as string },
    });
  expect(scene.mailbox.sent()).not.toMatch(/"[^"]*\/(?:four|five)"/);
});

test('nothing is sent twice, not even after a restart', async () => {
  await scene.create({ content: ['Hello'] });
  await scene.open();
  await scene.settled();
  await scene.close();
  const before = scene.mailbox.calls.length;
  const opened = await scene.open();
  await vi.waitFor(() => expect(opened.status()).toMatchObject({ toCopy: 0 }), patience);
  expect(scene.mailbox.calls.slice(before).map(({ name }) => name)).toEqual(['copies']);
});

test('without a mailbox nothing is sent, and a new mailbox gets everything once', async () => {
  const url = await scene.create({ content: ['Hello'] });
  scene.isOn = false;
  const opened = await scene.open();
  await scene.act('delete', url);
  await scene.act('undelete', url);
  expect(scene.mailbox.calls).toEqual([]);
  expect(opened.status()).toEqual({ copies: 0, leftOut: 0, toCopy: 0, toRemove: 0 });
  scene.isOn = true;
  opened.wake();
  await scene.settled();
  const copied = [...scene.mailbox.copies.keys()];
  scene.mailbox.fails = () => true;
  await scene.act('delete', url);
  expect(opened.status().toRemove).toBe(1);
  scene.isOn = false;
  opened.wake();
  await vi.waitFor(
    () => expect(opened.status()).toEqual({ copies: 0, leftOut: 0, toCopy: 0, toRemove: 0 }),
    patience,
  );
  scene.mailbox.fails = () => false;
  scene.mailbox.copies.clear();
  scene.isOn = true;
  await scene.act('undelete', url);
  opened.wake();
  await scene.settled();
  expect([...scene.mailbox.copies.keys()].sort()).toEqual(copied.sort());
});

test('a mailbox that was created again in the same run learns which posts were deleted', async () => {
  const url = await scene.create({ content: ['Hello'] });
  const opened = await scene.open();
  await scene.settled();
  await scene.act('delete', url);
  await scene.settled();
  await vi.waitFor(() => expect(scene.mailbox.gone).toContain(addressOf(url)), patience);
  // A sweep doesn't tell the same mailbox again.
  const before = scene.mailbox.calls.length;
  opened.everythingChanged();
  await vi.waitFor(() => expect(opened.status().toCopy).toBe(0), patience);
  expect(scene.mailbox.calls.slice(before).map(({ name }) => name)).toEqual(['copies']);
  scene.mailbox.copies.clear();
  scene.mailbox.gone.clear();
  opened.everythingChanged({ isNew: true });
  await vi.waitFor(() => expect(scene.mailbox.gone).toContain(addressOf(url)), patience);
  await scene.settled();
});

test('a new mailbox learns which posts were deleted before, but not that private ones were', async () => {
  const [url, secret] = [
    await scene.create({ content: ['Hello'] }),
    await scene.create({ content: ['Never told'], visibility: ['private'] }),
  ];
  await scene.act('delete', url);
  await scene.act('delete', secret);
  await scene.open();
  await scene.settled();
  await vi.waitFor(() => expect(scene.mailbox.gone).toContain(addressOf(url)), patience);
  expect(scene.mailbox.gone.has(addressOf(secret))).toBe(false);
  expect(scene.mailbox.sent()).not.toContain('ever-told');
});

test('the versions of a photo are copied, and are removed with it', async () => {
  const photo = await scene.upload(await photograph(1400, 1050), 'image/jpeg', 'tea.jpg');
  const url = await scene.create({ content: ['Tea'], photo: [photo] });
  // The thread that converts pictures has a low priority.
  await vi.waitFor(async () => expect(await (await fetch(url)).text()).toContain('srcset'), {
    timeout: 360_000,
  });
  await scene.open();
  await scene.settled();
  const path = addressOf(photo);
  const versions = ['480.webp', '960.webp', '1200.jpg'].map((one) => `${path}.${one}`);
  expect([...scene.mailbox.copies.keys()]).toEqual(expect.arrayContaining([path, ...versions]));
  await scene.deleteFile(path);
  // The owner is told only now.
  for (const one of [path, ...versions]) {
    expect(scene.mailbox.copies.has(one)).toBe(false);
    expect(scene.mailbox.gone).toContain(one);
  }
  await scene.settled();
});

test('pictures are copied while a page shows them, up to the size of a copy', async () => {
  const bytes = await drawing().png().toBuffer();
  scene.site.pages.set(
    '/tea.png',
    (_request, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
  );
  const url = await scene.create({ content: ['Tea'], photo: [`${scene.site.origin}/tea.png`] });
  await scene.open();
  const shown = () => [...scene.mailbox.copies.keys()].filter((address) => address.startsWith('/media/'));
  await vi.waitFor(() => expect(shown()).toHaveLength(1), patience);
  await scene.settled();
  await scene.update(url, { photo: [], content: ['No picture any more'] });
  await scene.settled();
  expect(shown()).toEqual([]);
  await scene.update(url, { photo: [`${scene.site.origin}/tea.png`] });
  await vi.waitFor(() => expect(shown()).toHaveLength(1), patience);
  await scene.settled();
  const [path = ''] = shown();
  await scene.deleteFile(path);
  expect(scene.mailbox.gone).toContain(path);
  await scene.settled();
  const large = await scene.upload(Buffer.alloc(mostCopyBytes + 1, 'x'), 'text/plain', 'large.txt');
  const small = await scene.upload(Buffer.alloc(1000, 'x'), 'text/plain', 'small.txt');
  const links = `<a href="${large}">Large</a> <a href="${small}">Small</a>`;
  // Without the photo, which would be fetched again.
  await scene.update(url, { photo: [], content: [{ html: links }] });
  await vi.waitFor(() => {
    expect(shown()).toEqual([addressOf(small)]);
    // The large file doesn't wait forever.
    expect(scene.copies?.status()).toMatchObject({ leftOut: 1, toCopy: 0 });
  }, patience);
});

const hour = 3_600_000;

test('a scheduled post is copied at its time, and removed if the clock is set back', async () => {
  await scene.open();
  for (const visibility of ['public', 'unlisted']) {
    const moment = new Date(scene.clock + hour).toISOString();
    const url = await scene.create({ content: ['Later'], published: [moment], visibility: [visibility] });
    await scene.settled();
    expect(scene.mailbox.sent()).not.toContain(visibility === 'public' ? 'Later' : addressOf(url));
    scene.clock += hour;
    await scene.settled();
    expect(scene.mailbox.copies.has(addressOf(url))).toBe(true);
    scene.clock -= 1;
    await scene.settled();
    expect(scene.mailbox.copies.has(addressOf(url))).toBe(false);
    scene.clock += 1;
    await scene.settled();
  }
});

test('a mailbox that lost or changed copies gets them again with the next comparison', async () => {
  await scene.create({ content: ['Hello'] });
  const opened = await scene.open();
  await scene.settled();
  const [changed, ...lost] = [...scene.mailbox.copies.values()];
  for (const { address } of lost.slice(0, 5)) scene.mailbox.copies.delete(address);
  if (changed)
    scene.mailbox.copies.set(changed.address, { ...changed, hash: 'other', body: Buffer.from('Other') });
  if (changed)
    scene.mailbox.copies.set('/posts/2026/11/none', { ...changed, address: '/posts/2026/11/none' });
  opened.everythingChanged();
  await scene.settled();
});

test('a mailbox that is full lacks the largest files and nothing else, and gets them once there is room', async () => {
  const file = async (name: string, bytes: number) =>
    addressOf(await scene.upload(Buffer.alloc(bytes, name), 'text/plain', `${name}.txt`));
  const [small, large, larger] = [
    await file('small', 1000),
    await file('large', 200_000),
    await file('larger', 300_000),
  ];
  const links = [small, large, larger].map((path) => `<a href="${scene.base}${path}">${path}</a>`).join(' ');
  const url = await scene.create({ content: [{ html: links }] });
  await scene.open();
  await scene.settled();
  const bytes = [...scene.mailbox.copies.values()].reduce((sum, { body }) => sum + body.length, 0);
  await scene.close();

  scene.mailbox = fakeCopyStore();
  // Pages may grow a little, but there is no room for either of the two files.
  scene.mailbox.mostBytes = scene.mostBytes = bytes - 500_000 + 100_000;
  const opened = await scene.open();
  await scene.quiet();
  const before = opened.status().leftOut;
  expect(before).toBeGreaterThanOrEqual(2);
  expect(opened.status()).not.toHaveProperty('error');
  const expected = [...(await scene.found()).keys()].filter((path) => path !== large && path !== larger);
  expect([...scene.mailbox.copies.keys()].sort()).toEqual(expected.sort());
  // Copying goes on.
  const other = await scene.create({ content: ['Another post'] });
  await scene.quiet();
  expect(scene.mailbox.copies.has(addressOf(other))).toBe(true);
  // What is no longer public is not left out, but not there at all.
  await scene.deleteFile(larger);
  await scene.quiet();
  expect(opened.status().leftOut).toBe(before - 1);
  await scene.act('delete', url);
  await vi.waitFor(() => expect(opened.status()).toMatchObject({ leftOut: before - 2, toCopy: 0 }), patience);
});
