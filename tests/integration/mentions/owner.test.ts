import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { post } from '../../support/sign-in.ts';
import { openWebmentionIo } from '../../support/webmention-io.ts';
import { patience } from '../../support/patience.ts';
import { photo } from '../../support/pictures.ts';

let porchlight: Porchlight;
let site: Site;
beforeEach(async () => {
  [porchlight, site] = await Promise.all([startPorchlight(), openSite()]);
});
afterEach(async () => {
  await porchlight.remove();
  await site.close();
});

const note = (content: string) =>
  porchlight.call('posts.create', {
    content,
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });

/** A like of a post, received and read. */
async function liked(target: string): Promise<string> {
  site.pages.set('/like', page(`<p class="h-entry"><a class="u-like-of" href="${target}">liked</a></p>`));
  await post(porchlight, '/webmention', { source: `${site.origin}/like`, target });
  await porchlight.call('webmentions.process', {});
  return (await porchlight.call('webmentions.list', {})).items[0]?.id ?? '';
}

describe('a mention', () => {
  test('says what happened to it', async () => {
    const id = await liked((await note('Hello')).url);
    await porchlight.call('webmentions.setStatus', { id, status: 'hidden' });
    await porchlight.call('webmentions.delete', { id });
    await porchlight.call('webmentions.restore', { id });
    const { history } = await porchlight.call('webmentions.get', { id });
    expect(history.map(({ what }) => what)).toEqual(['received', 'hidden', 'deleted', 'restored']);
    for (const { at } of history) expect(Date.parse(at)).toBeGreaterThan(0);
  });

  test('names the post by its title, or the beginning of its text, and other pages not at all', async () => {
    const { url } = await note('Hello,\nneighbors');
    await liked(`${url}#top`);
    expect(await porchlight.call('webmentions.list', {})).toMatchObject({
      items: [{ target: `${url}#top`, targetTitle: 'Hello, neighbors' }],
    });
    expect(await porchlight.call('webmentions.pages', {})).toMatchObject([
      { target: url, title: 'Hello, neighbors' },
    ]);
    expect(await porchlight.call('webmentions.topPages', {})).toEqual([
      { target: url, title: 'Hello, neighbors', mentions: 1 },
    ]);
    await porchlight.call('posts.update', { url, name: 'A meeting' });
    await liked(`${porchlight.base}/`);
    const { items } = await porchlight.call('webmentions.list', {});
    expect(items.map(({ targetTitle }) => targetTitle)).toEqual([undefined, 'A meeting']);
  });
});

test('NW02 a reply that is only a picture is shown with its alt text, here and in the window', async () => {
  const door = await photo(800, 600).png().toBuffer();
  const { url } = await note('Hello');
  const source = `${site.origin}/reply`;
  site.pages.set('/door.png', (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(door);
  });
  site.pages.set(
    '/reply',
    page(
      `<div class="h-entry"><a class="u-in-reply-to" href="${url}"></a><img class="u-photo" src="/door.png" alt="A door"></div>`,
    ),
  );
  await post(porchlight, '/webmention', { source, target: url });
  await porchlight.call('webmentions.process', {});
  const shown = async () => (await fetch(url)).text();
  await expect
    .poll(shown, patience)
    .toMatch(/<img class="u-photo" src="\/webmention-pictures\/\w+\.webp" alt="A door"/);
  const { items } = await porchlight.call('webmentions.list', {});
  expect(items).toMatchObject([{ type: 'reply', photo: [`${site.origin}/door.png`], photoAlt: 'A door' }]);
  const { dataUrl } = await porchlight.call('webmentions.picture', {
    url: `${site.origin}/door.png`,
    kind: 'photo',
  });
  expect(dataUrl).toMatch(/^data:image\/webp/);
});

