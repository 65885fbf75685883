import { expect, test } from 'vitest';
import { roomFor } from '../../../src-main/mentions/mention-limits.ts';

const megabyte = 1024 * 1024;
const mention = { source: 'https://bea.example/1', target: 'https://ada.example/post' };
const addresses = mention.source.length + mention.target.length;
const used =
  (received: number, ofSite = 0, imported = 0) =>
  (party: 'received' | 'ofSite' | 'imported') =>
    ({ received, ofSite, imported })[party];

test('a site may use 2 MB of a page', () => {
  expect(roomFor(mention, undefined, used(0))).toBe(2 * megabyte);
  expect(roomFor(mention, undefined, used(2 * megabyte, 2 * megabyte - 300))).toBe(300);
  expect(roomFor(mention, undefined, used(3 * megabyte, 2 * megabyte))).toBe(0);
});

test('on a page that is three quarters full, a mention is short, until the page is full', () => {
  expect(roomFor(mention, undefined, used(6 * megabyte))).toBe(2 * megabyte);
  expect(roomFor(mention, undefined, used(6 * megabyte + 1))).toBe(2 * 1024 + addresses);
  expect(roomFor(mention, undefined, used(8 * megabyte - 300))).toBe(300);
});

test('imported mentions have 32 MB of their own, however many arrived here and whatever their site', () => {
  const imported = { ...mention, imported: {} };
  expect(roomFor(imported, undefined, used(8 * megabyte, 2 * megabyte))).toBe(32 * megabyte);
  expect(roomFor(imported, undefined, used(0, 0, 25 * megabyte))).toBe(2 * 1024 + addresses);
});
