import { describe, expect, test } from 'vitest';
import { content, entry, factsOf, link, target } from '../../../../support/webmention-samples.ts';

const pointing = (property: string, to = target) => `<a class="u-${property}" href="${to}">x</a>`;
const rsvp = (value: string) => `<data class="p-rsvp" value="${value}">coming</data>`;

describe('response type', () => {
  test.each([
    ['in-reply-to', 'reply'],
    ['like-of', 'like'],
    ['repost-of', 'repost'],
    ['bookmark-of', 'bookmark'],
  ])('PT-1 %s makes a %s', (property, type) => {
    expect(factsOf(entry(pointing(property)))).toMatchObject({ type, property });
  });

  test.each(['yes', 'no', 'maybe', 'interested', ' YES ', 'Maybe'])('PT-1 an RSVP of %j', (value) => {
    expect(factsOf(entry(rsvp(value) + pointing('in-reply-to')))).toMatchObject({
      type: 'rsvp',
      property: 'rsvp',
      rsvp: value.trim().toLowerCase(),
    });
  });

  test('PT-1 an RSVP with another word is a reply', () => {
    const facts = factsOf(entry(rsvp('perhaps') + pointing('in-reply-to')));
    expect(facts.type).toBe('reply');
    expect(facts).not.toHaveProperty('rsvp');
  });

  test('PT-1 the first match of the algorithm counts', () => {
    const all = ['bookmark-of', 'in-reply-to', 'like-of', 'repost-of'].map((name) => pointing(name));
    expect(factsOf(entry(rsvp('no') + all.join(''))).type).toBe('rsvp');
    expect(factsOf(entry(all.join(''))).type).toBe('repost');
    expect(factsOf(entry(all.slice(0, 3).join(''))).type).toBe('like');
    expect(factsOf(entry(all.slice(0, 2).join(''))).type).toBe('reply');
  });

  test('PT-1 an entry with none of them is a mention', () => {
    expect(factsOf(entry(content))).toMatchObject({ type: 'mention', property: 'mention-of' });
  });

  test.each(['in-reply-to', 'like-of', 'repost-of', 'bookmark-of'])(
    'PT-2 %s of another page makes a mention of this one',
    (property) => {
      expect(factsOf(entry(pointing(property, 'https://b.example/') + content)).type).toBe('mention');
    },
  );

  test('PT-2 an RSVP to another event is a mention', () => {
    const text = entry(rsvp('yes') + pointing('in-reply-to', 'https://b.example/event') + content);
    expect(factsOf(text)).toMatchObject({ type: 'mention' });
    expect(factsOf(text)).not.toHaveProperty('rsvp');
  });

  test('PT-2 one of several addresses is enough, whatever the spelling', () => {
    const several = pointing('in-reply-to', 'https://b.example/') + pointing('in-reply-to');
    expect(factsOf(entry(several)).type).toBe('reply');
    expect(factsOf(entry(pointing('like-of', 'HTTPS://me.example:443/post'))).type).toBe('like');
  });

  test('PT-2 a part of the page, or its twin with a slash, is another address', () => {
    expect(factsOf(entry(pointing('like-of', `${target}#part`) + link)).type).toBe('mention');
    expect(factsOf(entry(pointing('like-of', `${target}/`) + link)).type).toBe('mention');
  });

  test('PT-3 the address may be in a citation', () => {
    const cited = `<div class="u-in-reply-to h-cite"><a class="u-url p-name" href="${target}">a post</a></div>`;
    expect(factsOf(entry(cited)).type).toBe('reply');
    const second = `<div class="u-like-of h-cite"><a class="u-url" href="https://b.example/">b</a><a class="u-url" href="${target}">a</a></div>`;
    expect(factsOf(entry(second)).type).toBe('like');
  });

  test('PT-4 a reply with a photo is a reply', () => {
    const text = entry(`${pointing('in-reply-to')}<img class="u-photo" src="/p.jpg">`);
    expect(factsOf(text)).toMatchObject({ type: 'reply', photo: ['https://ann.example/p.jpg'] });
  });

  test('PT-5 a reply of one character is a reply', () => {
    const text = entry(`${pointing('in-reply-to')}<p class="e-content">🎉</p>`);
    expect(factsOf(text)).toMatchObject({ type: 'reply', content: { value: '🎉' } });
  });

  test('D-12 a link outside the entry makes a plain mention', () => {
    expect(factsOf(`${entry('<p class="e-content">Else</p>')}<footer>${link}</footer>`).type).toBe('mention');
  });

  test('D-12 a page without microformats makes a plain mention', () => {
    expect(factsOf(`<p>${link}</p>`)).toEqual({ type: 'mention', property: 'mention-of' });
  });

  test('a comment on the source that likes the target is not the source', () => {
    const comment = `<div class="u-comment h-cite">${pointing('like-of')}</div>`;
    expect(factsOf(entry(`<p class="e-content">Mine</p>${comment}`)).type).toBe('mention');
  });
});
