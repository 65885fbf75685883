import type { NetworkInterfaceInfo } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressIsPublic } from '../../../src-main/platform/address.ts';
import { createOwnNetworks, type Interfaces } from '../../../src-main/platform/guarded-connector.ts';

/** An interface with one address, as `os.networkInterfaces()` reports it. */
function on(cidr: string): NetworkInterfaceInfo {
  const [address = '', prefix = ''] = cidr.split('/');
  const rest = { address, netmask: '', mac: '', internal: false, cidr: prefix === '' ? null : cidr };
  return address.includes(':') ? { ...rest, family: 'IPv6', scopeid: 0 } : { ...rest, family: 'IPv4' };
}

function networks(cidrs: readonly string[], learnt: readonly string[] = []) {
  return createOwnNetworks({
    learnt: () => learnt,
    readInterfaces: () => ({ eth0: cidrs.map(on) }),
    clock: () => 0,
  });
}

describe('the addresses of this computer', () => {
  test.each([
    ['its own address', '93.184.215.14/32', ['93.184.215.14'], ['93.184.215.15']],
    [
      'the netmask of its interface',
      '93.184.215.14/24',
      ['93.184.215.1', '93.184.215.255'],
      ['93.184.216.1'],
    ],
    [
      'an odd netmask',
      '93.184.215.14/29',
      ['93.184.215.8', '93.184.215.15'],
      ['93.184.215.7', '93.184.215.16'],
    ],
    ['a netmask that names half the internet', '51.75.1.2/1', ['51.75.255.1'], ['51.76.0.1', '8.8.8.8']],
    ['a netmask that names all of it', '51.75.1.2/0', ['51.75.0.0'], ['52.0.0.1']],
    ['an address without a usable netmask', '93.184.215.14', ['93.184.215.14'], ['93.184.215.15']],
    [
      'the home around an IPv6 network',
      '2a00:1450:4001:81b::5/64',
      ['2a00:1450:4001:81b::1', '2a00:1450:4001:800::1', '2a00:1450:4001:8ff:ffff:ffff:ffff:ffff'],
      ['2a00:1450:4001:900::1', '2a00:1450:4001:7ff::1'],
    ],
    ['a single IPv6 address', '2a00:1450:4001:81b::5/128', ['2a00:1450:4001:81b::1'], ['2a00:1450:4002::1']],
    ['a wider IPv6 network', '2a00:1450:4001:81b::5/48', ['2a00:1450:4001:ffff::1'], ['2a00:1450:4002::1']],
    [
      'an IPv6 netmask that names all of it',
      '2a00:1450:4001::5/0',
      ['2a00:1450:4001::1'],
      ['2a00:1450:4002::1'],
    ],
  ])('cover %s', (_what, cidr, inside, outside) => {
    const own = networks([cidr]);
    expect(inside.filter(own.include)).toEqual(inside);
    expect(outside.filter(own.include)).toEqual([]);
  });

  test('cover an own IPv4 address behind the NAT64 prefix and in an IPv4-mapped address', () => {
    const own = networks(['93.184.215.14/32']);
    expect(own.include('64:ff9b::5db8:d70e')).toBe(true);
    expect(own.include('::ffff:93.184.215.14')).toBe(true);
    expect(own.include('64:ff9b::808:808')).toBe(false);
  });

  test('cover the addresses found outside: the IPv4 address alone, the home of the IPv6 address', () => {
    const own = networks([], ['93.184.215.14', '2a00:1450:4001:81b::5', 'no address']);
    const isOwn = ['93.184.215.14', '2a00:1450:4001:8aa::1'];
    expect(isOwn.filter(own.include)).toEqual(isOwn);
    expect(['93.184.215.13', '2a00:1450:4001:900::1'].filter(own.include)).toEqual([]);
  });

  test('leave out what no address can be compared with', () => {
    const own = networks(['fe80::1%eth0/64', 'nonsense/24', '93.184.215.14/99']);
    expect(own.include('93.184.215.14')).toBe(true);
    expect(['fe80::1%eth0', '', 'nonsense', '8.8.8.8'].filter(own.include)).toEqual([]);
  });

  test('are read again five seconds later, so that a new network is known at once', () => {
    let now = 0;
    let interfaces: Interfaces = { eth0: [on('93.184.215.14/24')] };
    let lookups = 0;
    const own = createOwnNetworks({
      learnt: () => [],
      readInterfaces: () => ((lookups += 1), interfaces),
      clock: () => now,
    });
    expect(own.include('93.184.215.1')).toBe(true);
    interfaces = { wlan0: [on('8.8.8.1/24')] };
    now = 4_999;
    expect(own.include('93.184.215.1')).toBe(true);
    expect(lookups).toBe(1);
    now = 5_000;
    expect([own.include('93.184.215.1'), own.include('8.8.8.8')]).toEqual([false, true]);
    now = -1_000_000; // a clock that was set back must not keep the old answer for a week
    interfaces = {};
    expect(own.include('8.8.8.8')).toBe(false);
  });

  test('stay unchanged if the system does not report them', () => {
    let now = 0;
    const own = createOwnNetworks({
      learnt: () => [],
      readInterfaces: () => {
        if (now > 0) throw new Error('uv_interface_addresses');
        return { eth0: [on('93.184.215.14/24')] };
      },
      clock: () => now,
    });
    expect(own.include('93.184.215.1')).toBe(true);
    now = 10_000;
    expect(own.include('93.184.215.1')).toBe(true);
  });
});

const ipv4 = fc.ipV4();

test('an interface covers its own public address, whatever its netmask', () => {
  const isPublic = (address: string) => addressIsPublic(address);
  fc.assert(
    fc.property(ipv4.filter(isPublic), fc.nat(32), (address, prefix) =>
      networks([`${address}/${prefix}`]).include(address),
    ),
  );
  const global6 = fc
    .array(fc.nat(0xffff), { minLength: 7, maxLength: 7 })
    .map((parts) => ['2600', ...parts.map((part) => part.toString(16))].join(':'));
  fc.assert(
    fc.property(global6, fc.nat(128), (address, prefix) =>
      networks([`${address}/${prefix}`]).include(address),
    ),
  );
});

test('private addresses of interfaces cover nothing: they are refused as what they are', () => {
  const own = networks(['127.0.0.1/8', '192.168.1.5/0', 'fd00::1/64', 'fe80::1/3', '172.17.0.1/16']);
  const others = ['127.0.0.1', '192.168.1.5', '8.8.8.8', '2a00:1450:4001:81b::1', 'fd00::1'];
  expect(others.filter(own.include)).toEqual([]);
});

test('no netmask makes more unreachable than the 65,536 addresses around its own', () => {
  const outside = fc.tuple(ipv4, ipv4, fc.nat(32)).filter(([a, b]) => upper(a) !== upper(b));
  fc.assert(fc.property(outside, ([own, other, prefix]) => !networks([`${own}/${prefix}`]).include(other)));
});

const upper = (address: string) => address.split('.').slice(0, 2).join('.');
