import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Mention } from '../../../../src-main/mentions/mention.ts';
import {
  createPublicListing,
  wholeListing,
} from '../../../../src-main/mentions/receiving/management-routes.ts';
import { memoryMentions } from '../../../support/memory-mentions.ts';
import { allPublic } from '../../../support/no-posts.ts';

const mention = (page: number, number: number): Mention => ({
  id: `${page}-${number}`,
  wmId: number,
  source: `https://bea.example/${page}/${number}`,
  target: `https://ada.example/${page}`,
  received: '2026-11-20T12:00:00.000Z',
  parsed: '2026-11-20T12:00:00.000Z',
  facts: { type: 'mention', property: 'mention-of', content: { value: 'Zoë 🎉 '.repeat(100) } },
  status: 'approved',
  chosen: false,
  history: [],
});

/** A store of `pages` pages with `each` mentions, made when asked for. It counts the pages that were asked for. */
function largeStore(pages: number, each: number) {
  const asked: string[] = [];
  function ofPage(target: string) {
    asked.push(target);
    const page = Number(target.slice(target.lastIndexOf('/') + 1));
    return Promise.resolve(Array.from({ length: each }, (_, number) => mention(page, number)));
  }
  return Object.assign(memoryMentions(), {
    asked,
    pageIds: () => Promise.resolve(Array.from({ length: pages }, (_, page) => `https://ada.example/${page}`)),
    ofPage,
    recordsOf: ofPage,
  });
}

/** A store with the same mentions for every page. */
function storeOf(read: () => Mention[]) {
  const ofPage = () => Promise.resolve(read());
  return Object.assign(memoryMentions(), { ofPage, recordsOf: ofPage });
}

test('thirty megabytes of mentions are handed on in small pieces, and are whole JSON together', async () => {
  const pieces: string[] = [];
  let largest = 0;
  for await (const piece of wholeListing(largeStore(100, 300)) as AsyncIterable<string>) {
    // Text is written as it is. Bytes would be copies that stay in memory until the next garbage collection.
    expect(typeof piece).toBe('string');
    largest = Math.max(largest, piece.length);
    pieces.push(piece);
  }
  expect(largest).toBeLessThan(100_000);
  const whole = JSON.parse(pieces.join('')) as Record<string, { content: { value: string } }[]>;
  expect(Object.keys(whole)).toHaveLength(100);
  expect(Object.values(whole).every((records) => records.length === 300)).toBe(true);
  expect(whole['https://ada.example/99']?.[299]?.content.value).toBe('Zoë 🎉 '.repeat(100).trim());
});

test('no more pages are read than are asked for', async () => {
  const store = largeStore(1000, 1000);
  const listing = wholeListing(store);
  for await (const piece of listing) {
    expect(String(piece)).toMatch(/^\{"https:\/\/ada\.example\/0":\[\{/);
    break;
  }
  expect(listing.destroyed).toBe(true);
  expect(store.asked.length).toBeLessThan(5);
});

test('the public list of one page is handed on in small pieces too', async () => {
  let largest = 0;
  const listing = await createPublicListing(largeStore(1, 2000), allPublic)('https://ada.example/0');
  for await (const piece of listing) largest = Math.max(largest, String(piece).length);
  expect(largest).toBeLessThan(100_000);
});

test('the public list of a page is put together once, until the page changes', async () => {
  let read = 0;
  const watched = (number: number) =>
    Object.defineProperty(mention(0, number), 'source', {
      enumerable: true,
      get: () => `https://bea.example/${(read += 1)}`,
    });
  let mentions = [watched(1), watched(2)];
  const listing = createPublicListing(
    storeOf(() => mentions),
    allPublic,
  );
  const text = async (url: string) => (await (await listing(url)).toArray()).join('');

  const first = await text('https://ada.example/0');
  const readOnce = read;
  expect(await text('https://ada.example/0')).toBe(first);
  expect(read).toBe(readOnce);
  mentions = [...mentions, watched(3)];
  const second = JSON.parse(await text('https://ada.example/0')) as Record<string, unknown[]>;
  expect(second['https://ada.example/0']).toHaveLength(3);
  const other = JSON.parse(await text('https://ada.example/0#x')) as Record<string, unknown[]>;
  expect(other).toEqual({ 'https://ada.example/0#x': [] });
});

test('a public list that stays ready keeps no mention in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  let mentions = [mention(0, 1)];
  const kept = new WeakRef(mentions);
  const listing = createPublicListing(
    storeOf(() => mentions),
    allPublic,
  );
  await (await listing('https://ada.example/0')).toArray();
  mentions = [];
  await turn();
  collectGarbage();
  expect(kept.deref()).toBeUndefined();
  expect((await (await listing('https://ada.example/0')).toArray()).join('')).toBe(
    '{"https://ada.example/0":[]}',
  );
});

test('nothing received is an empty object', async () => {
  const pieces: string[] = [];
  for await (const piece of wholeListing(largeStore(0, 0))) pieces.push(String(piece));
  expect(pieces.join('')).toBe('{}');
});
