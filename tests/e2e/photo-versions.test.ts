import { randomBytes } from 'node:crypto';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page, Request } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { safeFileName } from '../../src-main/posts/files/addresses.ts';
import { launchChromium } from '../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { photograph } from '../support/photograph.ts';
import { temporaryFolder } from '../support/storage-folder.ts';
import { folderSettings } from '../support/folder-settings.ts';

let browser: Browser;
let porchlight: HeadlessProcess;
let photo: Buffer;
const args = ['--allow-private-fetch'];
const isSlow = { timeout: 600_000 };

beforeAll(async () => {
  browser = await launchChromium();
  porchlight = await startHeadless({ args });
  photo = await photograph();
  await porchlight.call('settings.update', {
    profile: { me: `${porchlight.ready.baseUrl.replace('127.0.0.1', 'localhost')}/`, name: 'Ada' },
  });
}, 540_000);
afterAll(async () => {
  await browser.close();
  await porchlight.remove();
});

/** Publishes a post with a photo. Returns the URLs of both. */
async function publish(name: string, bytes: Buffer): Promise<{ post: string; file: string }> {
  const { url: file } = await porchlight.call('media.upload', { name, data: bytes.toString('base64') });
  return { post: await publishFile(name, file), file };
}

async function publishFile(name: string, file: string): Promise<string> {
  const { url } = await porchlight.call('posts.create', {
    text: name,
    photos: [{ url: file, alt: name }],
    categories: [],
    visibility: 'public',
    status: 'published',
  });
  return url;
}

/**
 * Copies a file and its versions in the data folder, as if it had been uploaded and converted `count` times. Converting
 * 20 photos would take minutes. Returns the paths of the copies.
 */
async function copiesOf(url: string, count: number): Promise<string[]> {
  const { dataDir } = porchlight;
  // After a kill, the next start finds the new files.
  await porchlight.stop('SIGKILL');
  const [, month = '', original = ''] = /\/media\/(\d{4}\/\d\d)\/([^/]+)$/.exec(url) ?? [];
  const folder = path.join(dataDir, 'media', month);
  const derived = path.join(folder, 'thumbnails');
  const names = Array.from({ length: count }, () => `${randomBytes(16).toString('base64url')}-photo.jpg`);
  const endings = (await readdir(derived)).map((name) => name.slice(original.length));
  expect(endings).toHaveLength(6);
  for (const name of names) {
    await copyFile(path.join(folder, original), path.join(folder, name));
    for (const one of endings)
      await copyFile(path.join(derived, original + one), path.join(derived, name + one));
  }
  porchlight = await startHeadless({ dataDir, args });
  return names.map((name) => `/media/${month}/${name}`);
}

const isConverted = () =>
  expect
    .poll(async () => (await porchlight.call('media.list', {})).converting, {
      timeout: 500_000,
      interval: 500,
    })
    .toBe(0);

/** Opens a page, scrolls to its end, and returns the number of bytes of each response. */
async function transferred(url: string, width: number, deviceScaleFactor: number) {
  const page = await browser.newPage({ viewport: { width, height: 800 }, deviceScaleFactor });
  onTestFinished(() => page.close());
  const finished: Request[] = [];
  page.on('requestfinished', (request) => void finished.push(request));
  await page.goto(url, { waitUntil: 'load' });
  for (const image of await page.locator('article img').all()) {
    await image.scrollIntoViewIfNeeded();
    await expect.poll(() => image.evaluate((one) => (one as HTMLImageElement).complete)).toBe(true);
  }
  const loaded = () => finished.map((request) => request.url());
  await expect.poll(loaded).toEqual(expect.arrayContaining((await pictures(page)).map(({ shown }) => shown)));
  const sizes = new Map<string, number>();
  for (const request of finished) {
    const { responseBodySize, responseHeadersSize } = await request.sizes();
    sizes.set(request.url(), responseBodySize + responseHeadersSize);
  }
  return { page, sizes, total: [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0) };
}

const pictures = (page: Page) =>
  page.locator('article img').evaluateAll((all) =>
    all.map((one) => {
      const image = one as HTMLImageElement;
      return { shown: image.currentSrc, width: image.clientWidth, isLoaded: image.naturalWidth > 0 };
    }),
  );

