import { createServer } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createGuardedFetch, userAgentOf } from '../../../src-main/platform/guarded-fetch.ts';
import { answer, hostileServer, redirectTo, silence } from '../../support/hostile-server.ts';
import type { Behaviour, HostileServer } from '../../support/hostile-server.ts';
import { publicFetch } from '../../support/public-fetch.ts';

const toClose: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(toClose.splice(0).map((one) => one.close()));
});

/** A private server that must not be reached, beside a "public" one, and a fetch that sees them as such. */
async function world(
  behaviours: Record<string, Behaviour>,
  names: (publicServer: HostileServer) => Record<string, readonly string[][]> = () => ({}),
) {
  const server = await hostileServer(behaviours);
  const secret = await hostileServer({ '/': answer(200, 'the router at home') });
  const { fetch, lookups } = publicFetch(server.port, {
    'public.example': [['127.0.0.1']],
    ...names(server),
  });
  toClose.push(fetch, server, secret);
  return {
    fetch,
    lookups,
    server,
    secret,
    at: (path: string) => `http://public.example:${server.port}${path}`,
  };
}

/** Ends a server below HTTP. */
async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

describe('a plain fetch', () => {
  test('brings home status, address, headers and body', async () => {
    const page = answer(200, '<p>hé</p>', {
      'content-type': 'text/html; charset=utf-8',
      link: ['<a>', '<b>'],
      'x-old': 'caf\xe9',
    });
    const { fetch, at } = await world({ '/page': page });
    const response = await fetch(at('/page?x=1#part'));
    expect(response).toMatchObject({ status: 200, url: at('/page?x=1#part'), redirected: false });
    expect(response.text()).toBe('<p>hé</p>');
    expect(response.headers.get('Link')).toBe('<a>, <b>');
    expect(response.headers.get('x-old')).toBe('café');
    expect(response.headers.get('x-none')).toBeNull();
    expect(response.headers.get('constructor')).toBeNull();
  });

  test('names itself and the host, and sends no cookie, referrer or fragment', async () => {
    const { fetch, at, server } = await world({ '/': answer(200, '', { 'set-cookie': 'a=b' }) });
    await fetch(at('/'), {
      accept: 'text/html',
      headers: { Cookie: 'c=d', Referer: 'http://x/', Host: 'evil.example' },
    });
    await fetch(at('/?q=1#secret'));
    const [first, second] = server.seen;
    expect(first?.headers).toMatchObject({
      host: `public.example:${server.port}`,
      'user-agent': 'Porchlight/test (IndieWeb server; Webmention)',
      accept: 'text/html',
    });
    expect(second?.path).toBe('/?q=1');
    for (const { headers } of server.seen) {
      expect(headers.cookie).toBeUndefined();
      expect(headers.referer).toBeUndefined();
    }
  });

  test('a 4xx or 5xx is an answer, not an error', async () => {
    const { fetch, at } = await world({ '/gone': answer(410, 'gone'), '/broken': answer(503) });
    expect((await fetch(at('/gone'))).status).toBe(410);
    expect((await fetch(at('/broken'))).status).toBe(503);
  });

  test('HEAD reads no body, whatever the headers promise', async () => {
    const { fetch, at } = await world({
      '/': answer(200, '', { 'content-length': '99999999', 'content-encoding': 'gzip' }),
    });
    const response = await fetch(at('/'), { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.body.byteLength).toBe(0);
  });

  test('POST sends its body and headers', async () => {
    const { fetch, at, server } = await world({ '/hook': answer(202) });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Bearer t' };
    await fetch(at('/hook'), { method: 'POST', headers, body: 'source=a&target=b' });
    expect(server.seen[0]).toMatchObject({ method: 'POST', body: 'source=a&target=b', headers });
  });

  test.each([
    ['text/html; charset=iso-8859-1', Buffer.from('caf\xe9', 'latin1'), 'café'],
    ['text/html; charset="windows-1252"', Buffer.from([0x80]), '€'],
    ['text/html; charset=shift_jis', Buffer.from([0x82, 0xa0]), 'あ'],
    ['text/html; charset=klingon', Buffer.from('café'), 'café'],
    ['text/html', Buffer.from('café'), 'café'],
  ])('text in %s is decoded as such', async (type, bytes, text) => {
    const { fetch, at } = await world({ '/': answer(200, bytes, { 'content-type': type }) });
    expect((await fetch(at('/'))).text()).toBe(text);
  });

  test('no proxy of the environment is asked', async () => {
    const { fetch, at, server, secret } = await world({ '/': answer(200, 'direct') });
    const before = process.env['http_proxy'];
    process.env['http_proxy'] = secret.origin;
    try {
      expect((await fetch(at('/'))).text()).toBe('direct');
    } finally {
      if (before === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = before;
    }
    expect([server.seen.length, secret.connections()]).toEqual([1, 0]);
  });
});

describe('names', () => {
  test('a name that resolves to a private address is refused before anything connects', async () => {
    const { fetch, secret } = await world({}, () => ({ 'inside.example': [['127.0.0.1']] }));
    const reached = fetch(`http://inside.example:${secret.port}/`);
    await expect(reached).rejects.toMatchObject({ code: 'fetch_refused_address' });
    expect(secret.connections()).toBe(0);
  });

  test.each([
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['fe80::1%eth0'],
    ['::ffff:10.0.0.1'],
    ['64:ff9b::a00:1'],
  ])('a name with a public address and %s is refused whole', async (inside) => {
    const { fetch, server, at } = await world({ '/': answer(200) }, () => ({
      'public.example': [['127.0.0.1', inside]],
    }));
    await expect(fetch(at('/'))).rejects.toMatchObject({ code: 'fetch_refused_address' });
    expect(server.connections()).toBe(0);
  });

  test('a name that resolves to a public address first and a private one later is looked up once for each connection', async () => {
    const { fetch, lookups, at, server } = await world({ '/': answer(200, 'first') }, () => ({
      'public.example': [['127.0.0.1'], ['10.0.0.1']],
    }));
    expect((await fetch(at('/'))).text()).toBe('first');
    expect(lookups).toEqual(['public.example']);
    // Neither a kept connection nor a kept answer serves the second fetch: it is checked again, and refused.
    await expect(fetch(at('/'))).rejects.toMatchObject({ code: 'fetch_refused_address' });
    expect(server.connections()).toBe(1);
  });

  test('a redirect back to the same name is checked again', async () => {
    const { fetch, at, server } = await world({ '/': redirectTo('/inside'), '/inside': answer(200) }, () => ({
      'public.example': [['127.0.0.1'], ['192.168.1.1']],
    }));
    await expect(fetch(at('/'))).rejects.toMatchObject({ code: 'fetch_refused_address' });
    expect(server.seen.map(({ path }) => path)).toEqual(['/']);
  });

  test('a trailing dot changes nothing', async () => {
    const { fetch, server, lookups } = await world({ '/': answer(200, 'here') });
    expect((await fetch(`http://public.example.:${server.port}/`)).text()).toBe('here');
    expect(lookups).toEqual(['public.example']);
    expect(server.seen[0]?.headers.host).toBe(`public.example:${server.port}`);
  });

  test('a name that does not exist is said to be unknown to the owner, and to nobody else', async () => {
    const { fetch } = await world({});
    await expect(fetch('http://nowhere.example/')).rejects.toMatchObject({
      code: 'fetch_failed',
      message: 'The other server could not be reached.',
      detail: 'Porchlight couldn’t find the other server’s name.',
    });
  });

  test('over TLS the name of the URL is asked for, though the socket goes to the checked address', async () => {
    const asked: string[] = [];
    const tls = createServer({
      SNICallback: (name, callback) => {
        asked.push(name);
        callback(new Error('no certificate here'));
      },
    });
    tls.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
    await once(tls, 'listening');
    const { port } = tls.address() as AddressInfo;
    const { fetch } = publicFetch(port, { 'public.example': [['127.0.0.1']] });
    toClose.push(fetch, { close: () => closed(tls) });
    await expect(fetch(`https://public.example.:${port}/`)).rejects.toMatchObject({ code: 'fetch_failed' });
    expect(asked).toEqual(['public.example']);
  });
});

describe('redirects', () => {
  test('are followed up to the limit, and the last address is reported', async () => {
    const { fetch, at } = await world({
      '/0': redirectTo('/1', 301),
      '/1': redirectTo('2', 302),
      '/2': redirectTo('/3', 303),
      '/3': redirectTo('/4', 307),
      '/4': redirectTo(Buffer.from('/end?é=1').toString('latin1'), 308),
      '/end': answer(200, 'end'),
    });
    expect(await fetch(at('/0#frag'))).toMatchObject({
      status: 200,
      url: at('/end?%C3%A9=1#frag'),
      redirected: true,
    });
    const tooMany = fetch(at('/0'), { maxRedirects: 4 });
    await expect(tooMany).rejects.toMatchObject({ code: 'fetch_too_many_redirects' });
  });

  test('are given back unfollowed when none are wanted', async () => {
    const { fetch, at, server } = await world({ '/': redirectTo('/next') });
    const response = await fetch(at('/'), { maxRedirects: 0 });
    expect(response).toMatchObject({ status: 302, redirected: false });
    expect(response.headers.get('location')).toBe('/next');
    expect(server.seen.length).toBe(1);
  });

  test('a 3xx without a Location is the answer', async () => {
    const { fetch, at } = await world({ '/': answer(304), '/choices': answer(300, 'a or b') });
    expect((await fetch(at('/'))).status).toBe(304);
    expect((await fetch(at('/choices'))).text()).toBe('a or b');
  });

  test('that lead in a circle end at the first repetition', async () => {
    const { fetch, at, server } = await world({ '/a': redirectTo('/b'), '/b': redirectTo('/a') });
    await expect(fetch(at('/a'), { maxRedirects: 20 })).rejects.toMatchObject({
      code: 'fetch_too_many_redirects',
    });
    expect(server.seen.map(({ path }) => path)).toEqual(['/a', '/b']);
  });

  test('that never repeat end at the limit', async () => {
    let count = 0;
    const { fetch, at, server } = await world({ '/': redirectTo(() => `/?${++count}`) });
    await expect(fetch(at('/'))).rejects.toMatchObject({ code: 'fetch_too_many_redirects' });
    expect(server.seen.length).toBe(6);
  });

  test.each([
    ['a private literal', (port: number) => `http://127.0.0.1:${port}/`],
    ['a private literal in disguise', (port: number) => `http://0x7f.1:${port}/`],
    ['a mapped literal', (port: number) => `http://[::ffff:127.0.0.1]:${port}/`],
    ['localhost', (port: number) => `http://localhost:${port}/`],
    ['a name inside', (port: number) => `http://inside.example:${port}/`],
    ['a scheme-relative address', (port: number) => `//127.0.0.1:${port}/`],
  ])('to %s are refused', async (_what, target) => {
    let location = '';
    const { fetch, at, secret } = await world({ '/': redirectTo(() => location) }, () => ({
      'inside.example': [['127.0.0.1']],
    }));
    location = target(secret.port);
    await expect(fetch(at('/'))).rejects.toMatchObject({ code: 'fetch_refused_address' });
    expect(secret.connections()).toBe(0);
  });

  test.each(['file:///etc/passwd', 'ftp://example.com/', 'http://user:pass@public.example/', 'http://['])(
    'to %s are refused',
    async (location) => {
      const { fetch, at } = await world({ '/': redirectTo(location) });
      await expect(fetch(at('/'))).rejects.toMatchObject({ code: 'fetch_bad_url' });
    },
  );

  test('to another origin leave the caller’s headers behind; within one they stay', async () => {
    const { fetch, at, server } = await world(
      {
        '/away': redirectTo(() => `http://other.example:${server.port}/there`),
        '/within': redirectTo('/there'),
        '/there': answer(200),
      },
      () => ({ 'other.example': [['127.0.0.1']] }),
    );
    const options = { accept: 'text/html', headers: { Authorization: 'Bearer t', 'X-Key': 'k' } };
    await fetch(at('/away'), options);
    await fetch(at('/within'), options);
    const [, away, , within] = server.seen;
    expect(away?.headers).toMatchObject({ host: `other.example:${server.port}`, accept: 'text/html' });
    expect(away?.headers.authorization).toBeUndefined();
    expect(away?.headers['x-key']).toBeUndefined();
    expect(within?.headers).toMatchObject({ authorization: 'Bearer t', 'x-key': 'k' });
  });

  test.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'a=b'],
    [308, 'POST', 'a=b'],
  ])('a %i after a POST is followed with %s', async (status, method, body) => {
    const { fetch, at, server } = await world({ '/': redirectTo('/next', status), '/next': answer(200) });
    await fetch(at('/'), { method: 'POST', headers: { 'content-type': 'text/x' }, body: 'a=b' });
    expect(server.seen[1]).toMatchObject({ method, body, path: '/next' });
    expect(server.seen[1]?.headers['content-type']).toBe(method === 'POST' ? 'text/x' : undefined);
  });
});

