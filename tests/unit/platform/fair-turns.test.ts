import { describe, expect, test } from 'vitest';
import {
  createFairTurns,
  TurnRefused,
  type FairTurnsOptions,
} from '../../../src-main/platform/fair-turns.ts';

function scene(options: Partial<FairTurnsOptions> = {}) {
  const turns = createFairTurns({ concurrency: 1, mostWaiting: 100, mostWaitingPerParty: 10, ...options });
  const started: string[] = [];
  const open: Record<string, () => void> = {};
  const ask = (party: string, name: string) =>
    turns.run(party, () => {
      started.push(name);
      return new Promise<string>((resolve) => (open[name] = () => resolve(name)));
    });
  const finish = async (name: string) => {
    open[name]?.();
    await settled();
  };
  return { turns, started, ask, finish };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('fair turns', () => {
  test('take turns: a party with many tasks waits behind one with few', async () => {
    const { started, ask, finish } = scene();
    for (const name of ['a1', 'a2', 'a3']) void ask('a', name);
    void ask('b', 'b1');
    await settled();
    for (const name of ['a1', 'b1', 'a2', 'a3']) await finish(name);
    expect(started).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('run as many at once as they may, and fewer of one party', async () => {
    const { started, ask, finish } = scene({ concurrency: 3, perParty: 2 });
    for (const name of ['a1', 'a2', 'a3']) void ask('a', name);
    await settled();
    expect(started).toEqual(['a1', 'a2']);
    void ask('b', 'b1');
    await settled();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    await finish('a1');
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  test('return the task’s result, and continue after a failing one, at once or later', async () => {
    const { turns } = scene();
    const failing = turns.run('a', () => Promise.reject(new Error('later')));
    const throwing = turns.run('a', () => {
      throw new Error('at once');
    });
    const good = turns.run('a', () => Promise.resolve('good'));
    await expect(failing).rejects.toThrow('later');
    await expect(throwing).rejects.toThrow('at once');
    await expect(good).resolves.toBe('good');
    expect(turns.waiting).toBe(0);
  });

  test('refuse a party that has too many waiting, and no other party', async () => {
    const { ask, turns } = scene({ mostWaitingPerParty: 2 });
    for (const name of ['a1', 'a2', 'a3']) void ask('a', name);
    await expect(ask('a', 'a4')).rejects.toMatchObject({ crowd: 'party' });
    void ask('b', 'b1');
    expect(turns.waiting).toBe(3);
  });

  test('refuse everybody where too many wait in all', async () => {
    const { ask } = scene({ mostWaiting: 2 });
    for (const name of ['a', 'b', 'c']) void ask(name, name);
    await expect(ask('d', 'd')).rejects.toMatchObject({ crowd: 'all' });
  });

  test('can be dropped: waiting tasks are refused, running ones continue', async () => {
    const { ask, turns, finish } = scene();
    const first = ask('a', 'a1');
    const second = ask('b', 'b1');
    await settled();
    turns.drop();
    await expect(second).rejects.toBeInstanceOf(TurnRefused);
    await finish('a1');
    await expect(first).resolves.toBe('a1');
  });
});

test('the party with the lowest rank goes first, regardless of the order of arrival', async () => {
  const ranks: Record<string, number> = { a: 5, b: 3, c: 0 };
  const { started, ask, finish } = scene({ rank: (party) => ranks[party] ?? 0 });
  for (const name of ['a1', 'a2', 'b1', 'c1']) void ask(name.charAt(0), name);
  await settled();
  for (const name of ['a1', 'c1', 'b1', 'a2']) await finish(name);
  expect(started).toEqual(['a1', 'c1', 'b1', 'a2']);
});

test('of parties with the same rank, the one with the lightest next task goes first', async () => {
  const { turns, ask, started, finish } = scene();
  void ask('a', 'a1');
  const weigh = (party: string, weight: number) =>
    turns.run(party, () => Promise.resolve(started.push(party)), weight);
  await settled();
  const both = [weigh('heavy', 500), weigh('light', 1)];
  await finish('a1');
  await Promise.all(both);
  expect(started).toEqual(['a1', 'light', 'heavy']);
});