test('a home page with 20 photos of 4000x3000 is under 1.5 MB on a phone', isSlow, async () => {
  const { url } = await porchlight.call('media.upload', {
    name: 'photo.jpg',
    data: photo.toString('base64'),
  });
  await isConverted();
  const files = await copiesOf(url, 20);
  for (const file of files) await publishFile(file, `${porchlight.ready.baseUrl}${file}`);
  await isConverted();
  const home = `${porchlight.ready.baseUrl}/`;

  const { page, total, sizes } = await transferred(home, 390, 1);
  const shown = await pictures(page);
  console.info(`390 px: ${total} bytes in ${sizes.size} responses, photos ${shown[0]?.width ?? 0} px wide`);
  expect(shown).toHaveLength(20);
  expect(shown.every(({ isLoaded }) => isLoaded)).toBe(true);
  expect(total).toBeLessThan(1_500_000);
  for (const { shown: url } of shown) expect(sizes.get(url)).toBeLessThan(200_000);

  const sharp2 = await transferred(home, 390, 2);
  console.info(`390 px, two pixels per CSS pixel: ${sharp2.total} bytes`);
  for (const one of await pictures(sharp2.page)) expect(sharp2.sizes.get(one.shown)).toBeLessThan(200_000);
});

// What becomes of transparent and animated pictures is tested without a server: tests/unit/untrusted/pictures.
describe('a photo', isSlow, () => {
  const at = (url: string) => fetch(url);
  const html = async (url: string) => (await at(url)).text();
  const srcset = (page: string) =>
    [...(/ srcset="([^"]*)"/.exec(page)?.[1] ?? '').matchAll(/(\S+) (\d+)w/g)].map(
      ([, url = '', width = '']) => ({
        url,
        width: Number(width),
      }),
    );
  const preview = (page: string) => /<meta property="og:image" content="([^"]*)">/.exec(page)?.[1] ?? '';
  const feedImage = async (post: string) => {
    const items = (await (await at(`${porchlight.ready.baseUrl}/feed.json`)).json()) as {
      items: { url: string; content_html: string }[];
    };
    const content = items.items.find(({ url }) => url === post)?.content_html ?? '';
    return { src: / src="([^"]*)"/.exec(content)?.[1] ?? '', content };
  };

  test('a JPEG turned by its Exif data is offered upright and without metadata', async () => {
    const turned = await sharp(photo)
      .resize(1656, 1242)
      .withExif({ IFD0: { Make: 'SecretCam' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { post, file } = await publish('Turned', turned);
    await isConverted();
    const page = await html(post);
    const offered = srcset(page);
    expect(offered.map(({ width }) => width)).toEqual([480, 960, 1242]);
    expect(offered.at(-1)?.url).toBe(file);
    for (const { url, width } of offered.slice(0, 2)) {
      const answer = await at(url);
      expect(answer.headers.get('content-type')).toBe('image/webp');
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      const version = Buffer.from(await answer.arrayBuffer());
      expect(await sharp(version).metadata()).toMatchObject({ width, height: Math.round((width * 4) / 3) });
      expect(version.includes('SecretCam')).toBe(false);
      expect((await sharp(version).metadata()).exif).toBeUndefined();
    }
    // Parsers take `src` as the photo. Browsers take a version instead.
    expect(page).toContain(`<img class="u-photo" src="${file}" alt="Turned" srcset=`);
    expect(page).toContain(`<a href="${file}">`);
    const picture = Buffer.from(await (await at(preview(page))).arrayBuffer());
    expect(await sharp(picture).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 1600 });
    const { src, content } = await feedImage(post);
    expect(src).toBe(`${file}.960.webp`);
    expect(content).toContain(`<a href="${file}">`);
    expect(content).not.toContain('srcset');
  });

  test('a deleted photo answers 410 in every version at once, and no file of it is left', async () => {
    const { post, file } = await publish('Deleted', await sharp(photo).resize(1240).jpeg().toBuffer());
    await isConverted();
    const urls = [...srcset(await html(post)).map(({ url }) => url), preview(await html(post)), file];
    expect(urls).toHaveLength(5);
    for (const url of urls) expect((await at(url)).status).toBe(200);
    await porchlight.call('media.delete', { url: file });
    for (const url of urls) expect((await at(url)).status).toBe(410);
    expect((await at(`${file}.500.webp`)).status).toBe(404);
  });

  test('a post is published before its photo is converted, and until then, the original is served', async () => {
    await publish('Before', await sharp(photo).resize(1600).jpeg().toBuffer());
    const { post, file } = await publish('At once', await sharp(photo).resize(1000).jpeg().toBuffer());
    const page = await html(post);
    expect(page).toContain(`src="${file}"`);
    expect(page).not.toContain('srcset');
    expect((await porchlight.call('media.list', {})).converting).toBeGreaterThan(0);
    const early = await fetch(`${file}.960.webp`, { redirect: 'manual' });
    expect([early.status, early.headers.get('cache-control')]).toEqual([302, 'no-store']);
    expect(new URL(early.headers.get('location') ?? '', file).href).toBe(file);
    await isConverted();
    expect(await html(post)).toContain('srcset');
  });
});

