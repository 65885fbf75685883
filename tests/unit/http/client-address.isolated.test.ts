import Fastify, { type FastifyRequest } from 'fastify';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { visitorAddress, visitorOf } from '../../../src-main/http/client-address.ts';
import { networkOf } from '../../../src-main/platform/address.ts';

vi.mock(import('../../../src-main/platform/address.ts'), { spy: true });

const app = Fastify();
app.get('/', (request) => ({ address: visitorAddress(request), network: visitorOf(request) }));
afterAll(() => app.close());

async function seen(named: string, remoteAddress = '127.0.0.1'): Promise<unknown> {
  const answer = await app.inject({ url: '/', headers: { 'cf-connecting-ip': named }, remoteAddress });
  return answer.json();
}

describe('who a visitor is', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9', '203.0.113.9'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', '2001:db8::/56'],
    ['2001:db8:12:34ff:5:6:7:8', '2001:db8:12:34ff:5:6:7:8', '2001:db8:12:3400::/56'],
    ['::ffff:203.0.113.9', '203.0.113.9', '203.0.113.9'],
  ])('%s is an address', async (named, address, network) => {
    expect(await seen(named)).toEqual({ address, network });
  });

  test.each([
    '',
    'x',
    'visitor 1',
    '203.0.113',
    '203.0.113.09',
    '203.0.113.9, 203.0.113.10',
    '2001:db8::/64',
  ])('“%s” names no visitor', async (named) => {
    expect(await seen(named)).toEqual({});
  });

  test('an address with the name of an interface names no visitor', async () => {
    expect(await seen('fe80::1%eth0')).toEqual({});
  });

  test('the 256 networks of a home count as one visitor, and its neighbor’s as another', async () => {
    const networks = await Promise.all(
      ['2001:db8:0:100::1', '2001:db8:0:1ff:ffff::', '2001:db8:0:200::1'].map((address) => seen(address)),
    );
    expect(networks.map((one) => (one as { network: string }).network)).toEqual([
      '2001:db8:0:100::/56',
      '2001:db8:0:100::/56',
      '2001:db8:0:200::/56',
    ]);
  });

  test('nobody is believed who does not come in from loopback', async () => {
    expect(await seen('203.0.113.9', '192.168.1.7')).toEqual({});
  });

  test('the address of a visitor who comes again is not parsed again', async () => {
    await seen('2001:db8:77::1');
    vi.mocked(networkOf).mockClear();
    expect(await seen('2001:db8:77::1')).toMatchObject({ network: '2001:db8:77::/56' });
    expect(networkOf).not.toHaveBeenCalled();
  });

  test('the addresses of many visitors do not stay in memory', async () => {
    await seen('2001:db8:88::1');
    for (let n = 0; n < 5000; n += 1) networkSeen(`198.51.${n >> 8}.${n & 255}`);
    vi.mocked(networkOf).mockClear();
    await seen('2001:db8:88::1');
    expect(networkOf).toHaveBeenCalledOnce();
  });
});

const networkSeen = (named: string): string | undefined =>
  visitorOf({
    headers: { 'cf-connecting-ip': named },
    socket: { remoteAddress: '127.0.0.1' },
  } as unknown as FastifyRequest);
