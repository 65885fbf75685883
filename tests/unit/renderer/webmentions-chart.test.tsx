// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { barsOf } from '../../../src-renderer/features/webmentions/chart-months.ts';
import { outcomeWords } from '../../../src-renderer/features/webmentions/look-now.tsx';
import { deedOf, pathOf, personOf } from '../../../src-renderer/features/webmentions/words.ts';
import { hostTyped } from '../../../src-renderer/ui/host.ts';
import { openWindow } from './open-window.tsx';

const now = Date.parse('2026-11-21T08:00:00Z');

describe('the chart', () => {
  test('has a bar for each month up to now, also for those in which nothing came', () => {
    const bars = barsOf(
      [
        { month: '2026-08', types: { like: 3, reply: 1 } },
        { month: '2026-10', types: { mention: 2 } },
      ],
      now,
    );
    expect(bars.map(({ month }) => month)).toEqual([
      ...['2025-12', '2026-01', '2026-02', '2026-03', '2026-04', '2026-05', '2026-06', '2026-07'],
      ...['2026-08', '2026-09', '2026-10', '2026-11'],
    ]);
    expect(bars[8]).toEqual({
      month: '2026-08',
      total: 4,
      parts: [
        { type: 'reply', from: 0, count: 1 },
        { type: 'like', from: 1, count: 3 },
      ],
    });
    expect(bars.map(({ total }) => total)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 2, 0]);
  });

  test('goes back two years at most, and is not there where nothing is to be drawn', () => {
    const bars = barsOf(
      [
        { month: '2014-03', types: { like: 9 } },
        { month: '2026-11', types: { like: 1 } },
      ],
      now,
    );
    expect([bars.length, bars[0]?.month]).toEqual([24, '2024-12']);
    expect(barsOf([], now)).toEqual([]);
    expect(barsOf([{ month: '2014-03', types: { like: 9 } }], now)).toEqual([]);
  });

  test('has a table for those who do not see it', async () => {
    const month = new Date().toISOString().slice(0, 7);
    openWindow({
      hash: '#/webmentions',
      handlers: { 'webmentions.counts': () => [{ month, types: { like: 4, rsvp: 2 } }] },
    });
    const table = within(await screen.findByRole('table', { name: 'Mentions by month' }));
    expect(table.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual([
      'Month',
      'likes',
      'RSVPs',
    ]);
    const cells = within(table.getAllByRole('row').at(-1)!).getAllByRole('cell');
    expect(cells.map((cell) => cell.textContent)).toEqual(['4', '2']);
  });
});

describe('the words', () => {
  test('say what was done', () => {
    expect(deedOf({ type: 'rsvp', rsvp: 'Maybe' })).toBe('answered maybe to');
    expect(deedOf({ type: 'rsvp', rsvp: 'constructor' })).toBe('answered');
    expect(deedOf({ type: 'bookmark' })).toBe('bookmarked');
  });

  test('name a person, or the site where nobody has a name', () => {
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

  test('say what came of looking for new ones', () => {
    const none = { processed: 0, approved: 0, updated: 0, removed: 0, failed: 0, waiting: 0 };
    expect(outcomeWords(none)).toBe('Nothing new has come in.');
    expect(outcomeWords({ ...none, processed: 1, waiting: 1 })).toBe('1 looked at. 1 waits for another try.');
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
