import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import sharp from 'sharp';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';
import { heic } from '../../support/heic-samples.ts';
import { photo } from '../../support/pictures.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The desktop tests are skipped: ${reason}.`);

describe.skipIf(reason)('pictures in the app', () => {
  let desktop: RunningDesktop;
  let token: string;
  beforeAll(async () => {
    desktop = await launchDesktop({ args: ['--secrets', 'file', '--me', 'https://owner.example/'] });
    ({ token } = await callOwner(desktop.page, 'apps.issueToken', { label: 'Camera', scopes: ['media'] }));
  });
  afterAll(async () => {
    await desktop.stop();
  });

  /** Uploads a file as an app does. */
  async function upload(content: Uint8Array, name: string): Promise<Response> {
    const form = new FormData();
    form.set('file', new File([Uint8Array.from(content)], name));
    return fetch(`http://127.0.0.1:${desktop.ready.port}/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
  }

  test.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)(
    'in %s are measured and get a thumbnail',
    async (format) => {
      const picture = await photo(960, 480).toFormat(format).toBuffer();
      const answer = await upload(picture, `light.${format}`);
      expect(answer.status).toBe(201);
      const url = answer.headers.get('location')!;

      const { item } = await callOwner(desktop.page, 'media.get', { url });
      expect(item).toMatchObject({ kind: 'image', width: 960, height: 480 });
      const { dataUrl } = await callOwner(desktop.page, 'media.thumbnail', { url });
      expect(dataUrl).toMatch(/^data:image\/webp;base64,/);
      const thumbnail = sharp(Buffer.from(dataUrl!.split(',')[1]!, 'base64'));
      expect(await thumbnail.metadata()).toMatchObject({ format: 'webp', width: 480, height: 240 });
    },
  );

  test('in HEIC become JPEGs, and get a thumbnail', async () => {
    const answer = await upload(heic({ grid: { columns: 3, rows: 2 } }), 'IMG_1.HEIC');
    expect(answer.status).toBe(201);
    const url = answer.headers.get('location')!;
    const { item } = await callOwner(desktop.page, 'media.get', { url });
    expect(item).toMatchObject({ type: 'image/jpeg', name: 'IMG_1.jpg', width: 192, height: 128 });
    const { dataUrl } = await callOwner(desktop.page, 'media.thumbnail', { url });
    expect(dataUrl).toMatch(/^data:image\/webp;base64,/);
  });
});
