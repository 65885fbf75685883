import { describe, expect, test } from 'vitest';
import { addressIsPrivate, addressIsPublic, hostIsLoopback } from '../../../src-main/platform/address.ts';

describe('addresses that count as public', () => {
  test.each([
    '8.8.8.8',
    '93.184.215.14',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '168.63.129.15',
    '168.63.129.17',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
  ])('%s is global unicast', (address) => {
    expect(addressIsPublic(address)).toBe(true);
  });

  test('a NAT64 address of a public site counts as that site', () => {
    expect(addressIsPublic('64:ff9b::808:808')).toBe(true);
  });
});

describe('addresses that are refused', () => {
  test.each([
    ['this network', '0.0.0.0', '0.1.2.3'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
    ['link-local, cloud metadata included', '169.254.169.254', 'fe80::1', 'febf::1'],
    // Azure answers its virtual machines at a public address. Amazon, Google, Oracle and Alibaba use reserved ones.
    ['Azure’s platform address', '168.63.129.16', '64:ff9b::a83f:8110', '64:ff9b::168.63.129.16'],
    ['cloud metadata elsewhere', 'fd00:ec2::254', 'fd20:ce::254', '192.0.0.192', '100.100.100.200'],
    ['task metadata', '169.254.170.2', '169.254.170.23', 'fd00:ec2::23', 'fd00:c1::a9fe:a9fe'],
    ['protocol assignments', '192.0.0.1', '192.0.0.170'],
    ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    ['benchmarks', '198.18.0.1', '198.19.255.255', '2001:2::1'],
    ['multicast', '224.0.0.1', '239.255.255.250', 'ff02::1', 'ff0e::1'],
    ['reserved and broadcast', '240.0.0.1', '255.255.255.255'],
    ['unspecified', '::'],
    ['unique-local', 'fc00::1', 'fd12:3456::1'],
    ['site-local of old', 'fec0::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::127.0.0.1', '::7f00:1', '::a00:1'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64 into private space', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::a9fe:a9fe'],
    ['NAT64 for local use', '64:ff9b:1::7f00:1', '64:ff9b:1::808:808'],
    ['6to4', '2002:7f00:1::1', '2002:a00:1::', '2002:808:808::1'],
    ['Teredo', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['ORCHID', '2001:10::1', '2001:20::1'],
    ['discard-only', '100::1'],
    ['segment routing', '5f00::1'],
    ['never given out', '4000::1', '1000::1'],
    ['with a zone', 'fe80::1%eth0', '2606:4700::1111%eth0'],
    [
      'other spellings',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '127.1',
      '010.0.0.1',
      '8.8.8',
      '127.0.0.1.',
    ],
    ['no addresses', '', 'localhost', 'example.com', '8.8.8.8:80', '[::1]'],
  ])('%s', (_what, ...addresses) => {
    expect(addresses.filter(addressIsPublic)).toEqual([]);
  });
});

test('private, for development, are loopback, RFC 1918 and unique-local, and no cloud metadata', () => {
  const isPrivate = ['127.0.0.1', '::1', '10.1.2.3', '172.16.0.1', '192.168.0.1', 'fd00::1'];
  const isNot = [
    '169.254.169.254',
    '168.63.129.16',
    'fe80::1',
    '0.0.0.0',
    '224.0.0.1',
    '100.64.0.1',
    '8.8.8.8',
    'localhost',
    '::',
  ];
  expect(isPrivate.filter(addressIsPrivate)).toEqual(isPrivate);
  expect(isNot.filter(addressIsPrivate)).toEqual([]);
});

test('this very computer is known by every name that a URL can give it', () => {
  const loopback = [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'app.localhost',
    '127.0.0.1',
    '127.8.8.8',
    '[::1]',
    '::1',
    '[::ffff:7f00:1]',
  ];
  const elsewhere = [
    'example.com',
    'localhost.example.com',
    'notlocalhost',
    '10.0.0.1',
    '[::2]',
    '',
    '0.0.0.0',
  ];
  expect(loopback.filter(hostIsLoopback)).toEqual(loopback);
  expect(elsewhere.filter(hostIsLoopback)).toEqual([]);
});
