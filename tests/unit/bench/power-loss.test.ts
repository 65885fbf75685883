import { describe, expect, test } from 'vitest';
import type { Change } from '../../bench/kills/power-log.ts';
import type { PowerMode } from '../../bench/kills/surviving-content.ts';
import { surviving, type Before } from '../../bench/kills/surviving.ts';
import { randomOfRequest } from '../../fuzz/random.ts';

const root = '/data';
const folder = { path: root, inode: 1n, content: undefined };
const file = (name: string, inode: bigint, text: string): Before => ({
  path: `${root}/${name}`,
  inode,
  content: () => Buffer.from(text),
});
const create = (name: string, inode: bigint): Change => ({ kind: 'create', path: `${root}/${name}`, inode });
const write = (inode: bigint, text: string, offset = 0): Change => ({
  kind: 'write',
  inode,
  offset,
  data: Buffer.from(text),
});
const rename = (from: string, to: string): Change => ({
  kind: 'rename',
  from: `${root}/${from}`,
  to: `${root}/${to}`,
});
const remove = (name: string): Change => ({ kind: 'remove', path: `${root}/${name}` });

/** Adds a sync that covers everything before it. */
const synced = (inode: bigint, ...changes: Change[]): Change[] => [
  ...changes,
  { kind: 'sync', inode, covered: changes.length },
];

/** The texts of the files that survive, by name; null for a folder. */
function left(before: readonly Before[], changes: readonly Change[], mode: PowerMode, seed = 1) {
  const tree = surviving(root, { before: [folder, ...before], changes }, mode, randomOfRequest(seed, 1));
  return Object.fromEntries(
    [...tree].map(([path, one]) => {
      const text = one && (one.content ?? one.before?.() ?? Buffer.alloc(0)).toString();
      return [path.slice(root.length + 1), text ?? null];
    }),
  );
}

/** Everything that may be left in the random mode. */
function leftAtRandom(before: readonly Before[], changes: readonly Change[]): Set<string> {
  const seeds = Array.from({ length: 300 }, (_, seed) => seed);
  return new Set(seeds.map((seed) => JSON.stringify(left(before, changes, 'random', seed))));
}

describe('a power loss in the strict mode', () => {
  test('a new file needs a sync of its folder and of its content', () => {
    const made = [create('a', 2n), write(2n, 'text')];
    expect(left([], made, 'strict')).toEqual({});
    expect(left([], synced(2n, ...made), 'strict')).toEqual({});
    expect(left([], synced(1n, ...made), 'strict')).toEqual({ a: '' });
    expect(left([], synced(1n, ...synced(2n, ...made)), 'strict')).toEqual({ a: 'text' });
  });

  test('a rename needs a sync of its folder, and then replaces the old file', () => {
    const before = [file('a', 2n, 'old'), file('a.tmp', 3n, 'new')];
    expect(left(before, [rename('a.tmp', 'a')], 'strict')).toEqual({ a: 'old', 'a.tmp': 'new' });
    expect(left(before, synced(1n, rename('a.tmp', 'a')), 'strict')).toEqual({ a: 'new' });
  });

  test('a removed file is back without a sync of its folder', () => {
    const before = [file('a', 2n, 'text')];
    expect(left(before, [remove('a')], 'strict')).toEqual({ a: 'text' });
    expect(left(before, synced(1n, remove('a')), 'strict')).toEqual({});
  });

  test('a sync covers only bytes that were written before it began', () => {
    const changes: Change[] = [
      write(2n, 'one', 0),
      write(2n, 'two', 3),
      { kind: 'sync', inode: 2n, covered: 1 },
    ];
    expect(left([file('a', 2n, '')], changes, 'strict')).toEqual({ a: 'one' });
  });

  test('a rename to another folder is durable with a sync of either, and never half', () => {
    const before: Before[] = [
      { path: `${root}/from`, inode: 5n, content: undefined },
      { path: `${root}/to`, inode: 6n, content: undefined },
      file('from/a', 2n, 'text'),
    ];
    const changes = [rename('from/a', 'to/a')];
    expect(left(before, changes, 'strict')).toEqual({ from: null, to: null, 'from/a': 'text' });
    for (const inode of [5n, 6n])
      expect(left(before, synced(inode, ...changes), 'strict')).toEqual({
        from: null,
        to: null,
        'to/a': 'text',
      });
  });

  test('everything in a new folder is gone unless its parent was synced', () => {
    const made = synced(
      7n,
      ...synced(
        2n,
        { kind: 'makeFolder', path: `${root}/new`, inode: 7n },
        create('new/a', 2n),
        write(2n, 'x'),
      ),
    );
    expect(left([], made, 'strict')).toEqual({});
    expect(left([], synced(1n, ...made), 'strict')).toEqual({ new: null, 'new/a': 'x' });
  });

  test('a file that gets the number of a removed one is another file', () => {
    const before = [file('a', 2n, 'old')];
    const changes = synced(1n, remove('a'), create('b', 2n), write(2n, 'new'));
    expect(left(before, changes, 'strict')).toEqual({ b: '' });
  });
});

describe('a power loss in the random mode', () => {
  test('unsynced writes survive up to any point, torn or with zeros', () => {
    const all = leftAtRandom([file('a', 2n, '')], [write(2n, 'ab'), write(2n, 'c', 2)]);
    for (const text of ['', 'a', 'ab', 'abc', 'a\0', 'ab\0'])
      expect(all).toContain(JSON.stringify({ a: text }));
    expect(all).not.toContain(JSON.stringify({ a: '\0\0c' }));
  });

  test('unsynced names survive or not, and synced ones always', () => {
    const changes = [...synced(1n, create('a', 2n)), create('b', 3n), create('c', 4n)];
    expect(leftAtRandom([], changes)).toEqual(
      new Set(
        [{ a: '' }, { a: '', b: '' }, { a: '', c: '' }, { a: '', b: '', c: '' }].map((one) =>
          JSON.stringify(one),
        ),
      ),
    );
  });
});

test('without a power loss, everything survives', () => {
  const changes = [create('a', 2n), write(2n, 'text'), rename('a', 'b'), create('c', 3n)];
  expect(left([], changes, 'all')).toEqual({ b: 'text', c: '' });
});

test('a change of something that never appeared means that the recorder missed a change', () => {
  expect(() => left([], [write(9n, 'x')], 'strict')).toThrow('did not see 9 appear');
  expect(() => left([], [rename('a', 'b')], 'strict')).toThrow('/data/a was changed');
});
