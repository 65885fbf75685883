import { afterEach, describe, expect, test } from 'vitest';
import type { GuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { openDirectory } from '../../support/client-pages.ts';
import {
  answer,
  endless,
  hostileServer,
  redirectTo,
  silence,
  type Behaviour,
  type HostileServer,
} from '../../support/hostile-server.ts';
import { publicFetch } from '../../support/public-fetch.ts';

describe('on the real network, with addresses that are not public', () => {
  const open: HostileServer[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  async function serve(behaviours: Record<string, Behaviour>): Promise<HostileServer> {
    const server = await hostileServer(behaviours);
    open.push(server);
    return server;
  }

  /** `app.example` is a public site on `server`; whatever else is on loopback is not public. */
  function directoryFor(server: HostileServer, names: Record<string, readonly string[][]> = {}) {
    const { fetch } = publicFetch(server.port, { 'app.example': [['127.0.0.1']], ...names });
    // What is slow is given up at once: the limit itself is tested above.
    const hasty: GuardedFetch = (url, options) => fetch(url, { ...options, timeoutMs: 1000 });
    return { directory: openDirectory(hasty), client: `http://app.example:${server.port}/` };
  }

  const unread = {
    name: expect.stringContaining('app.example') as string,
    redirects: { uris: [] },
    logo: null,
    warnings: [expect.any(String)],
  };
  const hello = answer(200, '<title>Hello</title>', { 'content-type': 'text/html' });

  test('a public client is read', async () => {
    const server = await serve({ '/': hello });
    const { directory, client } = directoryFor(server);
    expect((await directory.lookUp(client)).name).toBe('Hello');
  });

  test.each(['127.0.0.1', 'localhost', '[::1]'])('IA-40 a client on %s is never fetched', async (host) => {
    const server = await serve({ '/': hello });
    const { directory } = directoryFor(server);
    const client = await directory.lookUp(`http://${host}:${server.port}/`);
    expect(client).toMatchObject({ logo: null, redirects: { uris: [] }, warnings: [expect.any(String)] });
    expect(server.connections()).toBe(0);
  });

  test.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['10.0.0.1'],
    ['192.168.1.1'],
    ['169.254.169.254'],
    ['fd00::1'],
    ['fe80::1'],
    ['0.0.0.0'],
    ['100.64.0.1'],
  ])('IA-40 IA-41 a client whose name leads to %s is never fetched', async (address) => {
    const server = await serve({ '/': hello });
    const other = await serve({ '/': hello });
    const { directory } = directoryFor(server, { 'sly.example': [[address]] });
    const client = await directory.lookUp(`http://sly.example:${other.port}/`);
    expect(client).toMatchObject({ ...unread, name: `sly.example:${other.port}` });
    expect(other.connections()).toBe(0);
  });

  test('IA-41 one private address among public ones is enough to refuse', async () => {
    const server = await serve({ '/': hello });
    const { directory } = directoryFor(server, { 'sly.example': [['127.0.0.1', '10.0.0.1']] });
    expect((await directory.lookUp(`http://sly.example:${server.port}/`)).warnings).toHaveLength(1);
    expect(server.connections()).toBe(0);
  });

  test('IA-41 a name that changes its address between requests is checked each time', async () => {
    const server = await serve({
      '/': answer(200, '<title>Hello</title><link rel="icon" href="/icon">', {
        'content-type': 'text/html',
        'cache-control': 'no-store',
      }),
      '/icon': answer(200, 'png'),
    });
    const { directory } = directoryFor(server, { 'sly.example': [['127.0.0.1'], ['10.0.0.1']] });
    expect(await directory.lookUp(`http://sly.example:${server.port}/`)).toMatchObject({
      name: 'Hello',
      logo: null,
    });
    expect((await directory.lookUp(`http://sly.example:${server.port}/`)).warnings).toHaveLength(1);
    expect(server.seen.map(({ path }) => path)).toEqual(['/']);
  });

  test('IA-41 a redirect to a private address is not followed', async () => {
    const inner = await serve({ '/': hello });
    const server = await serve({ '/': redirectTo(`http://127.0.0.1:${inner.port}/`) });
    const { directory, client } = directoryFor(server);
    expect(await directory.lookUp(client)).toMatchObject(unread);
    expect(inner.connections()).toBe(0);
  });

  test('IA-41 nor a third address', async () => {
    const inner = await serve({ '/': hello });
    const server = await serve({
      '/': redirectTo('/a'),
      '/a': redirectTo('/b'),
      '/b': redirectTo(`http://127.0.0.1:${inner.port}/`),
    });
    const { directory, client } = directoryFor(server);
    expect(await directory.lookUp(client)).toMatchObject(unread);
    expect(inner.connections()).toBe(0);
  });

  test('IA-41 a picture on a private address is not fetched', async () => {
    const inner = await serve({ '/logo': answer(200, 'png') });
    const server = await serve({
      '/': answer(200, `<title>Hello</title><link rel="icon" href="http://127.0.0.1:${inner.port}/logo">`, {
        'content-type': 'text/html',
      }),
    });
    const { directory, client } = directoryFor(server);
    expect(await directory.lookUp(client)).toMatchObject({ name: 'Hello', logo: null });
    expect(inner.connections()).toBe(0);
  });

  test('D-10 a page may be three redirects away, not four', async () => {
    const server = await serve({
      '/1': redirectTo('/2'),
      '/2': redirectTo('/3'),
      '/3': redirectTo('/4'),
      '/4': redirectTo('/5'),
      '/5': hello,
    });
    const { directory, client } = directoryFor(server);
    expect((await directory.lookUp(`${client}2`)).name).toBe('Hello');
    expect(await directory.lookUp(`${client}1`)).toMatchObject(unread);
  });

  test.each<[string, Behaviour]>([
    ['says nothing', silence],
    ['never ends', endless(Buffer.alloc(65_536, 'x'), { 'content-type': 'text/html' })],
    ['is 10 MB', answer(200, Buffer.alloc(10 * 1024 * 1024, 'x'), { 'content-type': 'text/html' })],
    [
      'breaks off',
      (response) => response.writeHead(200, { 'content-length': '100' }).end('x', () => response.destroy()),
    ],
    ['redirects to itself', redirectTo('/')],
    ['redirects to a file', redirectTo('file:///etc/passwd')],
    ['redirects nowhere', redirectTo('http://[')],
  ])('a client that %s is known by its address only', async (_, behaviour) => {
    const server = await serve({ '/': behaviour });
    const { directory, client } = directoryFor(server);
    expect(await directory.lookUp(client)).toMatchObject(unread);
  });

  test('a client whose name nobody knows is known by its address only', async () => {
    const server = await serve({});
    const { directory } = directoryFor(server);
    expect((await directory.lookUp('https://nobody.example/')).warnings).toHaveLength(1);
  });
});