describe('private addresses allowed (development)', () => {
  async function development(behaviours: Record<string, Behaviour>) {
    const server = await hostileServer(behaviours);
    const fetch = createGuardedFetch({
      allowPrivate: true,
      userAgent: userAgentOf('1.2.3'),
      lookup: () => Promise.resolve(['127.0.0.1']),
    });
    toClose.push(server, fetch);
    return { server, fetch };
  }

  test('loopback is reached by literal, by localhost and by name', async () => {
    const { fetch, server } = await development({ '/': answer(200, 'dev') });
    for (const host of ['127.0.0.1', 'localhost', 'alice.localhost', 'dev.example']) {
      expect((await fetch(`http://${host}:${server.port}/`)).text()).toBe('dev');
    }
    expect(server.seen[0]?.headers['user-agent']).toBe('Porchlight/1.2.3 (IndieWeb server; Webmention)');
  });

  test('the User-Agent names the owner’s public address, except to services that work for Porchlight', async () => {
    const server = await hostileServer({ '/': answer(200, 'dev') });
    const own: { address?: string } = {};
    const fetch = createGuardedFetch({
      allowPrivate: true,
      userAgent: userAgentOf('1.2.3'),
      named: () => own.address,
    });
    toClose.push(server, fetch);
    await fetch(`${server.origin}/`);
    own.address = 'https://porch.example/';
    await fetch(`${server.origin}/`);
    await fetch(`${server.origin}/`, { isUnnamed: true });
    expect(server.seen.map(({ headers }) => headers['user-agent'])).toEqual([
      'Porchlight/1.2.3 (IndieWeb server; Webmention)',
      'Porchlight/1.2.3 (IndieWeb server; Webmention; +https://porch.example/)',
      'Porchlight/1.2.3 (IndieWeb server; Webmention)',
    ]);
  });

  test('everything else stays: cloud metadata, multicast, schemes, sizes, hops', async () => {
    const { fetch, server } = await development({
      '/': answer(200, 'x'.repeat(11)),
      '/loop': redirectTo('/loop'),
    });
    const refused = { code: 'fetch_refused_address' };
    await expect(fetch('http://169.254.169.254/')).rejects.toMatchObject(refused);
    await expect(fetch('http://0.0.0.0/')).rejects.toMatchObject(refused);
    await expect(fetch('http://224.0.0.1/')).rejects.toMatchObject(refused);
    await expect(fetch(`http://user@127.0.0.1:${server.port}/`)).rejects.toMatchObject({
      code: 'fetch_bad_url',
    });
    await expect(fetch(`${server.origin}/`, { maxBytes: 10 })).rejects.toMatchObject({
      code: 'fetch_too_large',
    });
    await expect(fetch(`${server.origin}/loop`)).rejects.toMatchObject({ code: 'fetch_too_many_redirects' });
  });
});