describe('the mentions that a post sent', () => {
  test('wait for a public address, and are sent when there is one', async () => {
    const { port } = new URL(porchlight.base);
    await porchlight.remove();
    porchlight = await startPorchlight({ allowPrivateFetch: false, port: Number(port) });
    const { url } = await note('<https://127.0.0.1/there>');
    const waiting = { state: 'waiting', words: 'Waiting to be sent.' };
    const states = () => porchlight.call('webmentions.deliveries', { source: url });
    expect(await states()).toMatchObject([waiting]);
    porchlight.service.wake();
    await porchlight.call('webmentions.process', {});
    expect(await states()).toMatchObject([waiting]);
    await porchlight.call('settings.update', { tunnel: { publicUrl: 'https://porch.example.com' } });
    const source = url.replace(/^http:\/\/127\.0\.0\.1:\d+/, 'https://porch.example.com');
    // This address is refused, so it is contacted by nobody.
    await expect
      .poll(() => porchlight.call('webmentions.deliveries', { source }), patience)
      .toMatchObject([{ state: 'failed' }]);
  });

  test('one page can be retried, and the windows learn of it', async () => {
    const target = `${site.origin}/there`;
    const reported: string[] = [];
    site.pages.set('/there', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', link: '</endpoint>; rel="webmention"' }).end();
    });
    let status = 400;
    site.pages.set('/endpoint', (request, response) => {
      reported.push(request.method ?? '');
      response.writeHead(status).end();
    });
    const { url } = await note(`Look at ${target}`);
    const stateOf = async () =>
      (await porchlight.call('webmentions.deliveries', { source: url })).map(({ state }) => state);
    await vi.waitUntil(async () => (await stateOf())[0] === 'failed', patience);
    const heard = () => porchlight.events.filter(({ name }) => name === 'deliveries.changed');
    expect(heard()).toContainEqual({ name: 'deliveries.changed', data: { source: url } });

    status = 202;
    const before = heard().length;
    expect(await porchlight.call('webmentions.retryDelivery', { source: url, target })).toMatchObject([
      { source: url, target, state: 'waiting' },
    ]);
    await vi.waitUntil(async () => (await stateOf())[0] === 'sent', patience);
    expect(reported).toEqual(['POST', 'POST']);
    expect(heard().length).toBeGreaterThan(before);
  });

  test('is not sent to a page that the post does not link', async () => {
    const { url } = await note(`Look at ${site.origin}/there`);
    const elsewhere = { source: url, target: `${site.origin}/elsewhere` };
    await expect(porchlight.call('webmentions.retryDelivery', elsewhere)).rejects.toMatchObject({
      code: 'not_found',
    });
    const foreign = { source: `${site.origin}/there`, target: `${site.origin}/there` };
    await expect(porchlight.call('webmentions.retryDelivery', foreign)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('a token of the aggregator', () => {
  const stored = async () => (await porchlight.call('webmentions.importState', {})).tokenStored;
  const open = async () => {
    const io = await openWebmentionIo(5);
    onTestFinished(() => io.close());
    await porchlight.call('settings.update', { webmention: { aggregatorUrl: io.origin } });
    return io;
  };

  test('is kept once the aggregator has accepted it, even if the import is interrupted then', async () => {
    const io = await open();
    io.fault = (url) => (url.pathname.endsWith('.json') ? 'garbage' : undefined);
    await expect(
      porchlight.call('webmentions.import', { aggregatorToken: 'token-at-the-aggregator' }),
    ).rejects.toMatchObject({ code: 'aggregator_failed' });
    expect(await stored()).toBe(true);
    io.fault = () => undefined;
    expect(await porchlight.call('webmentions.import', {})).toMatchObject({ total: 5 });
  });

  test('is not kept if the aggregator refuses it or can’t be reached', async () => {
    const io = await open();
    await expect(porchlight.call('webmentions.import', { aggregatorToken: 'wrong' })).rejects.toMatchObject({
      code: 'aggregator_refused',
    });
    expect(await stored()).toBe(false);
    io.fault = () => 404;
    await expect(porchlight.call('webmentions.import', { aggregatorToken: 'wrong' })).rejects.toThrow();
    expect(await stored()).toBe(false);
  });

  test('a working token is not replaced by a refused one', async () => {
    await open();
    await porchlight.call('webmentions.import', { aggregatorToken: 'token-at-the-aggregator' });
    await expect(porchlight.call('webmentions.import', { aggregatorToken: 'wrong' })).rejects.toMatchObject({
      code: 'aggregator_refused',
    });
    expect(await porchlight.call('webmentions.import', {})).toMatchObject({ total: 5 });
  });
});

describe('the export', () => {
  test('goes where the owner says, is offered a place, and is remembered', async () => {
    const { path: offered } = await porchlight.call('webmentions.exportPlace', {});
    expect(isAbsolute(offered)).toBe(true);
    expect(offered).toMatch(/webmentions-\d{4}-\d\d-\d\d\.jf2$/);
    const dir = await mkdtemp(join(tmpdir(), 'porchlight-export-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    await liked((await note('Hello')).url);
    const path = join(dir, 'all.jf2');
    expect(await porchlight.call('webmentions.exportTo', { path })).toMatchObject({ mentions: 1 });
    const { children } = JSON.parse(await readFile(path, 'utf8')) as { children: object[] };
    expect(children).toMatchObject([{ 'wm-source': `${site.origin}/like`, 'porchlight-status': 'approved' }]);
    expect((await porchlight.call('activity.list', {})).items[0]).toMatchObject({
      kind: 'webmention.exported',
      words: expect.stringMatching(/^You saved 1 mention as /) as string,
    });
  });

  test('stays out of the data folder', async () => {
    const path = join(porchlight.dataDir, 'settings.json');
    await expect(porchlight.call('webmentions.exportTo', { path })).rejects.toMatchObject({
      code: 'invalid_path',
    });
  });
});