test('the attribute sizes is as wide as each theme shows a photo', isSlow, async () => {
  const { post } = await publish('Layout', await sharp(photo).resize(1240).jpeg().toBuffer());
  await isConverted();
  for (const theme of ['porch', 'paper', 'garden'] as const) {
    await porchlight.call('settings.update', { site: { theme } });
    for (const width of [390, 800, 1440]) {
      const page = await browser.newPage({ viewport: { width, height: 1000 } });
      await page.goto(post);
      const { shown, said } = await page.locator('article img').evaluate(async (one) => {
        const image = one as HTMLImageElement;
        // Without a limit of its own, a picture is as wide as `sizes` says.
        const copy = image.cloneNode() as HTMLImageElement;
        copy.style.cssText = 'position:absolute;left:0;width:auto;max-width:none;max-height:none;height:auto';
        copy.removeAttribute('width');
        copy.removeAttribute('height');
        document.body.append(copy);
        await copy.decode();
        return { shown: image.clientWidth, said: copy.clientWidth };
      });
      await page.close();
      console.info(`${theme} at ${width} px: shown ${shown} px, sizes ${said} px`);
      expect(said).toBeGreaterThanOrEqual(shown);
      expect(said).toBeLessThanOrEqual(shown * 1.15);
    }
  }
});

test(
  'the folder of the owner’s own site gets the versions of a photo, and loses them with it',
  isSlow,
  async () => {
    const site = await temporaryFolder();
    await writeFile(path.join(site, 'hugo.toml'), 'baseURL = "https://me.example/"\n');
    await porchlight.call('settings.update', {
      siteFolder: folderSettings(site, 'hugo', {
        postFile: 'content/posts/{slug}.md',
        postUrl: 'posts/{slug}/',
        mediaFile: 'static/{file}',
        mediaUrl: '{file}',
        media: 'folder',
      }),
    });
    const { file } = await publish('Folder', await sharp(photo).resize(1000).jpeg().toBuffer());
    const name = safeFileName(file.slice(file.lastIndexOf('/') + 1));
    const versions = ['480.webp', '960.webp'].map((one) => `${name}.${one}`);
    const inFolder = async (folder: string) =>
      (await readdir(path.join(site, folder)).catch(() => [])).sort();
    await expect.poll(() => inFolder('static'), { timeout: 360_000 }).toEqual([name, ...versions]);
    const [post = ''] = await inFolder('content/posts');
    const text = await readFile(path.join(site, 'content/posts', post), 'utf8');
    const offered = versions.map((one) => `/${one} ${/\.(\d+)\.webp/.exec(one)?.[1] ?? ''}w`);
    expect(text).toContain(`src="/${name}" alt="Folder" srcset="${offered.join(', ')}, /${name} 1000w"`);
    // The front matter names the original.
    expect(text).toContain(`url: "/${name}"`);
    await porchlight.call('media.delete', { url: file });
    await expect.poll(() => inFolder('static'), { timeout: 360_000 }).toEqual([]);
  },
);