describe('stopping', () => {
  test('a caller’s signal ends the fetch, and an aborted signal never starts it', async () => {
    const { fetch, at, server } = await world({ '/': silence });
    const caller = new AbortController();
    const running = fetch(at('/'), { signal: caller.signal });
    while (server.seen.length === 0) await new Promise(setImmediate);
    caller.abort();
    await expect(running).rejects.toMatchObject({ code: 'fetch_failed' });
    await server.deserted();
    await expect(fetch(at('/'), { signal: caller.signal })).rejects.toMatchObject({ code: 'fetch_failed' });
    expect(server.connections()).toBe(1);
  });

  test('close ends running requests and refuses later ones', async () => {
    const { fetch, at, server } = await world({ '/': silence });
    const running = fetch(at('/'), { timeoutMs: 60_000 }).catch((error: unknown) => error);
    while (server.seen.length === 0) await new Promise(setImmediate);
    await fetch.close();
    expect(await running).toMatchObject({ code: 'fetch_failed' });
    await expect(fetch(at('/'))).rejects.toMatchObject({ code: 'fetch_failed' });
    expect(server.connections()).toBe(1);
  });

  test('no connection is kept after an answer', async () => {
    const { fetch, at, server } = await world({
      '/': answer(200, gzipSync('x'), { 'content-encoding': 'gzip' }),
    });
    await fetch(at('/'));
    await server.deserted();
    await fetch(at('/'));
    expect(server.connections()).toBe(2);
  });
});

