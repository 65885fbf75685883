import { expect, test } from 'vitest';
import { harmlessRecord } from '../../../../src-main/mentions/reading-api/records.ts';

const cleaned = (html: string) => harmlessRecord({ content: { html } }, 'https://ann.example/')['content'];

test.each([
  ['text and links', '<p class="x">Hi <a href="/y" rel="nofollow">there</a>&hellip;</p>'],
  ['pictures', '<img src="https://ann.example/a.png" alt="a">'],
  ['an unknown element without attributes', '<blink>Hi</blink>'],
])('WR-12 imported HTML with %s stays unchanged', (_, html) => {
  expect(cleaned(html)).toEqual({ html });
});

test.each([
  ['a script', '<p>Hi<script>alert(1)</script></p>', '<p>Hi</p>'],
  ['a handler', '<p onclick="x()">Hi</p>', '<p>Hi</p>'],
  ['a comment', '<p>Hi<!-- <b> --></p>', '<p>Hi</p>'],
  ['a document type', '<!doctype html><p>Hi</p>', '<p>Hi</p>'],
  ['a template', '<p>Hi</p><template><p>x</p></template>', '<p>Hi</p>'],
  ['a URL that runs code', '<a href="javascript:x()">Hi</a>', '<a>Hi</a>'],
  [
    'hundreds of attributes that are harmless',
    `<blink ${Array.from({ length: 2000 }, (_each, index) => `a${index}`).join(' ')}>Hi</blink>`,
    'Hi',
  ],
])('WR-12 imported HTML with %s is sanitized', (_, html, clean) => {
  expect(cleaned(html)).toEqual({ html: clean });
});
