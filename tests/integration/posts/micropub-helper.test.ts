import { createReadStream, type ReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { fullToken, openMicropub, picture, type MicropubServer } from '../../support/micropub-server.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

/** What this client offers, as its README says; the package has no types. */
interface Client {
  verifyToken(): Promise<boolean>;
  create(post: object, type?: 'json' | 'form' | 'multipart'): Promise<string | null>;
  update(url: string, update: object): Promise<unknown>;
  delete(url: string): Promise<unknown>;
  undelete(url: string): Promise<unknown>;
  query(type: string): Promise<Record<string, unknown>>;
  /** Uploads; the address of the file. */
  postMedia(file: unknown): Promise<string>;
  querySource(url: string | object, properties?: string[]): Promise<Record<string, unknown>>;
}
type ClientClass = new (options: {
  token: string;
  micropubEndpoint: string;
  mediaEndpoint?: string;
}) => Client;
const require = createRequire(import.meta.url);
const Micropub = require('micropub-helper') as ClientClass;

let server: MicropubServer;
let client: Client;
beforeAll(async () => {
  server = await openMicropub();
  client = new Micropub({ token: fullToken, micropubEndpoint: server.endpoint });
});
afterAll(() => server.close());
afterEach(() => vi.unstubAllGlobals());

describe('micropub-helper, a real client', () => {
  test('D-13 verifies its token with a query that asks nothing', async () => {
    expect(await client.verifyToken()).toBe(true);
    const stranger = new Micropub({ token: 'unknown', micropubEndpoint: server.endpoint });
    await expect(stranger.verifyToken()).rejects.toMatchObject({ status: 401 });
  });

  test('MP-20 creates from JSON, and reads it back', async () => {
    const post = { type: ['h-entry'], properties: { content: ['Hello'], category: ['a', 'b'] } };
    const url = (await client.create(post)) ?? '';
    expect(url).toBe(server.urlOf(server.changes.at(-1)?.post.path.split('/').at(-1) ?? ''));
    expect(await client.querySource(url)).toMatchObject(post);
    expect(await client.querySource(url, ['category'])).toEqual({ properties: { category: ['a', 'b'] } });
  });

  test.each(['form', 'multipart'] as const)('MP-21 creates from a %s with lists', async (type) => {
    // Its axios knows no other FormData than this package's, which it takes where the runtime has none.
    vi.stubGlobal('FormData', createRequire(require.resolve('micropub-helper'))('form-data'));
    const url = await client.create({ h: 'entry', content: `By ${type}`, category: ['x', 'y'] }, type);
    expect(await client.querySource(url ?? '')).toMatchObject({
      properties: { content: [`By ${type}`], category: ['x', 'y'] },
    });
  });

  /** A file as this client can send it: a stream, which knows its own name. */
  async function fileOnDisk(content: Buffer): Promise<() => ReadStream> {
    const file = join(await temporaryFolder(), 'photo.jpg');
    await writeFile(file, content);
    return () => createReadStream(file);
  }

  test('MP-70 MP-75 finds the media endpoint, and uploads to it', async () => {
    vi.stubGlobal('FormData', createRequire(require.resolve('micropub-helper'))('form-data'));
    const content = Buffer.from(await picture(100_000).arrayBuffer());
    const file = await fileOnDisk(content);
    const { 'media-endpoint': endpoint } = await client.query('config');
    const endpoints = { micropubEndpoint: server.endpoint, mediaEndpoint: String(endpoint) };
    const url = await new Micropub({ ...endpoints, token: fullToken }).postMedia(file());
    expect(server.media.contents.get(new URL(url).pathname)).toEqual(content);
    const refused = new Micropub({ ...endpoints, token: 'update' }).postMedia(file());
    await expect(refused).rejects.toMatchObject({ status: 403 });
  });

  test('MP-29 creates a post with a photo in one request', async () => {
    vi.stubGlobal('FormData', createRequire(require.resolve('micropub-helper'))('form-data'));
    const content = Buffer.from(await picture(100_000).arrayBuffer());
    const file = await fileOnDisk(content);
    const url = await client.create({ h: 'entry', content: 'Look', photo: file() }, 'multipart');
    const { properties } = await server.source(url ?? '');
    expect(properties['content']).toEqual(['Look']);
    expect(server.media.contents.get(new URL(String(properties['photo']?.[0])).pathname)).toEqual(content);
  });

  test('MP-8 MP-60 queries the configuration with a content type on a GET', async () => {
    expect(await client.query('config')).toMatchObject({
      'syndicate-to': [{ uid: 'https://social.example/@ada', name: 'Social' }],
    });
    expect(await client.query('category')).toEqual({
      categories: expect.arrayContaining(['chosen']) as string[],
    });
  });

  test('MP-42 updates, deletes and undeletes', async () => {
    const url = (await client.create({ type: ['h-entry'], properties: { content: ['Before'] } })) ?? '';
    await client.update(url, { replace: { content: ['After'] } });
    expect(await client.querySource(url)).toMatchObject({ properties: { content: ['After'] } });

    await client.delete(url);
    await expect(client.querySource(url)).rejects.toMatchObject({ status: 400 });
    await client.undelete(url);
    expect(await client.querySource(url)).toMatchObject({ properties: { content: ['After'] } });
  });

  test('MP-45 gets the new address of a post that moved', async () => {
    const url = (await client.create({ type: ['h-entry'], properties: { content: ['Moving'] } })) ?? '';
    const moved = await client.update(url, { replace: { content: ['Moved'], 'mp-slug': ['moved-here'] } });
    expect(moved).toBe(server.urlOf('moved-here'));
    expect(await client.querySource(url)).toMatchObject({ properties: { content: ['Moved'] } });
  });

  test('MX-5 lists posts', async () => {
    const list = await client.querySource({ limit: 2 });
    expect(list['items']).toHaveLength(2);
  });

  test('MP-9 an error is an error: it has no Location', async () => {
    await expect(client.create({ type: ['h-entry'], properties: {} })).rejects.toMatchObject({ status: 400 });
    await expect(client.update(`${server.base}/nowhere`, { add: { category: ['x'] } })).rejects.toMatchObject(
      { status: 400 },
    );
  });
});
