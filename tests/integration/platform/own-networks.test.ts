import { expect, onTestFinished, test } from 'vitest';
import { createGuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { createOwnNetworks } from '../../../src-main/platform/guarded-connector.ts';
import { answer, hostileServer, redirectTo } from '../../support/hostile-server.ts';

const home = '2a00:1450:4001:81b::5';
const neighbour = '2a00:1450:4001:81b::1';

/**
 * A computer whose interface has a global IPv6 address, with DNS and routing of the test's own: loopback stands for a
 * public address, and, where `own` is true, for one in this computer's own network.
 */
async function computer({ own = false, allowPrivate = false, ownOrigin = '' } = {}) {
  const server = await hostileServer({ '/': answer(200, '<title>Router</title>') });
  const names: Record<string, string[]> = {
    'here.example': ['127.0.0.1'],
    'router.example': [neighbour],
    'mixed.example': ['127.0.0.1', neighbour],
  };
  const interfaces = createOwnNetworks({
    learnt: () => ['93.184.215.14'],
    readInterfaces: () => ({
      eth0: [
        {
          address: home,
          cidr: `${home}/64`,
          family: 'IPv6',
          netmask: '',
          mac: '',
          internal: false,
          scopeid: 0,
        },
      ],
    }),
  });
  const fetch = createGuardedFetch({
    allowPrivate,
    userAgent: 'test',
    lookup: (name) => Promise.resolve(names[name] ?? []),
    isPublic: () => true,
    ownNetworks: { include: (address) => interfaces.include(address) || (own && address === '127.0.0.1') },
    isOwnOrigin: (origin) => origin === ownOrigin.replace('PORT', String(server.port)),
  });
  onTestFinished(async () => {
    await Promise.all([fetch.close(), server.close()]);
  });
  return { fetch, server, at: (name: string) => `http://${name}:${server.port}/` };
}

test.each([
  ['its own address', `http://[${home}]/`],
  ['a neighbour', `http://[${neighbour}]/`],
  ['another network of the same home', 'http://[2a00:1450:4001:8ff::1]/'],
  ['a neighbour in another spelling', 'http://[2A00:1450:4001:081B:0:0:0.0.0.1]/'],
  ['the address that the world sees', 'http://93.184.215.14/'],
  ['that address as a number', 'http://1572394766/'],
  ['that address in octal and hex', 'http://0135.0xb8.0327.016/'],
  ['that address behind NAT64', 'http://[64:ff9b::5db8:d70e]/'],
  ['that address as an IPv4-mapped one', 'http://[::ffff:93.184.215.14]/'],
  ['a name that leads to a neighbour', 'http://router.example/'],
])('a stranger cannot have this computer fetch %s', async (_what, url) => {
  const { fetch } = await computer();
  await expect(fetch(url, { timeoutMs: 2_000 })).rejects.toMatchObject({ code: 'fetch_refused_address' });
});

test('a name that leads to a neighbour among others is refused whole, and nothing connects', async () => {
  const { fetch, server, at } = await computer();
  await expect(fetch(at('mixed.example'))).rejects.toMatchObject({ code: 'fetch_refused_address' });
  expect(server.connections()).toBe(0);
  expect((await fetch(at('here.example'))).status).toBe(200);
});

test('a redirect into this computer’s network is refused at the hop that leads there', async () => {
  const { fetch } = await computer();
  const bridge = await hostileServer({ '/': redirectTo(`http://[${neighbour}]/`) });
  onTestFinished(() => bridge.close());
  await expect(fetch(`http://here.example:${bridge.port}/`)).rejects.toMatchObject({
    code: 'fetch_refused_address',
  });
});

test('only the owner’s own origin may lead to this computer: not its other ports, schemes or names', async () => {
  const { fetch, server, at } = await computer({ own: true, ownOrigin: 'http://here.example:PORT' });
  expect((await fetch(at('here.example'))).status).toBe(200);
  const elsewhere = [`https://here.example:${server.port}/`, 'http://here.example:1/', at('127.0.0.1')];
  for (const url of elsewhere)
    await expect(fetch(url), url).rejects.toMatchObject({ code: 'fetch_refused_address' });
  expect(server.connections()).toBe(1);
});

test('the owner’s own origin may redirect to no other port of this computer', async () => {
  const router = await hostileServer({ '/': answer(200, 'the router at home') });
  const site = await hostileServer({ '/': redirectTo(`http://here.example:${router.port}/`) });
  onTestFinished(async () => {
    await Promise.all([router.close(), site.close()]);
  });
  const { fetch } = await computer({ own: true, ownOrigin: `http://here.example:${site.port}` });
  await expect(fetch(`http://here.example:${site.port}/`)).rejects.toMatchObject({
    code: 'fetch_refused_address',
  });
  expect([site.connections(), router.connections()]).toEqual([1, 0]);
});

test('where private addresses are allowed, for development, these are too', async () => {
  const { fetch, at } = await computer({ own: true, allowPrivate: true });
  expect((await fetch(at('here.example'))).status).toBe(200);
});

test('a fetch over one version of IP uses no address of the other', async () => {
  const { fetch, at } = await computer();
  expect((await fetch(at('here.example'), { family: 4 })).status).toBe(200);
  await expect(fetch(at('here.example'), { family: 6 })).rejects.toMatchObject({ code: 'fetch_failed' });
});
