import { describe, expect, test } from 'vitest';
import { deedsIn, noted, notedOfApp, timesOf } from '../../bench/kills/activity.ts';
import { openLedger } from '../../bench/kills/ledger.ts';

const entry = (kind: string, words: string) => ({ id: words, at: '2026-03-15T12:00:00.000Z', kind, words });
const statesOf = (...entries: ReturnType<typeof entry>[]) =>
  new Map([...deedsIn(entries)].map(([key, count]) => [key, timesOf(count)] as const));
const created = (name: string) => entry('post.created', `The soak published an article: “${name}”`);
const blocked = entry('webmention.blocked', 'You blocked s1-0.example. Porchlight refuses its mentions.');

describe('the activity in a kill test', () => {
  test('an acknowledged action with one entry is no fault', () => {
    const ledger = openLedger();
    noted(ledger, 'webmention.blocked', 's1-0.example')();
    expect(ledger.faults(statesOf(blocked))).toEqual([]);
  });

  test('notices an entry that is missing, that is there twice, and that nobody asked for', () => {
    const ledger = openLedger();
    noted(ledger, 'webmention.blocked', 's1-0.example')();
    expect(ledger.faults(statesOf())).toMatchObject([{ kind: 'lost' }]);
    expect(ledger.faults(statesOf(blocked, blocked))).toMatchObject([
      { words: 'activity owner webmention.blocked s1-0 is “2 entries”, and should be “1 entry”' },
    ]);
    expect(openLedger().faults(statesOf(blocked))).toMatchObject([{ kind: 'resurrected' }]);
  });

  test('an action that is repeated has one entry more', () => {
    const ledger = openLedger();
    const [first, second] = [1, 2].map((count) =>
      entry('webmention.imported', `You imported from webmention.io: ${count} new, 0 changed.`),
    );
    if (!first || !second) throw new Error('There are two.');
    noted(ledger, 'webmention.imported')();
    ledger.settle(statesOf(first));
    noted(ledger, 'webmention.imported')();
    expect(ledger.faults(statesOf(first))).toMatchObject([{ kind: 'lost' }]);
    expect(ledger.faults(statesOf(first, second))).toEqual([]);
  });

  test('of many posts of an app, the entries of the first five must be there', () => {
    const ledger = openLedger();
    const ofApps = new Map<string, number>();
    const names = Array.from({ length: 7 }, (_, turn) => `p1-${turn}`);
    for (const name of names) notedOfApp({ ledger, ofApps }, 'post.created', name)();
    expect(ledger.faults(statesOf(...names.slice(0, 5).map(created)))).toEqual([]);
    expect(ledger.faults(statesOf(...names.slice(1, 6).map(created)))).toMatchObject([
      { words: 'activity app post.created p1-0 is “absent”, and should be “1 entry”' },
    ]);
  });

  test('what apps do to posts is left out, because only some of it has entries', () => {
    const updated = entry('post.updated', 'The soak updated an article: “p1-0”');
    const more = entry('post.created', 'The soak created 2 more posts.');
    expect(deedsIn([updated, more])).toEqual(new Map());
  });
});
