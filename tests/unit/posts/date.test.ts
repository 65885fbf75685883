import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dateAt, momentOfLocal, offsetAt, ownerTimeZone, readDate } from '../../../src-main/posts/date.ts';
import { limitOf } from '../../support/patience.ts';

const minute = 60_000;
/** Zones with whole, half and quarter hours, with changes of an hour, of half an hour, and of a day. */
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Asia/Tokyo',
  'Pacific/Kiritimati',
];
const zone = fc.constantFrom(...zones);
const modern = { min: Date.UTC(1975, 0), max: Date.UTC(2060, 0) };
const moment = fc
  .integer({ min: modern.min / 1000, max: modern.max / 1000 })
  .map((seconds) => seconds * 1000);
/** The first and the last minute of gaps. */
const skipped: readonly (readonly [string, string])[] = [
  ['Europe/Berlin', '2027-03-28T02:00'],
  ['Europe/Berlin', '2027-03-28T02:59'],
  ['America/St_Johns', '2027-03-14T02:00'],
  ['America/Santiago', '2026-09-06T00:00'],
  ['Australia/Lord_Howe', '2026-10-04T02:00'],
  ['Australia/Lord_Howe', '2026-10-04T02:29'],
  ['Pacific/Apia', '2011-12-30T00:00'],
  ['Pacific/Apia', '2011-12-30T23:59'],
];
const localIn = (at: number, name: string) => at + offsetAt(at, name);

test('the offset of a time zone is the difference between its clocks and UTC', () => {
  fc.assert(
    fc.property(moment, zone, (at, name) => {
      const clock = new Intl.DateTimeFormat('sv-SE', {
        timeZone: name,
        dateStyle: 'short',
        timeStyle: 'medium',
      }).format(at);
      expect(new Date(localIn(at, name)).toISOString().slice(0, 19)).toBe(clock.replace(' ', 'T'));
    }),
  );
});

test('the offset changes with the zone and at the moment when the clocks change', () => {
  const summer = Date.UTC(2027, 2, 28, 1);
  for (const [at, hours] of [
    [summer - 1, 1],
    [summer, 2],
    [summer + 59_999, 2],
    [summer - 60_000, 1],
  ] as const) {
    expect(offsetAt(at, 'Europe/Berlin')).toBe(hours * 60 * minute);
    expect(offsetAt(at, 'Asia/Kathmandu')).toBe(345 * minute);
    expect(offsetAt(at, 'Europe/Berlin')).toBe(hours * 60 * minute);
  }
  // Liberia changed its clocks at a moment that no whole minute has.
  const change = Date.UTC(1972, 0, 7, 0, 44, 30);
  expect(offsetAt(change - 1000, 'Africa/Monrovia')).toBe(-44.5 * minute);
  expect(offsetAt(change, 'Africa/Monrovia')).toBe(0);
});

describe('a local time', () => {
  test('is the first moment at which the clocks show it', () => {
    fc.assert(
      fc.property(moment, zone, (at, name) => {
        const local = localIn(at, name);
        const found = momentOfLocal(local, name);
        expect(localIn(found, name)).toBe(local);
        expect(found).toBeLessThanOrEqual(at);
        // Nothing but a clock change leads to another moment.
        if (found !== at) expect(at - found).toBe(offsetAt(found, name) - offsetAt(at, name));
      }),
    );
  });

  test('that the clocks skip moves forward by the gap', () => {
    const times = fc.integer({ min: modern.min / minute, max: modern.max / minute }).map((n) => n * minute);
    fc.assert(
      fc.property(times, zone, (local, name) => {
        const found = momentOfLocal(local, name);
        const shown = localIn(found, name);
        if (shown === local) return;
        const gap = offsetAt(found, name) - offsetAt(local - offsetAt(found, name) - minute, name);
        expect(shown - local).toBe(gap);
        expect(gap).toBeGreaterThan(0);
      }),
      { examples: skipped.map(([name, text]): [number, string] => [Date.parse(`${text}Z`), name]) },
    );
  });
});

