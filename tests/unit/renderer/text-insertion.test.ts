import { describe, expect, test } from 'vitest';
import {
  asParagraphs,
  insertPictures,
  insertText,
  linkFor,
  pictureMarkdown,
  picturesWithoutAlt,
  uploadMark,
  withoutMark,
  withUploaded,
} from '../../../src-renderer/features/write/text-insertion.ts';

/** A field in which the part of `text` between two bars is selected; one bar is the cursor. */
function field(text: string): HTMLTextAreaElement {
  const element = document.createElement('textarea');
  const [before = '', selected = '', after] = text.split('|');
  element.value = before + selected + (after ?? '');
  const end = after === undefined ? before.length : before.length + selected.length;
  element.setSelectionRange(before.length, end);
  document.body.append(element);
  return element;
}

describe('a picture', () => {
  test.each([
    ['|', '![](u)\n\n'],
    ['One.|', '\n\n![](u)\n\n'],
    ['One.\n|', '\n![](u)\n\n'],
    ['One.\n\n|Two.', '![](u)\n\n'],
    ['One.|\n\nTwo.', '\n\n![](u)'],
    ['One |gone| two', '\n\n![](u)\n\n'],
  ])('at the cursor of %j is a paragraph of its own', (text, inserted) => {
    expect(asParagraphs(field(text), ['![](u)'])).toBe(inserted);
  });

  test('replaces the selection, and the field gets an event', () => {
    const element = field('a |b| c');
    const heard: string[] = [];
    element.addEventListener('input', () => heard.push(element.value));
    insertText(element, 'X');
    expect(heard).toEqual(['a X c']);
    expect(element.selectionStart).toBe(3);
  });

  test('keeps brackets in its description and parentheses in its address', () => {
    expect(pictureMarkdown('A [b] \\', 'https://porch.example/a(1).jpg')).toBe(
      String.raw`![A \[b\] \\](https://porch.example/a%281%29.jpg)`,
    );
  });

  test('has a mark of its own until it is uploaded', () => {
    const [one, two] = [uploadMark('a [x](y).jpg'), uploadMark('a [x](y).jpg')];
    expect(one).toMatch(/^!\[Uploading a x y .jpg…\]\(upload-[0-9a-f]{8}\)$/);
    expect(one).not.toBe(two);
  });
});

describe('the alt text of a picture in the text', () => {
  const selected = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement) =>
    value.slice(selectionStart, selectionEnd);
  const url = 'https://porch.example/a(1).jpg';

  test('has the cursor after the picture was inserted; the words of a placeholder are selected', () => {
    const element = field('One.|');
    insertPictures(element, [uploadMark('b.png'), uploadMark('c.png')]);
    expect(selected(element)).toBe('Uploading b.png…');
    const other = field('One.|');
    insertPictures(other, [pictureMarkdown('', 'u')]);
    expect([other.selectionStart, selected(other)]).toEqual([8, '']);
    const known = field('|');
    insertPictures(known, [pictureMarkdown('A lamp', 'u')]);
    expect(known.selectionStart).toBe(known.value.length);
  });

  test('takes no other picture: that one goes behind it', () => {
    const element = field('![A |door](u)');
    insertPictures(element, ['![](v)']);
    expect(element.value).toBe('![A door](u)\n\n![](v)\n\n');
  });

  test('that the owner wrote during the upload stays', () => {
    const mark = uploadMark('b.png');
    expect(withUploaded(`a ${mark} b`, mark, 'Known', url)).toBe(
      'a ![Known](https://porch.example/a%281%29.jpg) b',
    );
    for (const alt of ['A $1 door', 'A [b] door', String.raw`A \] door`]) {
      const written = mark.replace(/^!\[.*?\]/, () => `![${alt}]`);
      expect(withUploaded(`a ${written}`, mark, '', url)).toBe(
        `a ![${alt}](https://porch.example/a%281%29.jpg)`,
      );
    }
    expect(withoutMark(`a ${mark.replace(/Uploading .*…/, 'A door')} b`, mark)).toBe('a  b');
    expect(withoutMark('a ![A door](u)', mark)).toBe('a ![A door](u)');
  });

  test('is counted if it is missing, but not in code', () => {
    const text = `![](a) ![ ](b "B") ![x](c_(d)) ![](c_(d)) ${uploadMark('b')} \`![](e)\`\n\n\`\`\`\n![](f)\n\`\`\`\n![Uploading it…](g)`;
    expect(picturesWithoutAlt({ text, format: 'markdown' })).toBe(4);
    expect(picturesWithoutAlt({ text, format: 'plain' })).toBe(0);
    const html = '<img src="a"><img src="b" alt=""><img src="c" alt="C">';
    expect(picturesWithoutAlt({ text: html, format: 'html' })).toBe(2);
  });
});

describe('an address pasted over selected words', () => {
  test('links them', () => {
    expect(linkFor(field('|Update: a porch|'), 'https://porch.example/')).toBe(
      '[Update: a porch](https://porch.example/)',
    );
    expect(linkFor(field('see |the [porch]|.'), ' https://porch.example/a_(b) \n')).toBe(
      String.raw`[the \[porch\]](https://porch.example/a_%28b%29)`,
    );
  });

  test.each([
    ['see |', 'https://porch.example/'],
    ['see |the porch|', 'the window'],
    ['see |the porch|', 'javascript:alert(1)'],
    ['see |the porch|', 'https://a.example/ and more'],
    ['see |one\ntwo|', 'https://porch.example/'],
    ['see |https://old.example/|', 'https://porch.example/'],
  ])('otherwise replaces %j with %j as it is', (text, pasted) => {
    expect(linkFor(field(text), pasted)).toBeUndefined();
  });
});
