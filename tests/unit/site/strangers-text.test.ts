import { describe, expect, test } from 'vitest';
import type { SiteResponse } from '../../../src-main/posts/rendering/reader.ts';
import { strangersTexts, linkableAddress } from '../../../src-main/site/responses.ts';
import { responseOf } from '../../support/site-responses.ts';

const textOf = strangersTexts();
const markupOf = (over: Partial<SiteResponse>) => textOf(responseOf(0, over))?.markup.markup;

describe('a stranger’s text', () => {
  test('is its HTML if that is short, and else its text', () => {
    expect(markupOf({ content: { value: 'a b', html: '<p>a <em>b</em></p>' } })).toBe('<p>a <em>b</em></p>');
    expect(markupOf({ content: { value: 'a < b\nc\n\nd' } })).toBe('<p>a &lt; b<br>c</p><p>d</p>');
    expect(markupOf({ content: { value: 'a', html: `<p>a</p>${' '.repeat(6000)}` } })).toBe('<p>a</p>');
    expect(markupOf({ content: { value: ' ', html: '' } })).toBe(undefined);
    expect(markupOf({ content: undefined })).toBe(undefined);
  });

  test('is cut between words if it is long', () => {
    const value = 'Some words. '.repeat(1000);
    const text = textOf(responseOf(0, { content: { value, html: value } }));
    expect(text?.isCut).toBe(true);
    expect(text?.markup.markup).toMatch(/^<p>Some.* (Some|words\.)…<\/p>$/);
    expect(text?.markup.markup.length).toBeLessThan(1020);
    expect(textOf(responseOf(0, { content: { value: value.slice(0, 1500) } }))?.isCut).toBe(false);
  });

  test('MF-3 of a page that mentions this one is its title, unless that is the beginning of its text', () => {
    const content = { value: 'The light is on. Come in.' };
    expect(markupOf({ type: 'mention', name: 'A walk', content })).toBe('<p>A walk</p>');
    expect(markupOf({ type: 'mention', name: 'The light\n is', content })).toBe(`<p>${content.value}</p>`);
    expect(markupOf({ type: 'reply', name: 'A walk', content })).toBe(`<p>${content.value}</p>`);
  });

  test('is cleaned once while it is known, and forgotten when there is too much', () => {
    const few = strangersTexts(100);
    const of = (word: string) =>
      few(responseOf(0, { content: { value: word, html: `<b>${word}</b>` } }))?.markup;
    const first = of('first');
    expect(of('first')).toBe(first);
    for (let other = 0; other < 10; other++) of(`other ${other}`);
    expect(of('first')).not.toBe(first);
    expect(of('first')).toEqual(first);
  });
});

test.each([
  ['https://bo.example', 'https://bo.example/'],
  ['HTTP://Bo.example/A', 'http://bo.example/A'],
  ['https://bo.example/"><b>', 'https://bo.example/%22%3E%3Cb%3E'],
  ['https:bo.example', undefined],
  ['https://', undefined],
  ['mailto:bo@bo.example', undefined],
  ['java\nscript:alert(1)', undefined],
  ['https://bo@bo.example/', undefined],
  [undefined, undefined],
])('the address %s is linked as %s', (text, url) => {
  expect(linkableAddress(text)).toBe(url);
});

test('a text of which only a part is kept leads to the rest, however short that part is', () => {
  const response = { id: '1', type: 'reply', source: 'https://bea.example/', received: '' } as const;
  const content = { value: 'The beginning…' };
  expect(strangersTexts()({ ...response, content, shortened: ['content'] })?.isCut).toBe(true);
  expect(strangersTexts()({ ...response, content })?.isCut).toBe(false);
});