describe('a date', () => {
  test('that was read is read as the same again, in every zone', () => {
    fc.assert(
      fc.property(moment, zone, zone, fc.boolean(), (at, name, other, hasOffset) => {
        const text = new Date(at).toISOString().slice(0, hasOffset ? 24 : 23);
        const read = readDate(text, name) ?? '';
        expect(read).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:\d\d)$/);
        expect(readDate(read, other)).toBe(read);
        if (hasOffset) expect(Date.parse(read)).toBe(at);
      }),
    );
  });

  test('is in the extended format, or is invalid', () => {
    const part = fc.constantFrom(...'0 1 2 3 4 5 6 7 8 9 - : T Z + . 2027 06 01 24'.split(' '), ' ');
    const text = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 25 }).map((parts) => parts.join('')),
    );
    const nearMiss = fc
      .tuple(moment, fc.nat(24), fc.constantFrom('', '0', '-', 'T', ':', 'x', ' '))
      .map(([at, index, put]) => {
        const iso = new Date(at).toISOString();
        return iso.slice(0, index) + put + iso.slice(index + 1);
      });
    fc.assert(
      fc.property(fc.oneof(text, nearMiss), zone, (given, name) => {
        const read = readDate(given, name);
        if (read === undefined) return;
        expect(read).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/);
        expect(Date.parse(read)).not.toBeNaN();
        expect(readDate(read, 'UTC')).toBe(read);
      }),
      { numRuns: 1000 },
    );
  });

  test('exists in the calendar', () => {
    const day = fc.tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 13 }), fc.nat(32));
    const two = (number: number) => String(number).padStart(2, '0');
    fc.assert(
      fc.property(day, fc.boolean(), ([year, month, date], isBasic) => {
        const parts = [String(year).padStart(4, '0'), two(month), two(date)];
        const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
        const days = [0, 31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0][month] ?? 0;
        const read = readDate(parts.join(isBasic ? '' : '-'), 'UTC');
        expect(read).toBe(date >= 1 && date <= days ? `${parts.join('-')}T00:00:00Z` : undefined);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps up to nine decimals of its seconds, and loses the rest', () => {
    for (const decimals of ['.1', '.123', '.1234', '.123456', '.123456789']) {
      expect(readDate(`2027-06-01T09:00:00${decimals}+02:00`)).toBe(`2027-06-01T09:00:00${decimals}+02:00`);
      expect(readDate(`20270601T090000${decimals}`, 'Asia/Tokyo')).toBe(
        `2027-06-01T09:00:00${decimals}+09:00`,
      );
    }
    expect(readDate('2027-06-01T09:00:00.1234567891Z')).toBe('2027-06-01T09:00:00.123456789Z');
  });

  test('without an offset and without a zone stays without one', () => {
    expect(readDate('2020-03-01')).toBe('2020-03-01T00:00:00');
    expect(readDate('20200301 0930.5')).toBeUndefined();
    expect(readDate('2020-03-01T09:30:00.50')).toBe('2020-03-01T09:30:00.50');
    expect(readDate('2020-03-01T09:30+05')).toBe('2020-03-01T09:30:00+05:00');
  });

  test('of a time before there were time zones has an offset in whole minutes, up to 14 hours', () => {
    expect(readDate('1850-01-01', 'Europe/Amsterdam')).toMatch(/^1850-01-01T00:00:00\+00:\d\d$/);
    expect(readDate('1850-01-01', 'America/Juneau')).toBe('1850-01-01T00:00:00+14:00');
    expect(readDate('0000-01-01', 'Asia/Tokyo')).toBeUndefined();
    expect(readDate('0000-01-02', 'Asia/Tokyo')).toMatch(/^0000-01-02T00:00:00\+09:\d\d$/);
  });

  test('of a long text takes no time', () => {
    const began = performance.now();
    for (const text of [
      '2'.repeat(1_000_000),
      `2027-06-01T09:00:00.${'1'.repeat(1_000_000)}x`,
      ' '.repeat(1_000_000),
    ])
      expect(readDate(text, 'UTC')).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(limitOf(1000));
  });
});

test('the current time in a zone is that moment, to the millisecond', () => {
  fc.assert(
    fc.property(fc.integer(modern), zone, (at, name) => {
      const text = dateAt(at, name);
      expect(Date.parse(text)).toBe(at);
      expect(readDate(text, 'UTC')).toBe(text);
    }),
  );
});

test('the owner’s time zone is that of the settings, else the computer’s', () => {
  expect(ownerTimeZone({ timeZone: 'Asia/Tokyo' })).toBe('Asia/Tokyo');
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const timeZone of ['', 'Mars/Olympus']) expect(ownerTimeZone({ timeZone })).toBe(own);
});
