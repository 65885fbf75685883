import { defaults, getWebmentions, retrieveWebmentions } from '@chrisburnell/eleventy-cache-webmentions';
import { describe, expect, test } from 'vitest';
import { memoryMentions } from '../../support/memory-mentions.ts';
import { managementToken, openImport, serveReading } from '../../support/import-scene.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const site = 'https://owner.example';

async function optionsFor(base: string, format: 'jf2' | 'json') {
  return {
    ...defaults,
    refresh: true,
    uniqueKey: `webmentions-${format}`,
    cacheDirectory: await temporaryFolder(),
    domain: site,
    feed: `${base}/api/mentions.${format}?domain=owner.example&token=${managementToken}&per-page=50`,
    key: format === 'jf2' ? ('children' as const) : ('links' as const),
  };
}

describe('eleventy-cache-webmentions, unmodified', () => {
  test.each(['jf2', 'json'] as const)(
    'WI-42 WI-41 reads all pages of %s, imported ones included',
    async (format) => {
      const scene = await openImport(70);
      await scene.import.run({ token: scene.io.token });
      const mentions = await retrieveWebmentions(await optionsFor(await serveReading(scene.store), format));
      const number = format === 'jf2' ? 'wm-id' : 'id';
      expect(new Set(mentions.map((one) => one[number]))).toEqual(new Set(scene.io.rows.map(({ id }) => id)));
      expect(mentions).toHaveLength(70);
    },
  );

  test('WI-42 finds the new mentions the next time, each once, newest first', async () => {
    const store = memoryMentions();
    const keep = (number: number) =>
      store.keep({
        source: `https://friend.example/${number}`,
        target: `${site}/post/`,
        facts: { type: 'like', property: 'like-of' },
        status: 'approved',
        received: `2026-01-01T00:00:0${number}.5Z`,
        parsed: `2026-01-01T00:00:0${number}.5Z`,
      });
    await keep(1);
    await keep(2);
    const options = await optionsFor(await serveReading(store), 'jf2');
    expect(await retrieveWebmentions(options)).toHaveLength(2);
    await keep(3);
    const again = await retrieveWebmentions({ ...options, refresh: false, duration: '0s' });
    expect(again.map((one) => one['wm-source'])).toEqual(
      [3, 2, 1].map((number) => `https://friend.example/${number}`),
    );
  });

  test('finds the replies to a page, with what they say', async () => {
    const store = memoryMentions();
    await store.keep({
      source: 'https://friend.example/1',
      target: `${site}/post/`,
      facts: {
        type: 'reply',
        property: 'in-reply-to',
        content: { html: '<p>Well <b>said</b></p>', value: 'Well said' },
      },
      status: 'approved',
      parsed: '2026-01-01T00:00:00.000Z',
    });
    const options = await optionsFor(await serveReading(store), 'jf2');
    const [reply, ...others] = await getWebmentions(options, '/post/', ['in-reply-to']);
    expect(others).toEqual([]);
    expect(reply).toMatchObject({ 'wm-property': 'in-reply-to', contentSanitized: 'Well <b>said</b>' });
    expect(await getWebmentions(options, '/post/', ['like-of'])).toEqual([]);
  });
});
