import { describe, expect, test } from 'vitest';
import type { DeliveryOutcome } from '../../../../src-main/mentions/sending/deliver.ts';
import type { Entry } from '../../../../src-main/mentions/sending/deliveries.ts';
import {
  again,
  isScheduled,
  overtaken,
  planned,
  respondedTo,
  settledDelivery,
  type LinkChange,
} from '../../../../src-main/mentions/sending/plan.ts';

const now = Date.parse('2026-11-21T12:00:00.000Z');
const minute = 60_000;
const hour = 60 * minute;
const there = 'https://bo.example/post';
const sent: DeliveryOutcome = { kind: 'sent', words: 'Sent.' };
const failed = (over: Partial<Extract<DeliveryOutcome, { kind: 'failed' }>> = {}): DeliveryOutcome => ({
  kind: 'failed',
  words: 'No answer.',
  mayPass: true,
  refused: false,
  mayKnow: false,
  ...over,
});

/** Settles an attempt after which no other follows if the failure won't pass. */
const settled = (entry: Entry, outcome: DeliveryOutcome, at = now) =>
  settledDelivery(entry, outcome, { isOver: outcome.kind !== 'failed' || !outcome.mayPass, now: at });
const plan = (entries: readonly Entry[], change: Partial<LinkChange>) =>
  planned(entries, { links: [], linkedBefore: [], publishedAt: 0, now, ...change });
const one = (entries: readonly Entry[]) => {
  expect(entries).toHaveLength(1);
  return entries[0]!;
};
const waiting = () => one(plan([], { links: [there] }));
const notified = () => settled(waiting(), sent);
const dueIn = ({ notBefore }: Entry) => (notBefore === undefined ? 0 : Date.parse(notBefore) - now);

describe('WS-4 the pages to notify of a change', () => {
  test('a page that is linked, now', () => {
    expect(waiting()).toMatchObject({ target: there, state: 'waiting', linked: true, notified: false });
    expect(dueIn(waiting())).toBe(0);
  });

  test('a page that was notified and is still linked, again', () => {
    expect(one(plan([notified()], { links: [there] }))).toMatchObject({
      state: 'waiting',
      linked: true,
    });
  });

  test('a page that was notified and is no longer linked', () => {
    expect(one(plan([notified()], {}))).toMatchObject({ state: 'waiting', linked: false });
  });

  test('a page that was linked before anything was remembered', () => {
    expect(one(plan([], { linkedBefore: [there] }))).toMatchObject({ state: 'waiting', linked: false });
  });

  test('a page that may have heard, though its answer never came', () => {
    const unsure = settled(waiting(), failed({ mayKnow: true, mayPass: false }));
    expect(one(plan([unsure], {}))).toMatchObject({ state: 'waiting', linked: false });
  });

  test('a page that may be being notified right now', () => {
    expect(one(plan([waiting()], {}))).toMatchObject({ state: 'waiting', linked: false });
  });

  test.each<[string, DeliveryOutcome]>([
    ['takes no webmentions', { kind: 'no-endpoint', words: 'None.' }],
    ['refused', failed({ mayPass: false, refused: true })],
  ])('not a page that %s, once the link is gone', (_, outcome) => {
    expect(plan([settled(waiting(), outcome)], { linkedBefore: [there] })).toEqual([]);
  });

  test('a page that learned of the link’s removal is notified once, and again when the link is back', () => {
    const gone = settled(one(plan([notified()], {})), sent);
    expect(gone).toMatchObject({ state: 'sent', words: 'Reported that the link was removed.' });
    expect(one(plan([gone], {}))).toEqual(gone);
    expect(one(plan([gone], { links: [there] }))).toMatchObject({ state: 'waiting', linked: true });
  });

  test('a refusal is a fair answer to a link that is gone', () => {
    const gone = settled(one(plan([notified()], {})), failed({ mayPass: false, refused: true }));
    expect(gone).toMatchObject({ state: 'sent', notified: false });
  });

  test('a post that is published later notifies its pages then', () => {
    const later = one(plan([], { links: [there], publishedAt: now + hour }));
    expect(dueIn(later)).toBe(hour);
    expect(plan([later], {})).toEqual([]);
  });

  test('a limited number of earlier links is remembered', () => {
    const links = Array.from({ length: 500 }, (_, index) => `https://bo.example/${index}`);
    let entries: Entry[] = [];
    for (let round = 0; round < 5; round += 1) {
      entries = plan(entries, { links: links.map((link) => `${link}?${round}`) });
      entries = entries.map((entry) => settled(entry, sent));
    }
    expect(entries).toHaveLength(1500);
    expect(entries.slice(0, 500).every(({ linked }) => linked)).toBe(true);
  });
});

