import { describe, expect, test } from 'vitest';
import {
  entry,
  factsOf,
  link,
  readSample,
  reply,
  sample,
  source,
} from '../../../../support/webmention-samples.ts';

const named = (text: string, inside = '') => entry(`<p class="e-content">${text}</p>${inside}`, '');
const unaddressed = (inside: string) => `<article class="h-entry">${inside}</article>`;
const said = (html: string) => factsOf(html).content?.value;

describe('the primary object', () => {
  test('MF-1 the entry at the address of its page counts, not the first', () => {
    const other = entry(`<p class="e-content">Other</p>${reply}`, 'https://ann.example/notes/0');
    expect(said(other + entry('<p class="e-content">This</p>'))).toBe('This');
  });

  test('MF-1 the address may be the one before or after redirects, its fragment left aside', () => {
    const moved = { url: 'https://ann.example/moved' };
    const text = entry('<p class="e-content">No</p>', 'https://ann.example/x') + link;
    expect(factsOf(text + entry('<p class="e-content">Yes</p>', source), moved).content?.value).toBe('Yes');
    expect(factsOf(text + entry('<p class="e-content">Yes</p>', moved.url), moved).content?.value).toBe(
      'Yes',
    );
    expect(said(text + entry('<p class="e-content">Yes</p>', `${source}#x`))).toBe('Yes');
  });

  test('MF-1 a card before the entry is not the entry', () => {
    const card = '<p class="h-card"><a class="u-url p-name" href="/">Ann</a></p>';
    expect(factsOf(card + unaddressed(`<p class="e-content">Yes</p>${reply}`))).toMatchObject({
      type: 'reply',
      content: { value: 'Yes' },
    });
  });

  test('MF-1 without an address the first entry counts', () => {
    const two = unaddressed('<p class="e-content">One</p>') + unaddressed('<p class="e-content">Two</p>');
    expect(said(two + link)).toBe('One');
  });

  test('MF-1 of entries without an address, the one that responds counts, then the one that links', () => {
    const first = unaddressed('<p class="e-content">One</p>');
    expect(said(first + unaddressed(`<p class="e-content">Two</p>${reply}`))).toBe('Two');
    expect(said(first + unaddressed(`<p class="e-content">Two ${link}</p>`))).toBe('Two a post');
  });

  test('MF-1 the fragment of an address names the entry', () => {
    const text = `<p class="h-entry" id="a"><b class="e-content">A</b></p><p class="h-entry" id="b"><b class="e-content">B</b></p>${link}`;
    expect(factsOf(text, { url: `${source}#b` }).content?.value).toBe('B');
  });

  test('MF-1 an entry in a feed is found', () => {
    const feed = `<main class="h-feed">${unaddressed('<p class="e-content">One</p>')}${entry(`<p class="e-content">Yes</p>${reply}`)}</main>`;
    expect(said(feed)).toBe('Yes');
  });

  test('MF-1 a feed of other things with a link somewhere is a plain mention', () => {
    const one = entry('<p class="e-content">One</p>', '/1');
    const two = entry('<p class="e-content">Two</p>', '/2');
    expect(factsOf(`<main class="h-feed">${one}${two}</main>${link}`)).toEqual({
      type: 'mention',
      property: 'mention-of',
    });
  });

  test('MF-1 without an entry, another object of the page may be it', () => {
    const event = `<div class="h-event"><b class="p-name">Party</b>${link}</div>`;
    expect(factsOf(event).name).toBe('Party');
  });

  test('MF-4 microformats of the old kind are read, if there are no others', () => {
    const old = `<div class="hentry"><div class="entry-content">Old ${link}</div><span class="author vcard"><b class="fn">Ann</b></span></div>`;
    expect(factsOf(old)).toMatchObject({ content: { value: 'Old a post' }, author: { name: 'Ann' } });
  });

  test('MF-4 the content of a template is ignored, and a base element counts', () => {
    const text = `<base href="https://cdn.example/"><template>${named('No')}</template>${unaddressed(`<p class="e-content">Yes</p><img class="u-photo" src="p.jpg">${reply}`)}`;
    expect(factsOf(text)).toMatchObject({
      content: { value: 'Yes' },
      photo: ['https://cdn.example/p.jpg'],
    });
  });

  test.each([
    ['in the content', '<p class="e-content">Yes <template><img src="x"></template></p>', ''],
    ['in a template', '<p class="e-content">Yes</p>', '<template><template></template>a</template>'],
    ['in a drawing', '<p class="e-content">Yes</p>', '<svg><template><a></a></template></svg>'],
  ])('MF-4 a template %s hides nothing of the entry around it', (_, content, beside) => {
    const author = '<a class="p-author h-card" href="https://ann.example/">Ann</a>';
    const facts = factsOf(unaddressed(`${content}${author}${beside}${reply}`));
    expect(facts).toMatchObject({
      type: 'reply',
      author: { name: 'Ann' },
      content: { value: 'Yes' },
    });
    expect(JSON.stringify(facts)).not.toContain('template');
  });

  test.each([
    ['twisted', `<p class="h-entry h- p- e-content"><a class="u-in-reply-to" href="::">x</a>${link}</b></i>`],
    ['that are everything at once', `<p class="h-entry h-card h-feed p-author e-content u-url">${link}</p>`],
    ['of an unknown kind', `<p class="h-unknown">${link}</p>`],
  ])('microformats %s make a plain mention', (_, text) => {
    expect(readSample(sample(text))).toMatchObject({ kind: 'links', facts: { type: 'mention' } });
  });
});
