import { expect, test } from 'vitest';
import { momentMarkup, momentWords } from '../../../src-main/site/moment.ts';

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
