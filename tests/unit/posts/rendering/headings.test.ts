import { expect, test } from 'vitest';
import { orderedHeadings } from '../../../../src-main/posts/rendering/entry.ts';

test.each([
  ['<h3>a</h3><p>b</p><h5 id="x">c</h5><h3>d</h3>', 2, '<h2>a</h2><p>b</p><h3 id="x">c</h3><h2>d</h2>'],
  ['<h2>a</h2><h3>b</h3><h2>c</h2>', 2, '<h2>a</h2><h3>b</h3><h2>c</h2>'],
  ['<h4>a</h4><h2>b</h2><h3>c</h3>', 2, '<h2>a</h2><h2>b</h2><h3>c</h3>'],
  ['<h2>a</h2><h3>b</h3><h4>c</h4><h5>d</h5>', 4, '<h4>a</h4><h5>b</h5><h6>c</h6><h6>d</h6>'],
  ['<h2>a<h3>b</h3></h2><hr><h1x>', 2, '<h2>a<h3>b</h3></h2><hr><h1x>'],
])('the headings of %s are in order from level %i', (markup, top, expected) => {
  expect(orderedHeadings([markup], top)).toEqual([expected]);
});

test('a heading may contain a picture', () => {
  const picture = { kind: 'img', url: 'https://ann.example/a.jpg', alt: '' } as const;
  expect(orderedHeadings(['<h5>', picture, '</h5>'], 2)).toEqual(['<h2>', picture, '</h2>']);
});
