import { describe, expect, test } from 'vitest';
import {
  continued,
  emphasized,
  linked,
  wordCount,
  type Selected,
  type TextEdit,
} from '../../../src-renderer/features/write/text-editing.ts';

/** Returns a text with its selection, which is between two bars; a single bar is the cursor. */
function selected(marked: string): Selected {
  const selectionStart = marked.indexOf('|');
  const value = marked.replaceAll('|', '');
  return { value, selectionStart, selectionEnd: Math.max(marked.lastIndexOf('|') - 1, selectionStart) };
}

/** Returns the text after a change, with bars around its selection. */
function after(marked: string, change: (text: Selected) => TextEdit | undefined): string {
  const text = selected(marked);
  const edit = change(text);
  if (edit === undefined) return 'nothing';
  const value = text.value.slice(0, edit.from) + edit.text + text.value.slice(edit.to);
  const [start, end] = edit.select;
  const bars = start === end ? '|' : `|${value.slice(start, end)}|`;
  return value.slice(0, start) + bars + value.slice(end);
}

describe('formatting', () => {
  test.each([
    ['A |warm| day', 'A **|warm|** day', 'A *|warm|* day'],
    // Spaces at the ends would keep Markdown from seeing the marks.
    ['A| warm |day', 'A **|warm|** day', 'A *|warm|* day'],
    ['A wa|rm day', 'A **|warm|** day', 'A *|warm|* day'],
    ['Ad|a’s day', '**|Ada’s|** day', '*|Ada’s|* day'],
    ['A | day', 'A **|** day', 'A *|* day'],
    ['A ***warm|*** day', 'A ***warm**|* day', 'A ***warm*|** day'],
    ['A **|warm|** day', 'A |warm| day', 'A ***|warm|*** day'],
    ['A |**warm**| day', 'A |warm| day', 'A ***|warm|*** day'],
    ['A *|warm|* day', 'A ***|warm|*** day', 'A |warm| day'],
    ['A ***|warm|*** day', 'A *|warm|* day', 'A **|warm|** day'],
  ])('of %j makes it bold or italic, and takes that away', (text, bold, italic) => {
    expect(after(text, (one) => emphasized(one, 'bold'))).toBe(bold);
    expect(after(text, (one) => emphasized(one, 'italic'))).toBe(italic);
  });

  test.each([
    ['See |my porch|.', 'See [my porch](|).'],
    ['See |.', 'See [|]().'],
    ['See |https://a.example/b|', 'See [|](https://a.example/b)'],
  ])('of %j as a link leads to where something is missing', (text, link) => {
    expect(after(text, linked)).toBe(link);
  });
});

describe('Enter', () => {
  test.each([
    ['- One|', '- One\n- |'],
    ['* One| two', '* One\n* | two'],
    ['  - One|', '  - One\n  - |'],
    ['9. Nine|', '9. Nine\n10. |'],
    ['1) One|', '1) One\n2) |'],
    ['- [x] Done|', '- [x] Done\n- [ ] |'],
    ['> Said|', '> Said\n> |'],
    ['First\n- One|', 'First\n- One\n- |'],
  ])('in %j begins the next line like this one', (text, next) => {
    expect(after(text, continued)).toBe(next);
  });

  test.each([
    ['- One\n- |', '- One\n|'],
    ['- One\n- [ ] |\nMore', '- One\n|\nMore'],
    ['> Said\n> |', '> Said\n|'],
  ])('in an item without words ends the list: %j', (text, next) => {
    expect(after(text, continued)).toBe(next);
  });

  test.each(['Words|', '-|', '|- One', '2026.A year|', '|', '|\nx'])('is an ordinary one in %j', (text) => {
    expect(after(text, continued)).toBe('nothing');
  });
});

describe('the number of words', () => {
  test.each([
    ['', 0],
    ['A porch is a room.', 5],
    ['Ada’s well-known lamp, v1.2', 4],
    ['- [x] **Done** and [linked](https://a.example/one/two)', 4],
    ['![A door](https://a.example/door.jpg)', 2],
    ['مرحبا بكم', 2],
  ])('of %j is %i', (text, count) => {
    expect(wordCount({ text, format: 'markdown' })).toBe(count);
  });

  test('leaves out the tags of HTML', () => {
    expect(wordCount({ text: '<p class="lead">One <b>two</b></p>', format: 'html' })).toBe(2);
  });
});
