import { expect, test } from 'vitest';
import { isTimeZone } from '../../../../src-main/posts/date.ts';
import { dateMarkup, momentMarkup, momentWords } from '../../../../src-main/posts/rendering/moment.ts';

test.each([
  ['2026-11-21T14:05:09.123Z', '21 November 2026, 14:05 UTC'],
  ['2026-11-21T23:59:00-08:00', '21 November 2026, 23:59'],
  ['2026-11-21 08:00+0530', '21 November 2026, 08:00'],
  ['2026-11-21', '21 November 2026'],
])('%s reads as its writer’s clock showed it', (moment, words) => {
  expect(momentWords(moment)).toBe(words);
});

test.each(['soon', '2026-13-45', '', '2026-11-21T14:05:00Z"><script>'])(
  '%j is shown as it was posted',
  (moment) => {
    expect(momentWords(moment)).toBeUndefined();
    expect(momentMarkup('dt-start', moment).markup).not.toContain('<script>');
  },
);

test.each([
  ['2026-11-21T14:05:09.123Z', 'Europe/Brussels', '21 November 2026, 15:05'],
  ['2026-07-21T14:05:09Z', 'Europe/Brussels', '21 July 2026, 16:05'],
  ['2026-11-21T23:59:00-08:00', 'Asia/Tokyo', '22 November 2026, 16:59'],
  ['2026-11-21 08:00+0530', 'UTC', '21 November 2026, 02:30 UTC'],
  ['2026-11-21T08:00', 'Asia/Tokyo', '21 November 2026, 08:00'],
  ['2026-11-21', 'America/Los_Angeles', '21 November 2026'],
  ['2026-11-21T25:00:00Z', 'Asia/Tokyo', '21 November 2026, 25:00 UTC'],
])('%s reads in %s as %s', (moment, zone, words) => {
  expect(momentWords(moment, zone)).toBe(words);
});

test.each([
  ['Europe/Paris', true],
  ['Europe/Paris', true],
  ['UTC', true],
  ['Mars/Olympus', false],
  ['', false],
  ['UTC', true],
])('%j is a time zone: %s', (zone, isOne) => {
  expect(isTimeZone(zone)).toBe(isOne);
});

test.each([
  ['2026-11-21T23:30:00Z', 'Asia/Tokyo', '22 November 2026', '22 November 2026, 08:30'],
  ['2026-11-21T08:00', 'Asia/Tokyo', '21 November 2026', '21 November 2026, 08:00'],
  // Z01c
  [
    '2013-05-06T02:12:52+02:00',
    'America/Los_Angeles',
    '6 May 2013',
    '5 May 2013, 17:12 (America/Los_Angeles)',
  ],
  ['2026-11-21 23:59-0800', 'UTC', '21 November 2026', '22 November 2026, 07:59 UTC'],
  ['2026-11-21T23:59:00-08:00', 'America/Los_Angeles', '21 November 2026', '21 November 2026, 23:59'],
])('%s in %s shows its date, and the time on hover', (moment, zone, date, time) => {
  expect(dateMarkup('dt-published', moment, zone).markup).toBe(
    `<time class="dt-published" datetime="${moment}" title="${time}">${date}</time>`,
  );
});

test.each([
  ['2026-11-21T20:00:00+09:00', '21 November 2026, 20:00'],
  ['2026-11-21T20:00:00Z', '22 November 2026, 05:00'],
])('%s as the time of an event is %s in Tokyo', (moment, words) => {
  expect(momentMarkup('dt-start', moment, 'Asia/Tokyo').markup).toContain(`>${words}</time>`);
});

test.each(['2026-11-21', 'soon'])('%s has no time to show on hover', (moment) => {
  expect(dateMarkup('', moment, 'Asia/Tokyo').markup).not.toContain('title');
});
