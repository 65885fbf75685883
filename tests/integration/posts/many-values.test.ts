import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError } from '../../support/answers.ts';
import { adoptionRules } from '../../support/adoption.ts';
import { openMicropub, type MicropubServer } from '../../support/micropub-server.ts';
import { readArchive } from '../../support/post-archives.ts';
import { readAdopted } from '../../../src-main/site-folder/adopted-post.ts';

const names = (count: number, prefix = 'c') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const cites = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: ['h-cite'],
    properties: { url: [`https://site.example/${index}`], name: ['A page'] },
  }));

let server: MicropubServer;
beforeAll(async () => void (server = await openMicropub()));
afterAll(() => server.close());

const create = (properties: object) => server.send({ type: ['h-entry'], properties });

describe('a post has at most 1000 values in a property and 2000 in all, at any depth', () => {
  test('a post with exactly as many is accepted and returned whole', async () => {
    const url = await server.create({
      category: names(1000),
      syndication: names(999, 'https://s.example/'),
      name: ['N'],
    });
    const { properties } = await server.source(url);
    expect(properties['category']).toHaveLength(1000);
  });

  test.each<[string, object]>([
    ['in a property', { name: ['N'], category: names(1001) }],
    ['in a command', { name: ['N'], 'mp-syndicate-to': names(1001) }],
    // Each citation is a value with a type, a URL and a name.
    ['in nested objects', { 'in-reply-to': cites(251) }],
    ['in lists within lists', { name: ['N'], x: [[names(400), [names(400)]], { y: [{ z: names(300) }] }] }],
    ['in all properties', { category: names(1000), a: names(500), b: names(501) }],
  ])('one more %s is refused', async (_where, properties) => {
    const before = server.posts.size();
    await expectError(await create(properties), 400, 'invalid_request');
    expect(server.posts.size()).toBe(before);
  });

  test('one more in a form or a multipart form is refused', async () => {
    const fields = names(1001).map((name): [string, string] => ['category[]', name]);
    const form = new URLSearchParams([['h', 'entry'], ...fields]);
    await expectError(await server.send(form), 400, 'invalid_request');
    const parts = new FormData();
    for (const [name, value] of form) parts.append(name, value);
    await expectError(await server.send(parts), 400, 'invalid_request');
  });

  test.each<[string, object]>([
    ['adds', { add: { category: names(401, 'd') } }],
    ['replaces', { replace: { category: names(1001) } }],
    ['adds very many', { add: { category: names(160_000) } }],
    ['deletes very many', { delete: { category: names(160_000) } }],
  ])('an update that %s too many is refused at once and changes nothing', async (_how, update) => {
    const url = await server.create({ name: ['N'], category: names(600) });
    await expectError(await server.send({ action: 'update', url, ...update }), 400, 'invalid_request');
    expect((await server.source(url)).properties['category']).toEqual(names(600));
  });
});

test('an import skips a post with too many values, with the reason', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-values-'));
  await mkdir(path.join(folder, 'porchlight'));
  const at = '2026-11-20T10:00:00.000Z';
  const post = (slug: string, category: string[]) => ({
    path: `/posts/2026/11/${slug}`,
    type: ['h-entry'],
    properties: { content: ['Hello'], category },
    commands: {},
    status: 'published',
    visibility: 'public',
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  });
  const posts = [post('few', names(1000)), post('many', names(1001))];
  await writeFile(path.join(folder, 'porchlight/posts.json'), JSON.stringify(posts));
  const { posts: found, skipped } = await readArchive(folder, 'porchlight');
  expect(found.map(({ exported }) => exported?.path)).toEqual(['/posts/2026/11/few']);
  expect(skipped).toEqual([
    { what: '/posts/2026/11/many', why: 'A property can have at most 1000 values: category.' },
  ]);
  await rm(folder, { recursive: true });
});

test('a file of the owner’s folder with too many values isn’t adopted, with the reason', () => {
  const file = (count: number) => `---\ntitle: Fog\ntags: [${names(count).join(', ')}]\n---\nHello\n`;
  const read = (count: number) =>
    readAdopted(file(count), 'content/posts/fog.md', adoptionRules('hugo', '/posts/fog/'));
  expect(read(1000)).toHaveProperty('url');
  expect(read(1001)).toEqual({ problem: 'A property can have at most 1000 values: category.' });
});
