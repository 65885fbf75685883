import { describe, expect, test } from 'vitest';
import type { DeliveryOutcome } from '../../../../src-main/webmention/send/deliver.ts';
import type { Entry } from '../../../../src-main/webmention/send/outbox-document.ts';
import {
  again,
  isScheduled,
  overtaken,
  planned,
  respondedTo,
  settledDelivery,
  type LinkChange,
} from '../../../../src-main/webmention/send/plan.ts';

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

const plan = (entries: readonly Entry[], change: Partial<LinkChange>) =>
  planned(entries, { links: [], linkedBefore: [], publishedAt: 0, now, ...change });
const one = (entries: readonly Entry[]) => {
  expect(entries).toHaveLength(1);
  return entries[0]!;
};
const waiting = () => one(plan([], { links: [there] }));
const told = () => settledDelivery(waiting(), sent, now);
const dueIn = ({ due }: Entry) => (due === null ? null : Date.parse(due) - now);

describe('WS-4 who hears of a change', () => {
  test('a page that is linked, now', () => {
    expect(waiting()).toMatchObject({ target: there, state: 'waiting', linked: true, told: false });
    expect(dueIn(waiting())).toBe(0);
  });

  test('a page that was told and is linked still, again', () => {
    expect(one(plan([told()], { links: [there] }))).toMatchObject({
      state: 'waiting',
      linked: true,
      attempts: 0,
    });
  });

  test('a page that was told and is not linked any more', () => {
    expect(one(plan([told()], {}))).toMatchObject({ state: 'waiting', linked: false });
  });

  test('a page that was linked before anything was remembered', () => {
    expect(one(plan([], { linkedBefore: [there] }))).toMatchObject({ state: 'waiting', linked: false });
  });

  test('a page that may have heard, though its answer never came', () => {
    const unsure = settledDelivery(waiting(), failed({ mayKnow: true, mayPass: false }), now);
    expect(one(plan([unsure], {}))).toMatchObject({ state: 'waiting', linked: false });
  });

  test('a page that is perhaps just being told', () => {
    expect(one(plan([waiting()], {}))).toMatchObject({ state: 'waiting', linked: false });
  });

  test.each<[string, DeliveryOutcome]>([
    ['takes no webmentions', { kind: 'no-endpoint', words: 'None.' }],
    ['refused', failed({ mayPass: false, refused: true })],
  ])('not a page that %s, once the link is gone', (_, outcome) => {
    expect(plan([settledDelivery(waiting(), outcome, now)], { linkedBefore: [there] })).toEqual([]);
  });

  test('a page that heard that the link is gone is told once, and again when the link is back', () => {
    const gone = settledDelivery(one(plan([told()], {})), sent, now);
    expect(gone).toMatchObject({ state: 'sent', words: 'Reported that the link was removed.' });
    expect(one(plan([gone], {}))).toEqual(gone);
    expect(one(plan([gone], { links: [there] }))).toMatchObject({ state: 'waiting', linked: true });
  });

  test('a refusal is a fair answer to a link that is gone', () => {
    const gone = settledDelivery(one(plan([told()], {})), failed({ mayPass: false, refused: true }), now);
    expect(gone).toMatchObject({ state: 'sent', told: false, due: null });
  });

  test('a post that is published later is told of then', () => {
    const later = one(plan([], { links: [there], publishedAt: now + hour }));
    expect(dueIn(later)).toBe(hour);
    expect(plan([later], {})).toEqual([]);
  });

  test('what is not linked any more is remembered within bounds', () => {
    const links = Array.from({ length: 500 }, (_, index) => `https://bo.example/${index}`);
    let entries: Entry[] = [];
    for (let round = 0; round < 5; round += 1) {
      entries = plan(entries, { links: links.map((link) => `${link}?${round}`) });
      entries = entries.map((entry) => settledDelivery(entry, sent, now));
    }
    expect(entries).toHaveLength(1500);
    expect(entries.slice(0, 500).every(({ linked }) => linked)).toBe(true);
  });
});

