import { expect, test } from 'vitest';
import { partWithCursor } from '../../../src-renderer/features/write/following.ts';

const text = `On porches

A *porch* is a room with [one wall](https://a.example/wall) missing.

- First, a lamp
- Then a chair

Again and again

Again and again

![A door](https://a.example/door.jpg)`;

function page(): HTMLElement {
  const element = document.createElement('article');
  element.innerHTML = `<h1 class="p-name">On porches</h1><div class="e-content">
    <p>A <em>porch</em> is a room with <a>one wall</a> missing.</p>
    <ul><li>First, a lamp</li><li>Then a chair</li></ul>
    <p id="one">Again and again</p><p id="two">Again and again</p><p><img alt="A door"></p></div>`;
  return element;
}

const found = (words: string, last = false) =>
  partWithCursor(page(), text, (last ? text.lastIndexOf(words) : text.indexOf(words)) + 3);

test('the preview finds the part with the line of the cursor, without the marks of Markdown', () => {
  expect(found('On porches')?.tagName).toBe('H1');
  expect(found('A *porch*')?.textContent).toBe('A porch is a room with one wall missing.');
  expect(found('Then a chair')?.tagName).toBe('LI');
});

test('of parts with the same words, it finds the nearest one', () => {
  expect(found('Again')?.id).toBe('one');
  expect(found('Again', true)?.id).toBe('two');
});

test('an empty line, and a line that the page doesn’t show, do not move the preview', () => {
  expect(partWithCursor(page(), text, 'On porches\n'.length)).toBeUndefined();
  expect(partWithCursor(page(), `${text}\n\nNot there yet`, text.length + 8)).toBeUndefined();
  expect(partWithCursor(page(), '', 0)).toBeUndefined();
});
