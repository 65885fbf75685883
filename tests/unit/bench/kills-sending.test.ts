import { describe, expect, onTestFinished, test } from 'vitest';
import type { Census, KnownPost } from '../../bench/kills/census.ts';
import { statesIn } from '../../bench/kills/census.ts';
import { openLedger } from '../../bench/kills/ledger.ts';
import { copyOf, openWorldAround, sentFor, serviceOf, sourcesByPage } from '../../bench/kills/sending.ts';

const post = (text: string, over: Partial<KnownPost> = {}): KnownPost => ({
  url: 'http://me.example/posts/2026/03/p1-2',
  text,
  status: 'published',
  month: '2026-03',
  isDeleted: false,
  ...over,
});

/** What a census of nothing but posts, webmentions and copies tells. */
function statesOf(over: Partial<Census>) {
  const empty = { edits: new Map(), files: new Map(), mentions: new Map(), apps: new Map() };
  const none = { posts: new Map(), copies: new Map(), sources: new Map(), deeds: new Map() };
  const lists = { categories: [], profileName: '', blocked: [], backups: [] };
  const listed = { posts: [], files: [], mentions: [] };
  const states = statesIn({ ...empty, ...none, ...lists, listed, ...over });
  return new Map([...states].filter(([key]) => /^(?:send|copy) /.test(key)));
}

describe('webmentions in a kill test', () => {
  test('a public post with a link is sent, and one with a name for it has a copy', () => {
    expect(sentFor('p1-2', post('p1-2 v3'))).toEqual([['send p1-2/v3', 'sent']]);
    expect(sentFor('p1-3', post('p1-3 v3'))).toEqual([]);
    expect(sentFor('p1-2', post('p1-2 v3', { status: 'draft' }))).toEqual([]);
    expect(sentFor('p1-2', post('p1-2 v3', { isDeleted: true }))).toEqual([]);
    expect(sentFor('c1-3', post('c1-3 v1'))).toEqual([
      ['send c1-3/v1', 'sent'],
      ['copy c1-3', copyOf('c1-3')],
    ]);
  });

  test('notices a page that was not notified, and one that nothing was to be sent to', () => {
    const ledger = openLedger();
    for (const [key, state] of sentFor('p1-2', post('p1-2 v1'))) ledger.send(key, state)();
    const posts = new Map([['p1-2', post('p1-2 v1')]]);
    const source = 'http://me.example/posts/2026/03/p1-2';
    expect(ledger.faults(statesOf({ posts, sources: new Map([['p1-2/v1', source]]) }))).toEqual([]);
    expect(ledger.faults(statesOf({ posts }))).toMatchObject([{ kind: 'lost' }]);
    expect(openLedger().faults(statesOf({ posts, sources: new Map([['p1-2/v1', source]]) }))).toEqual([
      { kind: 'resurrected', words: 'send p1-2/v1 came from nowhere' },
    ]);
  });

  test('notices that a page was notified of a post that did not survive, although nobody was promised it', () => {
    const ledger = openLedger();
    for (const [key, state] of sentFor('p1-2', post('p1-2 v1')))
      ledger.send(key, state, { isFollowed: true });
    expect(ledger.faults(statesOf({}))).toEqual([]);
    expect(ledger.faults(statesOf({ sources: new Map([['p1-2/v1', 'x']]) }))).toMatchObject([
      { kind: 'lost' },
    ]);
  });

  test('notices that a post lost its link to a copy, or has it twice', () => {
    const ledger = openLedger();
    ledger.send('copy c1-3', copyOf('c1-3'))();
    const copies = (...urls: string[]) => statesOf({ copies: new Map([['c1-3', urls.join(' ')]]) });
    expect(ledger.faults(copies(copyOf('c1-3')))).toEqual([]);
    expect(ledger.faults(statesOf({}))).toMatchObject([{ kind: 'lost' }]);
    expect(ledger.faults(copies(copyOf('c1-3'), copyOf('c1-3')))).toMatchObject([{ kind: 'lost' }]);
  });

  test('the site around takes webmentions, and its service names the copy of a post', async () => {
    const around = await openWorldAround();
    onTestFinished(() => around.close());
    const target = around.add('/p1-2/v1');
    const source = 'http://me.example/posts/2026/03/c1-3';
    const send = (to: string) =>
      fetch(`${to}/webmention`, { method: 'POST', body: new URLSearchParams({ source, target: to }) });
    expect((await send(target)).status).toBe(202);
    const answer = await send(serviceOf(around));
    expect([answer.status, answer.headers.get('location')]).toEqual([201, copyOf('c1-3')]);
    expect(sourcesByPage(around)).toEqual(new Map([['p1-2/v1', source]]));
  });
});
