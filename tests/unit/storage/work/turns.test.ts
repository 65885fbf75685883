import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type HostLimits, HostTurns } from '../../../../src-main/storage/work/turns.ts';

/** Requests that last until they are ended by name. `a.x` is a host of the site `x`. All sites in `debtors` owe time. */
function scene(limits: Partial<HostLimits>, debtors: readonly string[] = []) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const turns = new HostTurns({
    begin(token) {
      begun.push(token);
      return new Promise<void>((resolve) => ends.set(token, resolve));
    },
    debtor: (host) => debtors.find((site) => site === host.split('.')[1]),
    limits: { all: 10, ofSite: 10, late: 10, ofDebtor: 10, ...limits },
  });
  return {
    begun,
    add: (...hosts: readonly string[]): void => {
      for (const host of hosts) turns.add(host, host, host.split('.')[1] ?? '');
      turns.start();
    },
    end: async (token: string): Promise<void> => {
      ends.get(token)?.();
      await nextTurn();
    },
  };
}

test.each([[[]], [['x']]])(
  'a site has no more requests at once than it may, with debtors %j',
  async (debtors) => {
    const { add, end, begun } = scene({ ofSite: 1 }, debtors);
    add('a.x', 'b.x', 'c.x', 'a.y');
    expect(begun.toSorted()).toEqual(['a.x', 'a.y']);
    await end('a.x');
    expect(begun.toSorted()).toEqual(['a.x', 'a.y', 'b.x']);
    await end('b.x');
    expect(begun.at(-1)).toBe('c.x');
  },
);

test('debtors take turns in the places that are left to them', async () => {
  const { add, end, begun } = scene({ late: 2, ofDebtor: 1 }, ['x', 'y', 'z']);
  add('a.x', 'b.x', 'a.y', 'a.z', 'a.w');
  expect(begun).toEqual(['a.w', 'a.x', 'a.y']);
  await end('a.x');
  expect(begun.at(-1)).toBe('a.z');
  await end('a.z');
  expect(begun.at(-1)).toBe('b.x');
});

test('one debtor takes no more than its part of the places for debtors', async () => {
  const { add, end, begun } = scene({ late: 3, ofDebtor: 2 }, ['x', 'y']);
  add('a.x', 'b.x', 'c.x', 'd.x');
  expect(begun).toEqual(['a.x', 'b.x']);
  add('a.y');
  expect(begun).toEqual(['a.x', 'b.x', 'a.y']);
  await end('a.x');
  expect(begun.at(-1)).toBe('c.x');
  expect(begun).toHaveLength(4);
});
