import { expect, test } from 'vitest';
import { configValues, readFrontMatter, splitFrontMatter } from '../../../src-main/untrusted/front-matter.ts';
import { limitOf } from '../../support/patience.ts';

test.each([
  ['YAML', '---\ntitle: 1.10\ntags: [007]\n---\nWords'],
  ['TOML', '+++\ntitle = 1.10\ntags = ["007"]\n+++\nWords'],
  ['YAML with carriage returns', '---\r\ntitle: 1.10\r\ntags: [007]\r\n---\r\nWords'],
])('the body of a file follows its front matter in %s', (format, file) => {
  const title = format === 'TOML' ? '1.1' : '1.10';
  expect(splitFrontMatter(file)).toEqual({ fields: { title, tags: ['007'] }, body: 'Words' });
});

test('numbers in YAML keep their spelling, and the last of two equal fields counts', () => {
  expect(splitFrontMatter('---\ntitle: 1.10\ntitle: 2.20\n---\n')?.fields).toEqual({ title: '2.20' });
  expect(configValues('_config.yml', 'title: 2020\n')).toEqual({ title: '2020' });
});

test('a file without front matter is text, and one whose front matter has no end is not read', () => {
  expect(splitFrontMatter('Words')).toEqual({ fields: {}, body: 'Words' });
  expect(splitFrontMatter('{{ template }}')).toEqual({ fields: {}, body: '{{ template }}' });
  expect(splitFrontMatter('---\ntitle: A\n')).toBeUndefined();
});

test('a megabyte of braces and quotation marks is read in a moment', () => {
  const begun = performance.now();
  expect(readFrontMatter(`{"${'a":"'.repeat(250_001)}`)).toEqual({ problem: 'Its front matter has no end.' });
  expect(readFrontMatter(`{${'"\\'.repeat(500_000)}`)).toEqual({ problem: 'Its front matter has no end.' });
  expect(performance.now() - begun).toBeLessThan(limitOf(5000));
});

test.each([
  ['"How long? (Across\nA handy chart"', 'How long? (Across A handy chart'],
  ['"One!\n\nGotta love it, too."', 'One!\nGotta love it, too.'],
  ["'It''s\nfine'", 'It’s fine'.replace('’', "'")],
])('a quoted text whose further lines are not indented is read, as builders of sites do', (text, value) => {
  const front = readFrontMatter(`---\ndescription: ${text}\ntitle: Lamp\n---\nWords`);
  expect(front).toMatchObject({ values: { description: value, title: 'Lamp' } });
});

test('a quoted text that never ends is an error', () => {
  expect(readFrontMatter('---\ndescription: "open\ntitle: Lamp\n---\nWords')).toHaveProperty('problem');
});
