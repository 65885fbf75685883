import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createListener } from '../../../src-main/http/listener.ts';

const build = () => Promise.resolve(fastify());

function listenerWith(port: number, usual: number | null) {
  const listener = createListener({
    port,
    build,
    buildOff: build,
    changed: () => undefined,
    usualPort: () => usual,
  });
  onTestFinished(() => listener.stop());
  return listener;
}

/** Listens on a free port, and returns it with a function that closes it. */
async function taken(): Promise<{ port: number; free: () => Promise<unknown> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const free = () => new Promise((resolve) => server.close(resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, free };
}

test('if any free port will do, it is the port of the tunnel', async () => {
  const { port, free } = await taken();
  await free();
  const listener = listenerWith(0, port);
  await listener.start();
  expect([listener.state.kind, listener.port]).toEqual(['on', port]);
});

test('if another program has that port, it is another one', async () => {
  const { port } = await taken();
  const listener = listenerWith(0, port);
  await listener.start();
  expect(listener.state.kind).toBe('on');
  expect([0, port]).not.toContain(listener.port);
});

test('a requested port is the only one that is used', async () => {
  const { port, free } = await taken();
  const other = await taken();
  await other.free();
  const listener = listenerWith(port, other.port);
  await listener.start();
  expect(listener.state.kind).toBe('trouble');
  await free();
  await listener.start();
  expect([listener.state.kind, listener.port]).toEqual(['on', port]);
});

test('the old app answers until the new one is built, and the new one once the change is reported', async () => {
  const seen: Promise<string>[] = [];
  const visitWhen = (when: string) => {
    const visit = fetch(`http://127.0.0.1:${listener.port}/`, { headers: { connection: 'close' } });
    const said = visit.then(({ status }) => `${when}: ${status}`).catch(() => `${when}: refused`);
    seen.push(said);
    return said;
  };
  const buildWithVisit = async () => {
    if (listener.port !== 0) await visitWhen('building');
    return build();
  };
  const listener = createListener({
    port: 0,
    build: buildWithVisit,
    buildOff: buildWithVisit,
    usualPort: () => null,
    changed: () => void visitWhen(listener.state.kind),
  });
  onTestFinished(() => listener.stop());
  await listener.start();
  await listener.turnOff();
  await listener.start();
  expect(await Promise.all(seen)).toEqual([
    'on: 404',
    'building: 404',
    'off: 404',
    'building: 404',
    'on: 404',
  ]);
});

test('the public app is closed even if the one that says “off” cannot be built', async () => {
  const listener = createListener({
    port: 0,
    build,
    buildOff: () => Promise.reject(new Error('broken')),
    changed: () => undefined,
    usualPort: () => null,
  });
  onTestFinished(() => listener.stop());
  await listener.start();
  const address = `http://127.0.0.1:${listener.port}/`;
  await listener.turnOff();
  expect(listener.state.kind).toBe('off');
  await expect(fetch(address)).rejects.toThrow('fetch failed');
});
