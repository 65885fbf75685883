import { expect, test } from 'vitest';
import type { Mention } from '../../../src-main/webmention/mention.ts';
import { publicListing, wholeListing } from '../../../src-main/webmention/records.ts';
import { memoryMentions } from '../../support/memory-mentions.ts';

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
  return {
    ...memoryMentions(),
    asked,
    pages: () =>
      Promise.resolve(
        Array.from({ length: pages }, (_, page) => ({
          target: `https://ada.example/${page}`,
          types: {},
          statuses: {},
          newest: '2026-11-20T12:00:00.000Z',
        })),
      ),
    ofPage(target: string) {
      asked.push(target);
      const page = Number(target.slice(target.lastIndexOf('/') + 1));
      return Promise.resolve(Array.from({ length: each }, (_, number) => mention(page, number)));
    },
  };
}

test('thirty megabytes of mentions are handed on in small pieces, and are whole JSON together', async () => {
  const pieces: string[] = [];
  let largest = 0;
  for await (const piece of wholeListing(largeStore(100, 300)).setEncoding('utf8') as AsyncIterable<string>) {
    largest = Math.max(largest, piece.length);
    pieces.push(piece);
  }
  expect(largest).toBeLessThan(100_000);
  const whole = JSON.parse(pieces.join('')) as Record<string, { content: { value: string } }[]>;
  expect(Object.keys(whole)).toHaveLength(100);
  expect(Object.values(whole).every((records) => records.length === 300)).toBe(true);
  expect(whole['https://ada.example/99']?.[299]?.content.value).toBe('Zoë 🎉 '.repeat(100));
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
  const listing = await publicListing(largeStore(1, 2000), 'https://ada.example/0');
  for await (const piece of listing) largest = Math.max(largest, String(piece).length);
  expect(largest).toBeLessThan(100_000);
});

test('nothing received is an empty object', async () => {
  const pieces: string[] = [];
  for await (const piece of wholeListing(largeStore(0, 0))) pieces.push(String(piece));
  expect(pieces.join('')).toBe('{}');
});
