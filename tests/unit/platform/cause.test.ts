import { describe, expect, test } from 'vitest';
import { createCauseBudget, turnOf } from '../../../src-main/platform/cause.ts';

const at = (address: string, visitor?: string) => ({ address, visitor });

describe('whose turn work is', () => {
  test('a visitor has one, whatever is asked for', () => {
    expect(turnOf(at('https://a.example/', 'v'))).toBe(turnOf(at('https://b.example/', 'v')));
    expect(turnOf(at('https://a.example/', 'v'))).not.toBe(turnOf(at('https://a.example/', 'w')));
  });

  test.each([
    ['https://a.evil.example/', 'https://b.evil.example:8443/'],
    ['https://[2001:db8:1:2::1]/', 'https://[2001:db8:1:3::9]:444/'],
    ['https://192.0.2.7/', 'https://192.0.2.7:8080/'],
  ])('without a visitor %s and %s share one', (one, other) => {
    expect(turnOf(at(one))).toBe(turnOf(at(other)));
  });

  test('each port of loopback has its own: another program may be there', () => {
    expect(turnOf(at('http://127.0.0.1:1/'))).not.toBe(turnOf(at('http://127.0.0.1:2/')));
  });
});

describe('the budget', () => {
  const budget = (now = { ms: 0 }) =>
    createCauseBudget({
      visitor: { burst: 1000, perMinute: 1000 },
      host: { burst: 3000, perMinute: 3000 },
      clock: () => now.ms,
    });

  test('of a visitor ends for that visitor, at every host, and for nobody else', () => {
    const spent = budget();
    spent.charge(at('https://a.example/', 'v'), 1500);
    expect(spent.waitMs(at('https://b.example/', 'v'))).toBeGreaterThan(0);
    expect(spent.waitMs(at('https://a.example/', 'w'))).toBe(0);
  });

  test('of a host ends for everybody who asks for it', () => {
    const spent = budget();
    for (const visitor of ['a', 'b', 'c', 'd']) spent.charge(at('https://a.example/', visitor), 900);
    expect(spent.waitMs(at('https://a.example:8443/', 'e'))).toBeGreaterThan(0);
    expect(spent.waitMs(at('https://b.example/', 'a'))).toBe(0);
  });

  test('comes back with time', () => {
    const now = { ms: 0 };
    const spent = budget(now);
    spent.charge(at('https://a.example/', 'v'), 2000);
    now.ms += spent.waitMs(at('https://a.example/', 'v'));
    expect(now.ms).toBeGreaterThan(59_000);
    expect(spent.waitMs(at('https://a.example/', 'v'))).toBe(0);
  });
});