describe('what becomes of a try', () => {
  test('a failure that may pass is tried after 1 minute, 10 minutes, 1, 6 and 24 hours, then given up', () => {
    let entry = waiting();
    const waits: (number | null)[] = [];
    while (entry.state === 'waiting') {
      entry = settledDelivery(entry, failed(), now);
      waits.push(dueIn(entry));
    }
    expect(waits).toEqual([minute, 10 * minute, hour, 6 * hour, 24 * hour, null]);
    expect(entry).toMatchObject({ state: 'failed', words: 'No answer.' });
  });

  test.each([
    ['is waited for', 30 * minute, 30 * minute],
    ['does not hurry us much', 1000, 5_000],
    ['is not waited for longer than a day', 1000 * hour, 24 * hour],
  ])('the time that a server names %s', (_, wished, expected) => {
    expect(dueIn(settledDelivery(waiting(), failed({ notBefore: now + wished }), now))).toBe(expected);
  });

  test('a time that a server names a second time shortens our own wait no more', () => {
    const soon = failed({ notBefore: now + 1000 });
    const once = settledDelivery(waiting(), soon, now);
    expect(dueIn(settledDelivery(once, soon, now))).toBe(10 * minute);
    expect(dueIn(settledDelivery(once, failed({ notBefore: now + hour }), now))).toBe(hour);
  });

  test('a failure for good is not tried again', () => {
    expect(settledDelivery(waiting(), failed({ mayPass: false }), now)).toMatchObject({
      state: 'failed',
      due: null,
    });
  });

  test('of a link that is gone says so: nobody was to hear of a link', () => {
    const gone = one(plan([told()], {}));
    const words = 'The removal of the link could not be reported. No answer.';
    expect(settledDelivery(gone, failed({ mayPass: false }), now)).toMatchObject({ state: 'failed', words });
    expect(settledDelivery(gone, failed(), now)).toMatchObject({
      words: `${words} Porchlight will try again.`,
    });
  });

  test('WS-3 where the other site says how it goes is remembered until the next round is done', () => {
    const kept = settledDelivery(waiting(), { ...sent, statusPage: 'https://bo.example/status/1' }, now);
    expect(kept).toMatchObject({ statusPage: 'https://bo.example/status/1' });
    expect(settledDelivery(one(plan([kept], { links: [there] })), sent, now)).not.toHaveProperty(
      'statusPage',
    );
  });

  test('the URL of a copy is kept in every later round, however it ends', () => {
    const copied = { ...told(), copy: 'https://mastodon.example/@ada/1' };
    const next = one(plan([copied], { links: [there] }));
    const ends = [sent, failed(), failed({ refused: true, mayPass: false })];
    for (const entry of [next, again(copied, now), ...ends.map((end) => settledDelivery(next, end, now))])
      expect(entry).toMatchObject({ copy: 'https://mastodon.example/@ada/1' });
  });

  test('what was sent before a change does not count for what is to be sent after it', () => {
    const changed = one(plan([waiting()], { links: [there] }));
    expect(overtaken(changed, sent)).toMatchObject({ state: 'waiting', told: true });
    expect(overtaken(changed, failed())).toEqual(changed);
  });
});

describe('WS-7 new responses', () => {
  const respond = (entry: Entry, isUnderWay = false, at = now) =>
    respondedTo(entry, { source: 'https://cy.example/reply', isUnderWay, now: at });
  const toldBefore = () => settledDelivery(waiting(), sent, now - hour);
  const forGood = failed({ mayPass: false, words: 'Not found.' });

  test('go to a page that was told, after a burst, and ten minutes after it last heard', () => {
    expect(dueIn(respond(toldBefore()))).toBe(minute);
    expect(dueIn(respond(told()))).toBe(10 * minute);
    const entry = respond(toldBefore());
    expect(respond(entry)).toBe(entry);
  });

  test.each<[string, Entry]>([
    ['was never told', waiting()],
    ['was told, and failed since', settledDelivery(again(told(), now), forGood, now)],
    [
      'was told, and takes nothing since',
      settledDelivery(again(told(), now), { kind: 'no-endpoint', words: '' }, now),
    ],
    ['is to be told anyway, and was not begun with', one(plan([told()], { links: [there] }))],
    ['is to be told again anyway', settledDelivery(again(told(), now), failed(), now)],
    ['is to be told that the link is gone', one(plan([told()], {}))],
  ])('are nothing new for a page that %s', (_, entry) => {
    expect(respond(entry)).toBe(entry);
  });

  test('a page that does not hear of them was told all the same', () => {
    expect(settledDelivery(respond(toldBefore()), forGood, now)).toMatchObject({
      ...{ state: 'sent', told: true, due: null },
      words: 'Sent before, but new responses could not be reported. Not found.',
    });
    const none: DeliveryOutcome = { kind: 'no-endpoint', words: 'None.' };
    expect(settledDelivery(respond(toldBefore()), none, now)).toMatchObject({ state: 'sent', told: true });
    let entry = respond(toldBefore());
    const states: string[] = [];
    do states.push((entry = settledDelivery(entry, failed(), now)).state);
    while (entry.state === 'waiting');
    expect(states).toEqual([...Array.from({ length: 5 }, () => 'waiting'), 'sent']);
  });

  test('what was sent of them and fails as an update later has failed', () => {
    const heard = settledDelivery(respond(toldBefore()), sent, now);
    for (const entry of [again(heard, now), one(plan([respond(heard)], { links: [there] }))])
      expect(settledDelivery(entry, forGood, now)).toMatchObject({ state: 'failed', words: 'Not found.' });
  });

  test('what waits to tell of them is no scheduled post', () => {
    expect(isScheduled(respond(told()), now)).toBe(false);
    expect(isScheduled(one(plan([], { links: [there], publishedAt: now + hour })), now)).toBe(true);
  });

  test('that come while a page is being told are told ten minutes later', () => {
    const update = one(plan([told()], { links: [there] }));
    const more = respond(update, true);
    expect(more).toMatchObject({ state: 'waiting', round: update.round, due: update.due });
    expect(respond(more, true)).toBe(more);
    const later = settledDelivery(more, sent, now);
    expect(dueIn(later)).toBe(10 * minute);
    expect(settledDelivery(later, sent, now)).toMatchObject({ state: 'sent', due: null });
    expect(settledDelivery(later, forGood, now)).toMatchObject({ state: 'sent' });
  });

  test('that come while a page is not reached are told with the next try', () => {
    const more = respond(one(plan([told()], { links: [there] })), true);
    expect(settledDelivery(more, forGood, now)).toMatchObject({ state: 'failed' });
    const tried = settledDelivery(more, failed(), now);
    expect(dueIn(tried)).toBe(minute);
    expect(settledDelivery(tried, sent, now)).toMatchObject({ state: 'sent' });
  });
});
