import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanFacts, cleanHtml } from '../../../src-main/mentions/clean-facts.ts';
import { cleanMention } from '../../../src-main/mentions/clean-mention.ts';
import type { Mention, SourceFacts } from '../../../src-main/mentions/mention.ts';

const base = 'https://friend.example/1';

describe('cleaning twice changes nothing', () => {
  const parts = fc.constantFrom(
    ...['<p>', '</p>', '<b>', '</b>', '<a href="/x">', '<a href="javascript:x">', '</a>', '<br>', '<br />'],
    ...['<script>', '</script>', '<img src=x onerror=y>', '<abbr title="a&quot;b">', '</abbr>', '&amp;', '&'],
    ...[
      '&nbsp;',
      '>',
      '"',
      'text',
      ' ',
      '\n',
      '<div lang="de">',
      '</div>',
      '<h1>',
      '</h1>',
      '\u0000',
      '<',
      '<!--x-->',
    ],
  );
  const markup = fc.array(parts, { maxLength: 30 }).map((some) => some.join(''));

  test('of HTML', () => {
    fc.assert(
      fc.property(markup, (html) => {
        const clean = cleanHtml(html, base);
        expect(cleanHtml(clean, base)).toBe(clean);
        expect(clean).not.toMatch(/<script|onerror|javascript:|<img/i);
      }),
      { numRuns: 2000 },
    );
  });

  test('of what a mention says', () => {
    const text = fc.option(fc.oneof(fc.string(), fc.webUrl(), fc.constant('javascript:x')), {
      nil: undefined,
    });
    const list = fc.option(fc.array(fc.oneof(fc.string(), fc.webUrl())), { nil: undefined });
    const said = fc.record({
      published: text,
      url: text,
      name: text,
      rsvp: text,
      content: fc.option(fc.record({ html: markup, value: fc.string() }), { nil: undefined }),
      author: fc.option(fc.record({ name: fc.string(), url: fc.string(), photo: fc.webUrl() }), {
        nil: undefined,
      }),
      photo: list,
      photoAlt: text,
      syndication: list,
    });
    fc.assert(
      fc.property(said, (one) => {
        const facts = { type: 'reply', property: 'in-reply-to', ...one } as SourceFacts;
        const clean = cleanFacts(facts, base);
        expect(cleanFacts(clean, base)).toEqual(clean);
      }),
    );
  });
});

test('a record of an aggregator whose source is a script is left out, and the mention stays imported', () => {
  const mention: Mention = {
    id: 'a',
    wmId: 1,
    source: base,
    target: 'https://owner.example/',
    received: '2026-11-20T08:00:00Z',
    parsed: 'never',
    facts: { type: 'like', property: 'like-of' },
    status: 'approved',
    chosen: false,
    imported: {
      jf2: { 'wm-source': 'javascript:alert(1)', 'wm-target': 'https://owner.example/' },
      json: { id: 1, source: base, target: 'https://owner.example/' },
    },
    history: [],
  };
  const { imported, parsed, received } = cleanMention(mention);
  expect(imported).toEqual({ json: mention.imported?.json });
  expect([received, parsed]).toEqual(['2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z']);
});
