import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as micropubServer from '../../support/micropub-server.ts';
import { openMicropub, type MicropubServer } from '../../support/micropub-server.ts';

// The same rules hold if the posts have URLs of their own on the owner's site.
vi.mock('../../support/micropub-server.ts', async (original) => {
  const module = await original<typeof micropubServer>();
  return { ...module, openMicropub: () => module.openMicropub({ homes: true }) };
});
const rules = {
  create: () => import('./create.test.ts'),
  update: () => import('./micropub/update.test.ts'),
  changes: () => import('./changes.test.ts'),
  queries: () => import('./micropub/queries.test.ts'),
  files: () => import('./files.test.ts'),
  scheduled: () => import('./scheduled.test.ts'),
  'micropub-helper': () => import('./micropub-helper.test.ts'),
};
for (const [name, load] of Object.entries(rules))
  describe(name, async () => {
    await load();
  });

describe('a post that has its own URL on the owner’s site', () => {
  let server: MicropubServer;
  beforeAll(async () => {
    server = await openMicropub();
  });
  afterAll(() => server.close());

  test('MP-23 is answered with 202 and that URL; a draft has no readers yet: 201', async () => {
    const create = (properties: object) => server.send({ type: ['h-entry'], properties });
    const response = await create({ content: ['Tea'], 'mp-slug': ['tea'] });
    expect(response.status).toBe(202);
    expect(response.headers.get('location')).toBe('https://marlow.example/notes/tea/');
    expect(await response.json()).toEqual({ url: 'https://marlow.example/notes/tea/' });
    const draft = await create({ content: ['Later'], 'post-status': ['draft'] });
    expect(draft.status).toBe(201);
    expect(draft.headers.get('location')).toMatch(new RegExp(`^${server.base}/posts/`));
  });

  test('MP-23 is refused at once if it is invalid', async () => {
    const response = await server.send({ type: ['h-entry'], properties: { 'post-status': ['x'] } });
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
  });

  test('MP-40 MP-50 MP-62 is found by its own URL, its former ones and the built-in one', async () => {
    const first = await server.create({ content: ['One'], 'mp-slug': ['one'] });
    const built = server.base + (server.changes.at(-1)?.post.path ?? '');
    const moved = await server.send({ action: 'update', url: first, replace: { 'mp-slug': ['two'] } });
    expect(moved.status).toBe(201);
    const url = moved.headers.get('location') ?? '';
    expect(url).toBe('https://marlow.example/notes/two/');
    for (const address of [url, first, built, server.base + (server.changes.at(-1)?.post.path ?? '')]) {
      expect((await server.source(address)).properties['content']).toEqual(['One']);
      for (const request of [
        { action: 'update', url: address, replace: { name: ['N'] } },
        { action: 'delete', url: address },
        { action: 'undelete', url: address },
      ])
        expect((await server.send(request)).status).toBe(204);
      expect(server.changes.at(-1)).toMatchObject({ change: 'undeleted', url });
    }
    const listed = (await (await server.query('q=source&limit=1')).json()) as {
      items: { properties: { url: string[] } }[];
    };
    expect(listed.items[0]?.properties.url).toEqual([url]);
  });
});
