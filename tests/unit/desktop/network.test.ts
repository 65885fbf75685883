import type { NetworkInterfaceInfo } from 'node:os';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { networkSignature, watchNetwork } from '../../../src-main/desktop/system-watch.ts';

const at = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;
const home = { lo: [at('127.0.0.1', true)], wlan: [at('192.0.2.7')] };
const cafe = { lo: [at('127.0.0.1', true)], wlan: [at('198.51.100.7')] };
const nowhere = { lo: [at('127.0.0.1', true)] };

test('what says nothing of a network is passed over', () => {
  expect(networkSignature({ lo: [at('::1', true)], eth: [at('fe80::1'), at('169.254.1.1')] })).toBe('');
});

test('an IPv6 address that changes for privacy is the same network, however it is written', () => {
  const of = (address: string) => networkSignature({ eth: [at(address)] });
  expect(of('2001:db8:0:1:aaaa::1')).toBe(of('2001:db8:0:1:bbbb:1:2:3'));
  expect(of('2001:db8::1:2:3:4')).toBe(of('2001:db8:0:0:9::'));
  expect(of('2001:db8:0:2::1')).not.toBe(of('2001:db8:0:1::1'));
});

describe('a change of network', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is reported once, when there is one again', () => {
    let now: Parameters<typeof networkSignature>[0] = home;
    const changed = vi.fn();
    const end = watchNetwork(changed, () => now);
    vi.advanceTimersByTime(60_000);
    now = nowhere;
    vi.advanceTimersByTime(60_000);
    expect(changed).not.toHaveBeenCalled();
    now = cafe;
    vi.advanceTimersByTime(60_000);
    expect(changed).toHaveBeenCalledOnce();
    end();
    now = home;
    vi.advanceTimersByTime(60_000);
    expect(changed).toHaveBeenCalledOnce();
  });
});
