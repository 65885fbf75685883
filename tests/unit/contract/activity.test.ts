import { expect, test } from 'vitest';
import { pageInWords, pagesInWords, shortTitle } from '../../../src-main/contract/activity.ts';

const url = 'https://me.example/posts/2026/11/tea_(green)';

test('a page in a sentence is found again by its title, with its address', () => {
  const words = `Jo liked ${pageInWords(url, 'Tea,  again.')}. See https://jo.example/1.`;
  expect(words).toBe(`Jo liked “Tea, again” (${url}). See https://jo.example/1.`);
  expect(pagesInWords(words)).toEqual([
    { text: 'Jo liked ' },
    { text: '“Tea, again”', url },
    { text: '. See ' },
    { text: 'https://jo.example/1', url: 'https://jo.example/1' },
    { text: '.' },
  ]);
});

test('a page without a title is named by its address', () => {
  expect(pageInWords(url)).toBe(url);
  expect(pageInWords(url, ' \n ')).toBe(url);
});

test('a title is short, on one line, and can’t end its own quotation', () => {
  const title = shortTitle(`“Tea” (https://else.example/)\n${'x'.repeat(200)}`);
  expect(title).toMatch(/^"Tea" \(https:\/\/else\.example\/\) x+…$/);
  expect(Array.from(title)).toHaveLength(70);
  expect(pagesInWords(pageInWords(url, title))).toEqual([{ text: `“${title}”`, url }]);
});

test('quotation marks without an address stay text', () => {
  expect(pagesInWords('You named it “Tea” (again).')).toEqual([{ text: 'You named it “Tea” (again).' }]);
});