describe('a connection that is kept for the next request', () => {
  const followed = { isFollowed: () => true };
  const here = { '/': answer(200, 'first'), '/second': answer(200, 'second') };

  test('serves the next request to exactly its origin, whose address was checked when it was opened', async () => {
    const { fetch, lookups, at, server } = await world(here, () => ({
      'public.example': [['127.0.0.1'], ['10.0.0.1']],
      'other.example': [['127.0.0.1']],
    }));
    await fetch(at('/'), followed);
    expect((await fetch(at('/second'), followed)).text()).toBe('second');
    expect([lookups, server.connections()]).toEqual([['public.example'], 1]);
    const other = `http://other.example:${server.port}/`;
    expect((await fetch(other, followed)).text()).toBe('first');
    expect([lookups, server.connections()]).toEqual([['public.example', 'other.example'], 2]);
  });

  test('serves neither another IP version, nor requests without the option, nor other methods', async () => {
    const { fetch, at, server } = await world(here);
    await fetch(at('/'), followed);
    await fetch(at('/'), { ...followed, family: 4 });
    await fetch(at('/'));
    await fetch(at('/'), { ...followed, method: 'POST' });
    expect(server.connections()).toBe(4);
  });

  test('is closed at once if no request follows, and soon if none comes', async () => {
    const { fetch, at, server } = await world(here);
    await fetch(at('/'), { isFollowed: () => false });
    await server.deserted();
    await fetch(at('/'), followed);
    await server.deserted();
    expect(server.connections()).toBe(2);
  });

  test('after it was closed, the address is checked again before another is opened', async () => {
    const { fetch, at, server } = await world(
      { '/': answer(200, 'first', { 'keep-alive': 'timeout=60' }), '/end': (response) => response.destroy() },
      () => ({ 'public.example': [['127.0.0.1'], ['10.0.0.1']] }),
    );
    await fetch(at('/'), followed);
    await expect(fetch(at('/end'), followed)).rejects.toMatchObject({ code: 'fetch_refused_address' });
    expect(server.connections()).toBe(1);
  });

  test('is replaced if the server closed it instead of answering', async () => {
    let requests = 0;
    const { fetch, at, server } = await world({
      '/': (response) => (++requests === 2 ? response.destroy() : response.end(`answer ${requests}`)),
    });
    await fetch(at('/'), followed);
    expect((await fetch(at('/'), followed)).text()).toBe('answer 3');
    expect(server.connections()).toBe(2);
  });

  test('is not kept after a redirect, an answer that is too large, or the time limit', async () => {
    const { fetch, at, server } = await world({
      ...here,
      '/moved': redirectTo('/'),
      '/large': answer(200, 'x'.repeat(2000)),
      '/silent': silence,
    });
    await fetch(at('/moved'), { ...followed, isFollowed: () => false });
    await server.deserted();
    expect(server.connections()).toBe(2);
    await fetch(at('/large'), { ...followed, maxBytes: 1000 }).catch(() => undefined);
    await server.deserted();
    await fetch(at('/silent'), { ...followed, timeoutMs: 50 }).catch(() => undefined);
    await server.deserted();
    expect(server.connections()).toBe(4);
  });

  test('a redirect to a private address is refused over it, too', async () => {
    const { fetch, at, secret, server } = await world({
      ...here,
      '/inside': redirectTo(() => `http://127.0.0.1:${secret.port}/`),
    });
    await fetch(at('/'), followed);
    await expect(fetch(at('/inside'), followed)).rejects.toMatchObject({ code: 'fetch_refused_address' });
    expect([server.connections(), secret.connections()]).toEqual([1, 0]);
  });

  test('ends when the fetch is closed', async () => {
    const { fetch, at, server } = await world(here);
    await fetch(at('/'), followed);
    await fetch.close();
    await server.deserted();
  });
});

test('a fetch that succeeds aborts nothing', async () => {
  const { fetch, at } = await world({ '/': answer(200, 'plain') });
  const abort = vi.spyOn(AbortController.prototype, 'abort');
  try {
    await fetch(at('/'));
    expect(abort).not.toHaveBeenCalled();
  } finally {
    abort.mockRestore();
  }
});

test('the bytes of an answer have memory of their own', async () => {
  const { fetch, at } = await world({ '/': answer(200, 'few') });
  const { body } = await fetch(at('/'));
  expect(body.buffer.byteLength).toBe(3);
});

test('no message of a failed fetch reveals the address of the connection', async () => {
  const { fetch, at, server, secret } = await world({ '/': (response) => response.destroy() }, () => ({
    'inside.example': [['10.11.12.13']],
  }));
  const urls = [at('/'), `http://inside.example/`, `${secret.origin}/`, 'http://nowhere.example/'];
  for (const url of urls) {
    const error = await fetch(url).catch((reason: unknown) => reason as Error);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).not.toMatch(/\d|example|ECONN|socket/i);
  }
  expect(server.port).not.toBe(secret.port);
});
