import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSite, page, type Page, type Site } from '../../support/client-app.ts';
import { drawing, leaksIn, withMetadata } from '../../support/picture-samples.ts';
import { header } from '../../support/pictures.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

// A thread that loads libvips takes long to start on a busy computer.
vi.setConfig({ testTimeout: 360_000 });

let porchlight: Porchlight;
let site: Site;
beforeEach(async () => {
  site = await openSite('localhost');
});
afterEach(async () => {
  await porchlight.remove();
  await site.close();
});

const inBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const photoNow = async () => (await porchlight.call('settings.get', {})).profile.photo;
const isOurs = (photo: string) => /^http:\/\/127\.0\.0\.1:\d+\/photo\/[0-9a-f]{16}\.webp$/.test(photo);
const picture = (bytes: Uint8Array): Page => {
  return (_request, response) => void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(bytes);
};
const camera = () => withMetadata(drawing(1200, 800)).jpeg().toBuffer();

describe('a photo that the owner uploads', () => {
  beforeEach(async () => void (porchlight = await startPorchlight()));

  test('is shrunk, loses its metadata, and is served from the public address', async () => {
    const original = await camera();
    expect(leaksIn(original)).not.toEqual([]);
    const { profile } = await porchlight.call('profile.setPhoto', { data: inBase64(original) });
    expect(isOurs(profile.photo)).toBe(true);

    const response = await fetch(profile.photo);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/webp');
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(leaksIn(bytes)).toEqual([]);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 512, height: 341 });
    const { dataUrl } = await porchlight.call('profile.photo', {});
    expect(dataUrl).toBe(`data:image/webp;base64,${inBase64(bytes)}`);
  });

  test('is on the home page, in the h-card and in userinfo', async () => {
    const { profile } = await porchlight.call('profile.setPhoto', { data: inBase64(await camera()) });
    const home = await (await fetch(`${porchlight.base}/`, { headers: { accept: 'text/html' } })).text();
    expect(home).toContain(`<img class="u-photo portrait" src="${profile.photo}"`);
    const { token } = await porchlight.call('apps.issueToken', { label: 'Script', scopes: ['profile'] });
    const headers = { authorization: `Bearer ${token}` };
    const info: unknown = await (await fetch(`${porchlight.base}/userinfo`, { headers })).json();
    expect(info).toMatchObject({ photo: profile.photo });
  });

  test('survives a restart and follows the public address', async () => {
    const { profile } = await porchlight.call('profile.setPhoto', { data: inBase64(await camera()) });
    await porchlight.stop();
    const { dataDir } = porchlight;
    porchlight = await startPorchlight({ dataDir, baseUrl: 'https://porch.owner.example' });
    expect(await photoNow()).toBe(`https://porch.owner.example${new URL(profile.photo).pathname}`);
  });

  test('stays when the profile is saved with the address that the window was given', async () => {
    const { profile } = await porchlight.call('profile.setPhoto', { data: inBase64(await camera()) });
    await porchlight.call('settings.update', { profile: { ...profile, name: 'Ada' } });
    expect(await photoNow()).toBe(profile.photo);
    expect((await fetch(profile.photo)).status).toBe(200);
  });

  test('leads from the address of an earlier photo to the current one, and is gone once it is removed', async () => {
    const first = await porchlight.call('profile.setPhoto', { data: inBase64(await camera()) });
    const other = await drawing(64, 64).png().toBuffer();
    const second = await porchlight.call('profile.setPhoto', { data: inBase64(other) });
    const answer = await fetch(first.profile.photo, { redirect: 'manual' });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(new URL(second.profile.photo).pathname);

    expect((await porchlight.call('profile.removePhoto', {})).profile.photo).toBe('');
    expect((await fetch(second.profile.photo)).status).toBe(404);
    expect(await porchlight.call('profile.photo', {})).toEqual({ dataUrl: null });
    expect(await readFile(join(porchlight.dataDir, 'profile.json'), 'utf8')).not.toContain('webp');
  });

  test.each([
    ['a text', Buffer.from('Not a picture.'), /^The file isn’t a picture\./],
    ['a PDF', Buffer.from('%PDF-1.7\n'), /^The file isn’t a picture\./],
    ['a picture that is damaged', header(300, 200), /^Porchlight can’t read this picture\./],
    ['a picture with too many pixels', header(60_000, 60_000), /^Porchlight can’t read this picture\./],
  ])('is refused if it is %s', async (_what, bytes, words) => {
    await expect(porchlight.call('profile.setPhoto', { data: inBase64(bytes) })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(words) as string,
    });
    expect(await photoNow()).toBe('');
  });

  test('cannot be set by a change of the settings', async () => {
    const photo = `data:image/webp;base64,${inBase64(Buffer.from('RIFF0000WEBPscript'))}`;
    await expect(porchlight.call('settings.update', { profile: { photo } })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('a photo on the owner’s site', () => {
  const card =
    '<div class="h-card"><a class="u-url u-uid p-name" href="/">Ada</a><img class="u-photo" src="/ada.jpg"></div>';
  const photoRequests = () => site.requests.filter((request) => request === 'GET /ada.jpg').length;

  test('is copied once when the profile is completed from the home page', async () => {
    site.pages.set('/', page(card));
    site.pages.set('/ada.jpg', picture(await camera()));
    porchlight = await startPorchlight({ me: `${site.origin}/` });
    await expect.poll(async () => isOurs(await photoNow()), { timeout: 180_000 }).toBe(true);
    expect(leaksIn(Buffer.from(await (await fetch(await photoNow())).arrayBuffer()))).toEqual([]);
    const { dataDir } = porchlight;
    await porchlight.stop();
    porchlight = await startPorchlight({ dataDir, me: undefined });
    expect(isOurs(await photoNow())).toBe(true);
    expect(photoRequests()).toBe(1);
  });

  test('is copied when the owner saves its address', async () => {
    site.pages.set('/ada.jpg', picture(await camera()));
    porchlight = await startPorchlight();
    await porchlight.call('settings.update', { profile: { photo: `${site.origin}/ada.jpg` } });
    await expect.poll(async () => isOurs(await photoNow()), { timeout: 180_000 }).toBe(true);
    const told = porchlight.events.filter(({ name }) => name === 'settings.changed').at(-1);
    expect(told?.data).toMatchObject({ profile: { photo: await photoNow() } });
  });

  test('stays an address if it cannot be copied, and pages do not load it', async () => {
    site.pages.set('/ada.jpg', page('Not a picture.'));
    porchlight = await startPorchlight();
    const photo = `${site.origin}/ada.jpg`;
    await porchlight.call('settings.update', { profile: { photo } });
    await expect.poll(photoRequests).toBe(1);
    expect(await photoNow()).toBe(photo);
    const home = await (await fetch(`${porchlight.base}/`, { headers: { accept: 'text/html' } })).text();
    expect(home).toContain(`<data class="u-photo" value="${photo}"></data>`);
    expect(home).not.toContain('<img');
  });

  test('of a profile that an older version saved is copied at the next start', async () => {
    porchlight = await startPorchlight();
    await porchlight.stop();
    site.pages.set('/ada.jpg', picture(await camera()));
    const { dataDir } = porchlight;
    const old = { format: 1, me: `${site.origin}/`, name: 'Ada', url: '', email: '' };
    await writeFile(
      join(dataDir, 'profile.json'),
      JSON.stringify({ ...old, photo: `${site.origin}/ada.jpg` }),
    );
    porchlight = await startPorchlight({ dataDir, me: undefined });
    await expect.poll(async () => isOurs(await photoNow()), { timeout: 180_000 }).toBe(true);
    expect((await porchlight.call('settings.get', {})).profile.name).toBe('Ada');
  });
});

test('visitors get every page, with the profile’s photo, while the photo chosen for the site can’t be shown', async () => {
  porchlight = await startPorchlight();
  const { profile } = await porchlight.call('profile.setPhoto', { data: inBase64(await camera()) });
  await porchlight.call('settings.update', { site: { photo: `${site.origin}/missing.jpg` } });
  const paths = ['/', '/search?q=a', '/search?q=b', '/search?q=c'];
  const visits = paths.map(async (path) => {
    const answer = await fetch(porchlight.base + path, { headers: { accept: 'text/html' } });
    return {
      status: answer.status,
      hasPhoto: (await answer.text()).includes(new URL(profile.photo).pathname),
    };
  });
  for (const visit of await Promise.all(visits)) expect(visit).toEqual({ status: 200, hasPhoto: true });
});