describe('what becomes of a try', () => {
  test('a failure that may pass is tried again, until no attempt is left', () => {
    const again = settledDelivery(waiting(), failed(), { isOver: false, now });
    expect(again).toMatchObject({ state: 'waiting', words: 'No answer. Porchlight will try again.' });
    expect(settledDelivery(again, failed(), { isOver: true, now })).toMatchObject({
      state: 'failed',
      words: 'No answer.',
    });
  });

  test('a failure for good is not tried again', () => {
    expect(settled(waiting(), failed({ mayPass: false }))).toMatchObject({ state: 'failed' });
  });

  test('of a removed link says so: there is nobody to notify of a link', () => {
    const gone = one(plan([notified()], {}));
    const words = 'The removal of the link could not be reported. No answer.';
    expect(settled(gone, failed({ mayPass: false }))).toMatchObject({ state: 'failed', words });
    expect(settled(gone, failed())).toMatchObject({
      words: `${words} Porchlight will try again.`,
    });
  });

  test('WS-3 where the other site says how it goes is remembered until the next round is done', () => {
    const kept = settled(waiting(), { ...sent, statusPage: 'https://bo.example/status/1' });
    expect(kept).toMatchObject({ statusPage: 'https://bo.example/status/1' });
    expect(settled(one(plan([kept], { links: [there] })), sent)).not.toHaveProperty('statusPage');
  });

  test('the URL of a copy is kept in every later round, however it ends', () => {
    const copied = { ...notified(), copy: 'https://mastodon.example/@ada/1' };
    const next = again(copied, now);
    const ends = [sent, failed(), failed({ refused: true, mayPass: false })];
    for (const entry of [next, ...ends.map((end) => settled(next, end))])
      expect(entry).toMatchObject({ copy: 'https://mastodon.example/@ada/1' });
  });

  test('NE05b a service that made a copy isn’t notified of an edit, unless it is known to update', () => {
    const copied = { ...notified(), copy: 'https://mastodon.example/@ada/1' };
    expect(one(plan([copied], { links: [there] }))).toBe(copied);
    const target = 'https://news.indieweb.org/en';
    expect(one(plan([{ ...copied, target }], { links: [target] }))).toMatchObject({ state: 'waiting' });
  });

  test('NE05b a service that kept its copy of a withdrawn post has it again once the post is back', () => {
    const copied = { ...notified(), copy: 'https://mastodon.example/@ada/1' };
    const withdrawn = one(plan([copied], {}));
    const refused = settled(withdrawn, failed({ refused: true, mayPass: false }));
    expect(one(plan([refused], { links: [there] }))).toMatchObject({
      state: 'sent',
      linked: true,
      notified: true,
      words: 'Cross-posted to mastodon.example.',
    });
    expect(settled(withdrawn, sent)).not.toHaveProperty('copy');
  });

  test('notifications from before a change do not count as sent after it', () => {
    const changed = one(plan([waiting()], { links: [there] }));
    expect(overtaken(changed, sent)).toMatchObject({ state: 'waiting', notified: true });
    expect(overtaken(changed, failed())).toEqual(changed);
  });
});

describe('WS-7 new responses', () => {
  const respond = (entry: Entry, isUnderWay = false, at = now) =>
    respondedTo(entry, { source: 'https://cy.example/reply', isUnderWay, now: at });
  const notifiedBefore = () => settled(waiting(), sent, now - hour);
  const forGood = failed({ mayPass: false, words: 'Not found.' });

  test('go to a notified page, after a burst, and ten minutes after its last notification', () => {
    expect(dueIn(respond(notifiedBefore()))).toBe(minute);
    expect(dueIn(respond(notified()))).toBe(10 * minute);
    const entry = respond(notifiedBefore());
    expect(respond(entry)).toBe(entry);
  });

  test.each<[string, Entry]>([
    ['was never told', waiting()],
    ['was told, and failed since', settled(again(notified(), now), forGood)],
    [
      'was told, and takes nothing since',
      settled(again(notified(), now), { kind: 'no-endpoint', words: '' }),
    ],
    ['is to be told anyway, and was not begun with', one(plan([notified()], { links: [there] }))],
    ['is to be told again anyway', settled(again(notified(), now), failed())],
    ['is to be told that the link is gone', one(plan([notified()], {}))],
  ])('are nothing new for a page that %s', (_, entry) => {
    expect(respond(entry)).toBe(entry);
  });

  test('a page that does not hear of them was told all the same', () => {
    expect(settled(respond(notifiedBefore()), forGood)).toMatchObject({
      state: 'sent',
      notified: true,
      words: 'Sent before, but new responses could not be reported. Not found.',
    });
    const none: DeliveryOutcome = { kind: 'no-endpoint', words: 'None.' };
    expect(settled(respond(notifiedBefore()), none)).toMatchObject({ state: 'sent', notified: true });
    const again = settled(respond(notifiedBefore()), failed());
    expect(again).toMatchObject({ state: 'waiting', notified: true });
    expect(settledDelivery(again, failed(), { isOver: true, now })).toMatchObject({ state: 'sent' });
  });

  test('what was sent of them and fails as an update later has failed', () => {
    const heard = settled(respond(notifiedBefore()), sent);
    for (const entry of [again(heard, now), one(plan([respond(heard)], { links: [there] }))])
      expect(settled(entry, forGood)).toMatchObject({ state: 'failed', words: 'Not found.' });
  });

  test('what waits to tell of them is no scheduled post', () => {
    expect(isScheduled(respond(notified()), now)).toBe(false);
    expect(isScheduled(one(plan([], { links: [there], publishedAt: now + hour })), now)).toBe(true);
  });

  test('that arrive during a notification are sent ten minutes later', () => {
    const update = one(plan([notified()], { links: [there] }));
    const more = respond(update, true);
    expect(more).toEqual({ ...update, moreResponses: true });
    expect(respond(more, true)).toBe(more);
    const later = settled(more, sent);
    expect(dueIn(later)).toBe(10 * minute);
    expect(settled(later, sent)).toMatchObject({ state: 'sent' });
    expect(settled(later, forGood)).toMatchObject({ state: 'sent' });
  });

  test('that arrive while a page can’t be reached are sent with the next attempt', () => {
    const more = respond(one(plan([notified()], { links: [there] })), true);
    expect(settled(more, forGood)).toMatchObject({ state: 'failed' });
    const tried = settled(more, failed());
    expect(tried).toMatchObject({ state: 'waiting' });
    expect(settled(tried, sent)).toMatchObject({ state: 'sent' });
  });
});
