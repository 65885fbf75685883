import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSite, type Site } from '../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { patience } from '../../support/patience.ts';

let porchlight: Porchlight;
let site: Site;
let authorization: string;

beforeEach(async () => {
  [porchlight, site] = await Promise.all([startPorchlight(), openSite('localhost')]);
  const { token } = await porchlight.call('apps.issueToken', {
    label: 'Camera',
    scopes: ['create', 'update', 'delete', 'media'],
  });
  authorization = `Bearer ${token}`;
});

afterEach(async () => {
  await porchlight.remove();
  await site.close();
});

const picture = () =>
  sharp({ create: { width: 1200, height: 800, channels: 3, background: '#b7791f' } })
    .withExif({ IFD0: { Model: 'SecretCamera' } })
    .jpeg()
    .toBuffer();

async function upload(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<string> {
  const body = new FormData();
  body.append('file', new File([bytes], name));
  const response = await fetch(`${porchlight.base}/media`, {
    method: 'POST',
    body,
    headers: { authorization },
  });
  expect(response.status).toBe(201);
  return response.headers.get('location') ?? '';
}

async function post(properties: object): Promise<string> {
  const response = await fetch(`${porchlight.base}/micropub`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ type: ['h-entry'], properties }),
  });
  expect(response.status).toBe(201);
  return response.headers.get('location') ?? '';
}

describe('files in the owner’s window', () => {
  test('the pictures in the text of a post are shown, those on another server by their copies', async () => {
    const url = await upload(new Uint8Array(await picture()), 'porch.jpg');
    const there = new URL('/lamp.jpg', site.origin).href;
    const html = `<p><img src="${url}" alt="Our porch"> <a href="/x"><img src="${there}" alt="A lamp"></a></p>`;
    const location = await post({ name: ['On porches'], content: [{ html }], featured: [there] });
    const { html: shown } = await porchlight.call('posts.page', { url: location });
    expect(shown).toContain(`<img src="${url}" alt="Our porch"`);
    // The other one is not copied yet, and stays within its link.
    expect(shown).toMatch(/<a href="[^"]*\/x"><span dir="auto">A lamp<\/span><\/a>/);
    const { items } = await porchlight.call('posts.list', {});
    expect(items[0]?.picture).toBe(there);
    await expect(porchlight.call('media.thumbnail', { url: there })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('a file that an app uploaded is listed with its picture and its uses', async () => {
    const url = await upload(new Uint8Array(await picture()), 'porch.jpg');
    const { items } = await porchlight.call('media.list', {});
    expect(items).toMatchObject([
      { url, name: 'porch.jpg', type: 'image/jpeg', kind: 'image', width: 1200, height: 800, copyOf: null },
    ]);
    const shown = await post({ photo: [{ value: url, alt: 'Our porch' }] });
    await post({ content: ['without it'] });
    const { uses } = await porchlight.call('media.get', { url });
    expect(uses).toMatchObject([{ alt: 'Our porch', post: { url: shown, kind: 'photo' } }]);
    const { dataUrl } = await porchlight.call('media.thumbnail', { url });
    expect(dataUrl).toMatch(/^data:image\/webp;base64,/);
    const small = Buffer.from(dataUrl?.split(',')[1] ?? '', 'base64');
    expect(await sharp(small).metadata()).toMatchObject({ width: 480, height: 320 });
    expect((await fetch(shown)).status).toBe(200);
  });

  test('the camera’s metadata is removed from photos, unless the owner wants it', async () => {
    const bytes = new Uint8Array(await picture());
    const read = async (url: string) =>
      Buffer.from(await (await fetch(url)).arrayBuffer()).toString('latin1');
    expect(await read(await upload(bytes, 'a.jpg'))).not.toContain('SecretCamera');
    await porchlight.call('settings.update', { micropub: { removePhotoMetadata: false } });
    expect(await read(await upload(bytes, 'b.jpg'))).toContain('SecretCamera');
  });

  test('the window adds files and posts a note with them', async () => {
    const data = (await picture()).toString('base64');
    const file = await porchlight.call('media.upload', { name: '../../Porch at night.jpeg', data });
    expect(file).toMatchObject({ type: 'image/jpeg', copyOf: null });
    const note = await porchlight.call('posts.create', {
      content: 'Look',
      photos: [{ url: file.url, alt: 'Night' }],
      categories: ['porch'],
      visibility: 'public',
      status: 'published',
    });
    expect(note).toMatchObject({ kind: 'photo', summary: 'Look', status: 'published' });
    const page = await (await fetch(note.url)).text();
    expect(page).toContain('alt="Night"');
    expect(page).toContain('Look');
    expect(porchlight.events.filter(({ name }) => name === 'media.changed')).toMatchObject([
      { data: { url: file.url, change: 'added' } },
    ]);
  });

  test('invalid base64 is refused', async () => {
    await expect(porchlight.call('media.upload', { name: 'a.txt', data: '!!!' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect((await porchlight.call('media.list', {})).items).toEqual([]);
  });

  test('a deleted file is gone from the list and from the web', async () => {
    const url = await upload(new Uint8Array(await picture()), 'porch.jpg');
    await porchlight.call('media.delete', { url });
    expect((await porchlight.call('media.list', {})).items).toEqual([]);
    expect((await fetch(url)).status).toBe(410);
    await expect(porchlight.call('media.get', { url })).rejects.toMatchObject({ code: 'not_found' });
    expect((await porchlight.call('activity.list', {})).items[0]?.words).toContain('porch.jpg');
  });

  test('MP-25 a photo posted by its address is shown from our copy once that exists, and is never fetched twice', async () => {
    const bytes = await picture();
    site.pages.set('/cat.jpg', (_request, response) =>
      response.writeHead(200, { 'content-type': 'image/jpeg' }).end(bytes),
    );
    const there = `${site.origin}/cat.jpg`;
    const shown = await post({ content: ['A cat'], photo: [{ value: there, alt: 'A cat' }] });
    const page = () => fetch(shown).then((response) => response.text());
    await vi.waitUntil(async () => (await porchlight.call('media.list', {})).items.length === 1, patience);
    const markup = await vi.waitUntil(async () => {
      const text = await page();
      return text.includes('<img class="u-photo"') && text;
    }, patience);
    const { items } = await porchlight.call('media.list', {});
    expect(items).toMatchObject([{ copyOf: there }]);
    expect(markup).toContain(new URL(items[0]?.url ?? '').pathname);
    expect(markup).not.toContain(`src="${there}"`);
    expect(site.requests).toEqual(['GET /cat.jpg']);
    const { dataUrl } = await porchlight.call('media.thumbnail', { url: there });
    expect(dataUrl).toMatch(/^data:image\//);
  });
});
