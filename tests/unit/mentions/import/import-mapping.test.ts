import { describe, expect, test } from 'vitest';
import { recordId, newMentionOf, type RawMention } from '../../../../src-main/mentions/import/raw-mention.ts';

const now = '2026-11-21T00:00:00.000Z';
const base = {
  'wm-id': 7,
  'wm-source': 'https://friend.example/1',
  'wm-target': 'https://owner.example/post#part',
  'wm-received': '2020-01-02T03:04:05Z',
};
const ofJf2 = (more: Record<string, unknown>) => newMentionOf({ jf2: { ...base, ...more } }, now);
const ofJson = (more: Record<string, unknown>) =>
  newMentionOf({ json: { id: 7, source: base['wm-source'], target: base['wm-target'], ...more } }, now);

describe('an imported record', () => {
  test('a number too large for any aggregator is ignored: all later numbers would have to exceed it', () => {
    expect([1e12, 1e12 + 1, Number.MAX_SAFE_INTEGER].map((id) => recordId({ id }))).toEqual([
      1e12,
      undefined,
      undefined,
    ]);
    expect(recordId({ 'wm-id': '999999999999999' })).toBeUndefined();
  });

  test.each(['+020000-01-01T00:00:00Z', '-000100-01-01T00:00:00Z'])(
    'a moment beyond the years that a calendar shows (%s) is not known',
    (moment) => {
      const mention = ofJf2({ 'wm-received': moment });
      expect([mention?.received, mention?.parsed]).toEqual([now, now]);
    },
  );

  test.each([
    ['in-reply-to', 'reply', 'in-reply-to'],
    ['like-of', 'like', 'like-of'],
    ['repost-of', 'repost', 'repost-of'],
    ['bookmark-of', 'bookmark', 'bookmark-of'],
    ['rsvp', 'rsvp', 'rsvp'],
    ['mention-of', 'mention', 'mention-of'],
    ['follow-of', 'mention', 'mention-of'],
    ['constructor', 'mention', 'mention-of'],
    [null, 'mention', 'mention-of'],
  ])('8.3 wm-property %s is a %s', (given, type, property) => {
    expect(ofJf2({ 'wm-property': given })?.facts).toMatchObject({ type, property });
  });

  test.each([
    ['reply', 'reply'],
    ['link', 'mention'],
    ['invite', 'mention'],
    ['rsvp', 'rsvp'],
    ['toString', 'mention'],
  ])('8.4 activity %s is a %s', (given, type) => {
    expect(ofJson({ activity: { type: given } })?.facts.type).toBe(type);
  });

  test('content is sanitized again, addresses are of the web only, names are one line', () => {
    const facts = ofJf2({
      url: 'javascript:alert(1)',
      name: 'A\n title\u0000',
      author: {
        type: 'card',
        name: 'Ada\nB',
        url: 'data:text/html,x',
        photo: 'https://friend.example/a.jpg',
      },
      content: { html: '<p onclick="x()">Hi<script>alert(1)</script><img src=x onerror=y></p>', text: 'Hi' },
      photo: ['https://friend.example/p.jpg', 'file:///etc/passwd', 7],
      syndication: 'https://silo.example/1',
    })?.facts;
    expect(facts).toEqual({
      type: 'mention',
      property: 'mention-of',
      name: 'A title',
      author: { name: 'Ada B', url: '', photo: 'https://friend.example/a.jpg' },
      content: { html: '<p>Hi</p>', value: 'Hi' },
      photo: ['https://friend.example/p.jpg'],
      syndication: ['https://silo.example/1'],
    });
  });

  test('the text of content without text is that of its HTML', () => {
    expect(ofJf2({ content: { html: '<p>a &amp; b</p><p>c&lt;d</p>' } })?.facts.content).toEqual({
      html: '<p>a &amp; b</p><p>c&lt;d</p>',
      value: 'a & b\n\nc<d',
    });
  });

  test('8.3 content may be text only, or in value; an empty author is no author', () => {
    expect(ofJf2({ content: { text: 'a < b' } })?.facts.content).toEqual({ value: 'a < b' });
    expect(ofJf2({ content: { 'content-type': 'text/plain', value: 'old' } })?.facts.content).toEqual({
      value: 'old',
    });
    expect(ofJf2({ author: { type: 'card', name: '', url: null, photo: '' } })?.facts).not.toHaveProperty(
      'author',
    );
  });

  test('8.3 published is with or without an offset, and missing if it is no date', () => {
    const published = (value: unknown) => ofJf2({ published: value })?.facts.published;
    expect(published('2020-01-02T03:04:05')).toBe('2020-01-02T03:04:05');
    expect(published('2020-01-02T03:04:05-07:00')).toBe('2020-01-02T03:04:05-07:00');
    expect(published('yesterday')).toBeUndefined();
    expect(published(null)).toBeUndefined();
  });

  test('an RSVP is lower-cased', () => {
    expect(ofJf2({ 'wm-property': 'rsvp', rsvp: ' YES ' })?.facts.rsvp).toBe('yes');
    expect(ofJson({ activity: { type: 'rsvp' }, data: { rsvp: 'Maybe' } })?.facts.rsvp).toBe('maybe');
  });

  test('received is wm-received, parsed is verified_date, private is what either format says', () => {
    const json = { id: 7, verified_date: '2021-01-01T02:00:00+02:00', private: true };
    expect(newMentionOf({ jf2: base, json }, now)).toMatchObject({
      received: '2020-01-02T03:04:05.000Z',
      parsed: '2021-01-01T00:00:00.000Z',
      private: true,
      wmId: 7,
      target: base['wm-target'],
      imported: { jf2: base, json },
    });
    expect(ofJf2({ 'wm-private': false })?.private).toBe(false);
    expect(ofJson({})?.received).toBe(now);
  });

  test.each<[string, RawMention]>([
    ['no source', { jf2: { ...base, 'wm-source': null } }],
    ['a source that is no address of the web', { jf2: { ...base, 'wm-source': 'javascript:alert(1)' } }],
    ['no target', { jf2: { ...base, 'wm-target': '/post' } }],
    ['no number', { jf2: { ...base, 'wm-id': 'seven' } }],
    ['an address without end', { jf2: { ...base, 'wm-source': `https://a.example/${'x'.repeat(5000)}` } }],
  ])('a record with %s is not kept', (_what, raw) => {
    expect(newMentionOf(raw, now)).toBeUndefined();
  });

  test('a monstrous record gives its facts, and is not kept whole', () => {
    let deep: unknown = 'x';
    for (let depth = 0; depth < 5000; depth += 1) deep = [deep];
    for (const monster of [deep, 'x'.repeat(2_000_000)]) {
      const mention = ofJf2({ monster, name: 'Still a name' });
      expect(mention?.facts.name).toBe('Still a name');
      expect(mention?.imported).toEqual({});
    }
  });

  test.each([
    [{ 'wm-id': 5 }, 5],
    [{ id: '12' }, 12],
    [{ id: -1 }, undefined],
    [{ id: 1.5 }, undefined],
    [{ id: 2 ** 60 }, undefined],
    [{}, undefined],
  ])('WI-30 the number of %j is %s', (record, number) => {
    expect(recordId(record)).toBe(number);
  });
});
