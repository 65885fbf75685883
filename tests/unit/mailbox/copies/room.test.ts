import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Copy } from '../../../../src-main/platform/mailbox-protocol.ts';
import { chooseCopies } from '../../../../src-main/mailbox/copies/copier.ts';

const copy = (address: string, bytes: number): Copy => ({
  address,
  hash: 'a',
  status: 200,
  headers: {},
  noteAt: null,
  body: new Uint8Array(bytes),
});

function roomOf(most: number, stored: Record<string, number> = {}) {
  const stamps = new Map(Object.entries(stored).map(([address, bytes]) => [address, { bytes }]));
  const chosen = (copies: readonly Copy[]) => chooseCopies(copies, stamps, ['/', '/feed.atom'], most);
  const choose = (added: Record<string, number>) => {
    const { fitting, leftOut } = chosen(
      Object.entries(added).map(([address, bytes]) => copy(address, bytes)),
    );
    return [fitting.map(({ address }) => address), [...leftOut.keys()]];
  };
  return { stamps, chosen, choose };
}

test('the largest files are left out, also those that are copied already, and pages and small pictures stay', () => {
  const small = '/media/2026/11/small.png';
  const { choose } = roomOf(100, { '/': 20, '/media/2026/11/film.mp4': 50, [small]: 10 });
  expect(choose({ '/posts/2026/11/tea': 15 })).toEqual([['/posts/2026/11/tea'], []]);
  expect(choose({ '/posts/2026/11/tea': 30 })).toEqual([['/posts/2026/11/tea'], ['/media/2026/11/film.mp4']]);
  expect(choose({ '/media/2026/11/song.mp3': 60 })).toEqual([[], ['/media/2026/11/song.mp3']]);
  expect(choose({ '/photo/0.webp': 40 })).toEqual([['/photo/0.webp'], ['/media/2026/11/film.mp4']]);
});

test('if pages alone are too large, the largest are left out, and the home page and its feeds last', () => {
  const { choose } = roomOf(100, { '/': 60, '/posts/2026/11/a': 30 });
  expect(choose({ '/feed.atom': 35 })).toEqual([['/feed.atom'], ['/posts/2026/11/a']]);
  expect(choose({ '/kinds/note': 20, '/media/2026/11/a.png': 5 })).toEqual([
    ['/kinds/note'],
    ['/media/2026/11/a.png', '/posts/2026/11/a'],
  ]);
});

test('copies that become smaller are sent before those that grow', () => {
  const { choose } = roomOf(100, { '/a': 50, '/b': 50 });
  expect(choose({ '/a': 70, '/b': 30 })).toEqual([['/b', '/a'], []]);
});

test('in any order of files, the same ones are left out, and no call exceeds the limit', () => {
  const most = 100;
  const files = fc.uniqueArray(fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 60 })), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 12,
  });
  const storedAfter = (order: readonly (readonly [number, number])[]) => {
    const { stamps, chosen } = roomOf(most);
    for (const [name, bytes] of order) {
      const { fitting, leftOut } = chosen([copy(`/media/2026/11/${name}`, bytes)]);
      for (const address of leftOut.keys()) stamps.delete(address);
      for (const { address, body } of fitting) stamps.set(address, { bytes: body.length });
      const sizes = [...stamps.values()].reduce((sum, stamp) => sum + stamp.bytes, 0);
      expect(sizes).toBeLessThanOrEqual(most);
    }
    return [...stamps.keys()].sort();
  };
  const shuffled = files.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, ([one, other]) => {
      expect(storedAfter(one)).toEqual(storedAfter(other));
    }),
  );
});
