import { describe, expect, test } from 'vitest';
import { absent, openLedger, removed } from '../../bench/kills/ledger.ts';

const seen = (states: Record<string, string>) => new Map(Object.entries(states));

describe('the ledger of a kill test', () => {
  test('an acknowledged change that is there is no fault', () => {
    const ledger = openLedger();
    ledger.send('post a', 'v1')();
    expect(ledger.faults(seen({ 'post a': 'v1' }))).toEqual([]);
  });

  test('notices that an acknowledged thing is lost', () => {
    const ledger = openLedger();
    ledger.send('post a', 'v1')();
    expect(ledger.faults(seen({}))).toEqual([
      { kind: 'lost', words: 'post a is “absent”, and should be “v1”' },
    ]);
  });

  test('notices that an acknowledged change fell back to the version before', () => {
    const ledger = openLedger();
    ledger.send('post a', 'v1')();
    ledger.send('post a', 'v2')();
    expect(ledger.faults(seen({ 'post a': 'v1' }))).toMatchObject([{ kind: 'lost' }]);
  });

  test.each([absent, removed])('notices that a thing that became “%s” is back', (gone) => {
    const ledger = openLedger();
    ledger.send('post a', 'v1')();
    ledger.send('post a', gone)();
    expect(ledger.faults(seen({ 'post a': 'v1' }))).toMatchObject([{ kind: 'resurrected' }]);
  });

  test('notices that a removed thing left no trace although one was acknowledged', () => {
    const ledger = openLedger();
    ledger.send('post a', removed)();
    expect(ledger.faults(seen({}))).toMatchObject([{ kind: 'lost' }]);
  });

  test('notices a thing that nobody asked for', () => {
    expect(openLedger().faults(seen({ 'post a': 'v1' }))).toEqual([
      { kind: 'resurrected', words: 'post a came from nowhere' },
    ]);
  });

  test('an unanswered change may be there or not, but nothing in between', () => {
    const ledger = openLedger();
    ledger.send('post a', 'v1')();
    ledger.send('post a', 'v2');
    expect(ledger.faults(seen({ 'post a': 'v1' }))).toEqual([]);
    expect(ledger.faults(seen({ 'post a': 'v2' }))).toEqual([]);
    expect(ledger.faults(seen({ 'post a': 'half of v2' }))).toMatchObject([{ kind: 'lost' }]);
    expect(ledger.faults(seen({}))).toMatchObject([{ kind: 'lost' }]);
  });

  test('an unanswered deletion may have happened or not', () => {
    const ledger = openLedger();
    ledger.send('post a', 'v1')();
    ledger.send('post a', removed);
    expect(ledger.faults(seen({ 'post a': 'v1' }))).toEqual([]);
    expect(ledger.faults(seen({ 'post a': removed }))).toEqual([]);
  });

  test('what was there after a kill must stay, whether it was acknowledged or not', () => {
    const ledger = openLedger();
    ledger.send('post a', 'v1');
    ledger.send('post b', 'v1');
    ledger.settle(seen({ 'post a': 'v1' }));
    expect(ledger.faults(seen({}))).toMatchObject([
      { kind: 'lost', words: expect.stringContaining('post a') as string },
    ]);
    expect(ledger.faults(seen({ 'post a': 'v1', 'post b': 'v1' }))).toMatchObject([
      { kind: 'resurrected', words: expect.stringContaining('post b') as string },
    ]);
  });

  test('an unanswered change that the server follows may still come later, and then must stay', () => {
    const ledger = openLedger();
    ledger.send('send a', 'sent', { isFollowed: true });
    ledger.settle(seen({}));
    expect(ledger.faults(seen({}))).toEqual([]);
    expect(ledger.faults(seen({ 'send a': 'sent' }))).toEqual([]);
    expect(ledger.faults(seen({ 'send a': 'sent of another' }))).toMatchObject([{ kind: 'lost' }]);
    ledger.settle(seen({ 'send a': 'sent' }));
    expect(ledger.faults(seen({}))).toMatchObject([{ kind: 'lost' }]);
  });

  test('counts acknowledged changes by kind', () => {
    const ledger = openLedger();
    ledger.send('post a', 'v1')();
    ledger.send('post a', 'v2')();
    ledger.send('file a', 'v1')();
    ledger.send('file b', 'v1');
    expect([...ledger.counts()]).toEqual([
      ['post', 2],
      ['file', 1],
    ]);
  });

  test('knows which things changed since it was settled', () => {
    const ledger = openLedger();
    ledger.send('post a', 'v1')();
    ledger.settle(seen({ 'post a': 'v1' }));
    ledger.send('post b', 'v1');
    expect([...ledger.changed()]).toEqual(['post b']);
    expect(ledger.stateOf('post a')).toBe('v1');
    expect(ledger.stateOf('post b')).toBe(absent);
  });
});
