import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openWebmention, replyTo, target } from '../../support/webmention-server.ts';

/** Servers that accept every connection and never answer; each has a port of its own, and so is a site of its own. */
async function openHanging(count: number) {
  const sockets = new Set<Socket>();
  let givenUp = 0;
  const servers = Array.from({ length: count }, () =>
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('close', () => (givenUp += 1));
      sockets.add(socket);
    }).listen(0, '127.0.0.1'),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
  });
  const sources = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return { sources, reached: () => sockets.size, givenUp: () => givenUp };
}

test.each([6, 50])(
  'WR-6 a mention is verified while %i sources accept a connection and never answer',
  { timeout: 270_000 },
  async (count) => {
    const server = await openWebmention();
    onTestFinished(() => server.close());
    const { sources, reached, givenUp } = await openHanging(count);
    server.work.start();
    for (const source of sources) expect((await server.send(source, target)).status).toBe(201);
    await vi.waitUntil(() => reached() === count, { timeout: 90_000 });

    const source = server.publish('/reply', replyTo(target));
    expect((await server.send(source, target)).status).toBe(201);
    await vi.waitUntil(() => server.store.find(source, target), { timeout: 120_000 });
    // With 12 places and 10 s for each, a mention behind 50 of them waited until 39 were given up.
    expect(givenUp()).toBeLessThan(count / 2);
  },
);
