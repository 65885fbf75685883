import { expect, test } from 'vitest';
import { isoMoment } from '../../../src-main/mentions/clean-facts.ts';

test.each([
  ['2026-11-21T14:05:09.123Z', '2026-11-21T14:05:09.123Z'],
  ['2026-11-21T14:05:09.1234Z', '2026-11-21T14:05:09.1234Z'],
  ['2026-11-21 14:05:09.123456+0530', '2026-11-21T14:05:09.123456+05:30'],
  ['2026-11-21T14:05:09.123456789-08', '2026-11-21T14:05:09.123456789-08:00'],
  ['2026-11-21T14:05:09.1234', '2026-11-21T14:05:09.1234'],
])('the date %s of a source keeps its decimals: %s', (given, read) => {
  expect(isoMoment(given)).toBe(read);
});

test.each(['2026-11-21T14:05:09.Z', '2026-11-21T14:05:09.1234567890Z', '2026-11-21T14:05.5Z'])(
  '%s of a source is no date',
  (given) => {
    expect(isoMoment(given)).toBeUndefined();
  },
);
