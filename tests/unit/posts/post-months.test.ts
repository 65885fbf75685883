import { describe, expect, test } from 'vitest';
import { isListComplete } from '../../../src-main/posts/post-months.ts';
import { encodedCursor, sortable } from '../../../src-main/posts/indexed-lists.ts';

const cursor = (moment: string) => encodedCursor(`${sortable(Date.parse(moment))} 2026/11 slug`);
const missing = new Set(['2025/01', '2026/03', '2024/12']);

describe('a page of a list, while the index lacks posts of three months', () => {
  test('is complete if all its posts are newer than the newest of them, wherever their authors live', () => {
    expect(isListComplete({ after: cursor('2026-04-02T00:00:00Z') }, {}, missing)).toBe(true);
    // A post of 31 March may have been published up to a day later in UTC.
    expect(isListComplete({ after: cursor('2026-04-01T23:59:59Z') }, {}, missing)).toBe(false);
    expect(isListComplete({ after: cursor('2025-06-01T00:00:00Z') }, {}, missing)).toBe(false);
  });

  test('is not complete if it is the last page', () => {
    expect(isListComplete({}, {}, missing)).toBe(false);
  });

  test('before a cursor is complete if the cursor is newer than the newest of them', () => {
    const page = { after: cursor('2020-01-01T00:00:00Z') };
    expect(isListComplete(page, { before: cursor('2026-04-02T00:00:00Z') }, missing)).toBe(true);
    expect(isListComplete({}, { before: cursor('2026-04-02T00:00:00Z') }, missing)).toBe(true);
    const newer = { after: cursor('2026-05-01T00:00:00Z') };
    expect(isListComplete(newer, { before: cursor('2026-03-15T00:00:00Z') }, missing)).toBe(false);
  });

  test('is complete if it shows only another month or year', () => {
    expect(isListComplete({}, { filter: { month: '2026/04' } }, missing)).toBe(true);
    expect(isListComplete({}, { filter: { year: '2023' } }, missing)).toBe(true);
    expect(isListComplete({}, { filter: { month: '2026/03' } }, missing)).toBe(false);
    expect(isListComplete({}, { filter: { year: '2024' } }, missing)).toBe(false);
    const after = cursor('2025-02-02T00:00:00Z');
    expect(isListComplete({ after }, { filter: { year: '2025' } }, missing)).toBe(true);
  });
});

test('a page is complete if the index has all months, and is not if it may lack any', () => {
  expect(isListComplete({}, {}, new Set())).toBe(true);
  expect(isListComplete({ after: cursor('2026-05-01T00:00:00Z') }, {}, undefined)).toBe(false);
});
