import { describe, expect, test } from 'vitest';
import { hasDate, publishedOf } from '../../../src-main/posts/visibility.ts';

const fallback = Date.UTC(2030, 0);
const at = (published: string) => publishedOf({ published: [published] }, fallback).at;

describe('the date of a stored post', () => {
  test.each(['.1', '.12', '.123', '.1234', '.123456', '.123456789'])(
    'may have seconds with the decimals %s, and counts to the millisecond',
    (decimals) => {
      const text = `2027-06-01T09:00:00${decimals}+02:00`;
      const ms = Number(decimals.padEnd(4, '0').slice(1, 4));
      expect(publishedOf({ published: [text] }, fallback)).toEqual({
        at: Date.UTC(2027, 5, 1, 7, 0, 0, ms),
        month: '2027/06',
        time: '090000',
        offset: 120,
        text,
      });
      expect(hasDate({ published: [text] })).toBe(true);
    },
  );

  test('with more than nine decimals is no date', () => {
    expect(at('2027-06-01T09:00:00.1234567890Z')).toBe(fallback);
    expect(hasDate({ published: ['2027-06-01T09:00:00.1234567890Z'] })).toBe(false);
  });
});
