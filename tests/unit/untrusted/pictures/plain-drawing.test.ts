import { describe, expect, test } from 'vitest';
import { isPlainDrawing } from '../../../../src-main/untrusted/pictures/picture-format.ts';
import { groups, morphology, turbulence } from '../../../support/hostile-samples.ts';

const svg = (inside: string) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`);

describe('a drawing that is plain', () => {
  test.each([
    ['shapes', '<path d="M0 0h9"/><circle r="4"/>'],
    [
      'gradients',
      '<defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs><rect fill="url(#a)"/>',
    ],
    [
      'a mask and a clip path',
      '<mask id="m"><rect/></mask><clipPath id="c"><rect/></clipPath><g mask="url(#m)"/>',
    ],
    ['a few copies', '<symbol id="s"><rect/></symbol><use href="#s"/><use href="#s" x="9"/>'],
    ['hundreds of shapes', '<rect/>'.repeat(900)],
  ])('has %s', (_, inside) => {
    expect(isPlainDrawing(svg(inside))).toBe(true);
  });
});

describe('a drawing that is not plain', () => {
  test.each<[string, string | Buffer]>([
    ['noise', turbulence],
    ['filters without end', morphology],
    ['thousands of layers', groups(15_000)],
    ['a filter in a style', svg('<rect style="filter:blur(900px)"/>')],
    ['a filter whose name hides behind numbers', svg('<style>rect{&#102;ilter:blur(900px)}</style>')],
    ['copies of copies', svg('<use href="#a"/>'.repeat(17))],
    ['a pattern', svg('<pattern id="p"><rect/></pattern>')],
    ['markers', svg('<svg:marker xmlns:svg="http://www.w3.org/2000/svg"/>')],
    ['a picture within itself', svg('<image href="data:image/png;base64,AAAA"/>')],
    ['an entity', Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]><svg/>')],
    ['a thousand elements', svg('<rect/>'.repeat(1000))],
    ['deep nesting', svg('<g>'.repeat(40))],
    ['more than 64 KB', svg(' '.repeat(64 * 1024))],
  ])('has %s', (_, content) => {
    expect(isPlainDrawing(Buffer.from(content))).toBe(false);
  });
});
