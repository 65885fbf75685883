import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { answer, drip, endless, hostileServer, silence, stallInBody } from '../../support/hostile-server.ts';
import type { Behaviour } from '../../support/hostile-server.ts';

const toClose: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(toClose.splice(0).map((one) => one.close()));
});

function newFetch(lookup = () => Promise.resolve<readonly string[]>(['127.0.0.1'])) {
  const fetch = createGuardedFetch({ allowPrivate: true, userAgent: 'test', lookup });
  toClose.push(fetch);
  return fetch;
}

async function serve(behaviour: Behaviour) {
  const server = await hostileServer({ '/': behaviour });
  toClose.push(server);
  return { server, fetch: newFetch() };
}

/** A server below HTTP: gives the socket to the test once a request has come. */
async function serveRaw(behaviour: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        behaviour(socket);
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  toClose.push({ close: () => closed(server) });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, fetch: newFetch() };
}

/** Ends a server below HTTP. */
async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

describe('time', () => {
  const soon = { timeoutMs: 150 };
  const timeout = { code: 'fetch_timeout' };

  test.each([
    ['an answer that never comes', silence],
    ['a body that stalls', stallInBody],
    ['a body that drips', drip(10)],
  ])('%s ends at the time limit, and the connection with it', async (_what, behaviour) => {
    const { server, fetch } = await serve(behaviour);
    await expect(fetch(`${server.origin}/`, soon)).rejects.toMatchObject(timeout);
    await server.deserted();
  });

  test('headers that arrive slowly end at the time limit', async () => {
    const { url, fetch } = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 10);
      socket.once('close', () => {
        clearInterval(timer);
      });
    });
    await expect(fetch(url, soon)).rejects.toMatchObject(timeout);
  });

  test('DNS that never answers ends at the time limit', async () => {
    const fetch = newFetch(() => new Promise(() => undefined));
    await expect(fetch('http://slow.example/', soon)).rejects.toMatchObject(timeout);
  });

  test('DNS that answers after the time limit opens no connection any more', async () => {
    const { server } = await serve(answer(200));
    let reply: (addresses: readonly string[]) => void = () => undefined;
    const fetch = newFetch(() => new Promise((resolve) => (reply = resolve)));
    await expect(fetch(`http://slow.example:${server.port}/`, soon)).rejects.toMatchObject(timeout);
    reply(['127.0.0.1']);
    await newFetch()(`${server.origin}/`);
    expect(server.connections()).toBe(1);
  });

  test('all hops share one limit', async () => {
    let hop = 0;
    const { server, fetch } = await serve((response) => {
      setTimeout(() => response.writeHead(302, { location: `/?${++hop}` }).end(), 60);
    });
    const away = fetch(`${server.origin}/`, { ...soon, maxRedirects: 1_000 });
    await expect(away).rejects.toMatchObject(timeout);
  });
});

describe('size', () => {
  const tooLarge = { code: 'fetch_too_large' };
  const zeros = Buffer.alloc(8 * 1024 * 1024);

  test('exactly the limit is accepted, a byte more is not', async () => {
    const { server, fetch } = await serve(answer(200, 'x'.repeat(1000)));
    expect((await fetch(`${server.origin}/`, { maxBytes: 1000 })).body.byteLength).toBe(1000);
    await expect(fetch(`${server.origin}/`, { maxBytes: 999 })).rejects.toMatchObject(tooLarge);
  });

  test('an endless body is cut off, and the connection with it', async () => {
    const { server, fetch } = await serve(endless(Buffer.alloc(64 * 1024, 'x')));
    await expect(fetch(`${server.origin}/`)).rejects.toMatchObject(tooLarge);
    await server.deserted();
  });

  test.each([
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['deflate', deflateRawSync(zeros)],
    ['br', brotliCompressSync(zeros)],
  ])('a %s bomb is cut off at the limit of its decompressed size', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(20_000);
    const { server, fetch } = await serve(answer(200, bomb, { 'content-encoding': encoding }));
    await expect(fetch(`${server.origin}/`)).rejects.toMatchObject(tooLarge);
  });

  test('an endless stream of compressed zeros is cut off', async () => {
    const nothing = Buffer.concat(Array.from({ length: 1_000 }, () => gzipSync('')));
    const { server, fetch } = await serve(endless(nothing, { 'content-encoding': 'gzip' }));
    await expect(fetch(`${server.origin}/`)).rejects.toMatchObject(tooLarge);
  });

  test('giant headers are refused, be it one or many', async () => {
    const { server, fetch } = await serve(answer(200, 'x', { 'x-big': 'y'.repeat(20_000) }));
    await expect(fetch(`${server.origin}/`)).rejects.toMatchObject(tooLarge);
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`x-header-${n}`, 'y'.repeat(30)]));
    const other = await serve(answer(200, 'x', many));
    await expect(other.fetch(`${other.server.origin}/`)).rejects.toMatchObject(tooLarge);
  });

  test('headers without end are refused', async () => {
    const { url, fetch } = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-endless: ');
      const pour = (): void => {
        while (!socket.destroyed && socket.write('y'.repeat(4096)));
      };
      socket.on('drain', pour);
      pour();
    });
    await expect(fetch(url)).rejects.toMatchObject(tooLarge);
  });
});

describe('encodings', () => {
  test.each([
    ['gzip', gzipSync('text')],
    ['x-gzip', gzipSync('text')],
    ['GZIP', gzipSync('text')],
    ['gzip', Buffer.concat([gzipSync('te'), gzipSync('xt')])],
    ['deflate', deflateSync('text')],
    ['deflate', deflateRawSync('text')],
    ['br', brotliCompressSync('text')],
    ['identity', Buffer.from('text')],
  ])('%s is undone', async (encoding, body) => {
    const { server, fetch } = await serve(answer(200, body, { 'content-encoding': encoding }));
    expect((await fetch(`${server.origin}/`)).text()).toBe('text');
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip, deflate, br');
  });

  test('an empty body needs no decoding, whatever its header says', async () => {
    const { server, fetch } = await serve(answer(200, '', { 'content-encoding': 'gzip' }));
    expect((await fetch(`${server.origin}/`)).text()).toBe('');
  });

  test.each([
    ['an encoding that was not asked for', 'zstd', Buffer.from('x')],
    ['encodings in layers', 'gzip, gzip', gzipSync(gzipSync('x'))],
    ['garbage', 'gzip', Buffer.from('this is no gzip')],
    ['garbage', 'br', Buffer.from('this is no brotli')],
    ['a body cut short', 'gzip', gzipSync('text'.repeat(100)).subarray(0, 20)],
  ])('%s (%s) is an error, not half a page', async (_what, encoding, body) => {
    const { server, fetch } = await serve(answer(200, body, { 'content-encoding': encoding }));
    await expect(fetch(`${server.origin}/`)).rejects.toMatchObject({ code: 'fetch_failed' });
  });
});

describe('broken HTTP', () => {
  test.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a closed connection', ''],
    ['a body shorter than it said', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    ['chunks that are none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('%s is a failed fetch', async (_what, bytes) => {
    const { url, fetch } = await serveRaw((socket) => socket.end(bytes));
    await expect(fetch(url)).rejects.toMatchObject({ code: 'fetch_failed' });
  });

  test('what follows the answer on the same connection is no part of it', async () => {
    const { url, fetch } = await serveRaw((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil',
      ),
    );
    expect((await fetch(url)).text()).toBe('ok');
  });
});
