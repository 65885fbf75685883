import { screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import {
  monthBars,
  totalsOf,
  yearBars,
  yearsOf,
} from '../../../src-renderer/features/webmentions/chart-bars.ts';
import { outcomeWords } from '../../../src-renderer/features/webmentions/words.ts';
import { deedOf, pathOf, personOf } from '../../../src-renderer/features/webmentions/naming.ts';
import { hostTyped } from '../../../src-renderer/ui/host.ts';
import { openWindow } from './open-window.tsx';

const someCounts = [
  { month: '2023-12', types: { like: 9 } },
  { month: '2026-08', types: { like: 3, reply: 1 } },
  { month: '2026-10', types: { mention: 2 } },
];

describe('the chart', () => {
  test('has a bar for each month of a year, also for those in which nothing came', () => {
    const bars = monthBars(someCounts, '2026');
    expect(bars.map(({ name }) => name.slice(5)).join(' ')).toBe('01 02 03 04 05 06 07 08 09 10 11 12');
    expect(bars[7]).toEqual({
      name: '2026-08',
      total: 4,
      parts: [
        { type: 'reply', from: 0, count: 1 },
        { type: 'like', from: 1, count: 3 },
      ],
    });
    expect(totalsOf(bars)).toEqual({
      total: 6,
      types: [
        ['reply', 1],
        ['like', 3],
        ['mention', 2],
      ],
    });
  });

  test('has a bar for each year, from the first mention to the last', () => {
    expect(yearsOf(someCounts)).toEqual(['2026', '2025', '2024', '2023']);
    expect(yearBars(someCounts).map(({ name, total }) => [name, total])).toEqual([
      ['2023', 9],
      ['2024', 0],
      ['2025', 0],
      ['2026', 6],
    ]);
    expect([yearsOf([]), yearBars([])]).toEqual([[], []]);
  });

  test('switches between the months of a year and all years, with totals and a table', async () => {
    const { user, callsOf } = openWindow({
      hash: '#/webmentions?view=chart',
      handlers: { 'webmentions.counts': () => someCounts },
    });
    expect(await screen.findByRole('heading', { name: '6 mentions in 2026' })).toBeTruthy();
    await user.selectOptions(screen.getByLabelText('Year'), '2023');
    expect(screen.getByRole('heading', { name: '9 mentions in 2023' })).toBeTruthy();
    await user.click(screen.getByRole('radio', { name: 'By year' }));
    expect(screen.getByRole('heading', { name: '15 mentions in all' })).toBeTruthy();
    expect(screen.queryByLabelText('Year')).toBeNull();
    expect(callsOf('webmentions.topPages')).toEqual([{ year: '2026' }, { year: '2023' }, {}]);
    await user.click(screen.getByText('Show as a table'));
    const table = within(await screen.findByRole('table', { name: 'Mentions by year' }));
    expect(table.getAllByRole('row').map((row) => row.textContent)).toEqual([
      'Yearreplieslikes' + 'mentionsTotal',
      '20230909',
      '20240000',
      '20250000',
      '20261326',
      'Total112215',
    ]);
  });

  test('leads from a much mentioned page to its mentions', async () => {
    const { user } = openWindow({ hash: '#/webmentions' });
    await user.click(await screen.findByRole('radio', { name: 'Over time' }));
    await user.click(await screen.findByRole('radio', { name: 'By year' }));
    const pages = within(await screen.findByRole('region', { name: 'Most mentioned pages' }));
    await user.click((await pages.findAllByRole('button'))[0]!);
    expect(await screen.findByRole('heading', { name: /^Mentions of/ })).toBeTruthy();
    expect(window.location.hash).toMatch(/view=pages&target=https/);
  });
});

describe('the words', () => {
  test('say what was done', () => {
    expect(deedOf({ type: 'rsvp', rsvp: 'Maybe' })).toBe('answered maybe to');
    expect(deedOf({ type: 'rsvp', rsvp: 'constructor' })).toBe('answered');
    expect(deedOf({ type: 'bookmark' })).toBe('bookmarked');
  });

  test('name a person, or the site if nobody has a name', () => {
    const source = 'https://bridge.example/1';
    expect(personOf({ source, author: { name: '\u202E ', url: 'https://kit.example/', photo: '' } })).toBe(
      'kit.example',
    );
    expect(personOf({ source, author: { name: '', url: '', photo: '' } })).toBe('bridge.example');
    expect(personOf({ source })).toBe('bridge.example');
  });

  test('call a page by its path as people write it', () => {
    expect(pathOf('https://a.example/caf%C3%A9?x=1#y')).toBe('/café?x=1');
    expect(pathOf('https://a.example/%')).toBe('/%');
    expect(pathOf('https://a.example/')).toBe('a.example');
  });

  test('say what a check for new mentions found', () => {
    const none = { processed: 0, approved: 0, updated: 0, removed: 0, failed: 0, waiting: 0 };
    expect(outcomeWords(none)).toBe('No new mentions.');
    expect(outcomeWords({ ...none, processed: 1, waiting: 1 })).toBe(
      'Checked 1 mention. Porchlight will try 1 mention again later.',
    );
  });

  test('read a site however it is typed', () => {
    expect(hostTyped(' HTTPS://Wren.example/about ')).toBe('wren.example');
    expect(hostTyped('bücher.example')).toBe('xn--bcher-kva.example');
    expect(hostTyped('localhost:8080')).toBe('localhost:8080');
    expect([hostTyped(''), hostTyped('not a site'), hostTyped('http://')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
