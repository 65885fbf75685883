import { expect, test } from 'vitest';
import { initialOf } from '../../../src-renderer/ui/initial.ts';

test.each([
  ['Ann', '', 'A'],
  ['élise', '', 'É'],
  ['https://ann.example/', '', 'A'],
  ['https://www.bo.example/', '', 'B'],
  ['', 'https://carol.example/', 'C'],
  ['\u202E\u200B', 'https://dan.example/', 'D'],
  ['“Ella”', '', 'E'],
  ['متابعون', '', 'م'],
  ['👩‍👩‍👧‍👦 family', '', '👩‍👩‍👧‍👦'],
  ['🇩🇪', '', '🇩🇪'],
  ['ßen', '', 'ß'],
  ['x'.repeat(200), '', 'X'],
  ['', '', '?'],
])('the initial of %j at %j is %j', (name, address, initial) => {
  expect(initialOf(name, address)).toBe(initial);
});
