import { writeFile } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import { openSite, page } from '../../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../../support/porchlight.ts';
import { signInRequest, tokensFor } from '../../../support/sign-in.ts';
import { patience } from '../../../support/patience.ts';

const words = async (house: Porchlight, query: Parameters<typeof house.call<'activity.list'>>[1]) =>
  (await house.call('activity.list', query)).items.map((item) => item.words);

describe('what happened', () => {
  test('names the app and the post for what apps post, change, delete and bring back', async () => {
    const house = await startPorchlight();
    const { token } = await house.call('apps.issueToken', {
      label: 'Quill',
      scopes: ['create', 'update', 'delete', 'undelete'],
    });
    const send = (body: unknown) =>
      fetch(`${house.base}/micropub`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const made = await send({ type: ['h-entry'], properties: { content: ['Hello'] } });
    const url = made.headers.get('location') ?? '';
    await send({ action: 'update', url, replace: { content: ['Hello again'] } });
    await send({ action: 'delete', url });
    await send({ action: 'undelete', url });
    await vi.waitFor(
      async () =>
        expect((await words(house, { area: 'posts' })).toSorted()).toEqual(
          [
            `Quill published a note: “Hello” (${url})`,
            `Quill updated a note: “Hello again” (${url})`,
            `Quill deleted a note: “Hello again” (${url})`,
            `Quill restored a note: “Hello again” (${url})`,
          ].toSorted(),
        ),
      patience,
    );
    expect(await words(house, { query: 'UPDATED' })).toEqual([
      `Quill updated a note: “Hello again” (${url})`,
    ]);
    expect(await words(house, { area: 'mentions' })).toEqual([]);
    await house.remove();
  });

  test('tells a draft from a published and a scheduled post', async () => {
    const house = await startPorchlight({ clock: () => Date.parse('2026-11-22T08:00:00Z') });
    const { token } = await house.call('apps.issueToken', {
      label: 'Quill',
      scopes: ['create', 'update', 'draft'],
    });
    const send = async (body: unknown) => {
      const response = await fetch(`${house.base}/micropub`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return response.headers.get('location') ?? '';
    };
    const properties = { name: ['On porches'], content: ['They need light.'] };
    const draft = await send({
      type: ['h-entry'],
      properties: { ...properties, 'post-status': ['draft'] },
    });
    await send({ action: 'update', url: draft, replace: { content: ['They need a lamp.'] } });
    await send({ action: 'update', url: draft, replace: { 'post-status': ['published'] } });
    await send({
      type: ['h-entry'],
      properties: { content: ['Later'], name: ['Later news'], published: ['2026-11-24T09:00:00+01:00'] },
    });
    await vi.waitFor(
      async () =>
        expect((await words(house, { area: 'posts' })).toReversed()).toEqual([
          expect.stringMatching(/^Quill saved a draft: “On porches” \(http\S+\)$/),
          expect.stringMatching(/^Quill updated a draft: “On porches” \(/),
          expect.stringMatching(/^Quill published an article: “On porches” \(/),
          expect.stringMatching(/^Quill scheduled an article for 24 November 2026, 09:00: “Later news” \(/),
        ]),
      patience,
    );
    await house.remove();
  });

  test('the activity counts a flood of an app’s posts instead of listing each, and the number is on disk after a stop', async () => {
    const house = await startPorchlight();
    const { token } = await house.call('apps.issueToken', { label: 'Busy', scopes: ['create'] });
    for (let turn = 0; turn < 12; turn += 1)
      await fetch(`${house.base}/micropub`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: new URLSearchParams({ h: 'entry', content: `Post ${turn}` }),
      });
    await house.stop();
    const again = await startPorchlight({ dataDir: house.dataDir });
    const lines = await words(again, { area: 'posts' });
    expect(lines).toHaveLength(6);
    expect(lines).toContain('Busy created 7 more posts.');
    await again.remove();
  });

  test('tells who mentioned what', async () => {
    const site = await openSite();
    const house = await startPorchlight();
    const note = await house.call('posts.create', {
      content: 'Hello',
      photos: [],
      categories: [],
      visibility: 'public',
      status: 'published',
    });
    const target = `${house.base}${note.path}`;
    site.pages.set(
      '/like',
      page(
        `<div class="h-entry"><a class="u-like-of" href="${target}">x</a><a class="p-author h-card" href="/">Jo Wren</a></div>`,
      ),
    );
    await fetch(`${house.base}/webmention`, {
      method: 'POST',
      body: new URLSearchParams({ source: `${site.origin}/like`, target }),
    });
    await house.call('webmentions.process', {});
    await vi.waitFor(
      async () =>
        expect(await words(house, { area: 'mentions' })).toContain(`Jo Wren liked “Hello” (${target}).`),
      patience,
    );
    await house.remove();
    await site.close();
  });

  test('is found page by page with a filter as without one', async () => {
    const house = await startPorchlight();
    for (let turn = 0; turn < 3; turn += 1) {
      await house.call('apps.issueToken', { label: `Script ${turn}`, scopes: ['create'] });
      await house.call('server.turnOff', {});
      await house.call('server.turnOn', {});
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const list = await house.call('activity.list', {
        area: 'sign-ins',
        limit: 1,
        ...(cursor !== undefined && { cursor }),
      });
      seen.push(...list.items.map((item) => item.words));
      cursor = list.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(3);
    expect(seen[0]).toContain('Script 2');
    expect(seen[2]).toContain('Script 0');
    await house.remove();
  });

  test('the owner’s answer to a sign-in is in the history when the owner is told that it counts', async () => {
    const app = await openSite();
    app.pages.set('/', page('<title>App</title>'));
    const house = await startPorchlight();
    await tokensFor(house, signInRequest(app.origin));
    const history = await house.call('signIns.history', {});
    expect(history).toMatchObject([{ outcome: 'approved' }]);
    await house.remove();
    await app.close();
  });

  test('a killed process is reported by the next one', async () => {
    const house = await startPorchlight();
    await house.stop();
    await writeFile(`${house.dataDir}/lock.json`, JSON.stringify({ pid: 4_000_000 }));
    const again = await startPorchlight({ dataDir: house.dataDir });
    await vi.waitFor(
      async () =>
        expect(await words(again, { area: 'server' })).toEqual([expect.stringContaining('without warning')]),
      patience,
    );
    await again.remove();
  });
});
