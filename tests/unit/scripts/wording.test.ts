import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultsOf, sentencesOfCode, sentencesOfMarkdown, wordings } from '../../support/wording.ts';

const root = path.join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => path.posix.join(folder, file.replaceAll(path.sep, '/')));

/** What banned wordings look like: the left column of the style guide, and sentences like those. */
const bad = [
  'The sign-in that you came for does not wait any more.',
  'Give it up',
  'The way to stay: a free Cloudflare account.',
  'Something of yours brings a public address to this computer.',
  'How are you reached?',
  'Throw away…',
  'Not yet: The tunnel is connected',
  'An app’s pass is good for',
  'Places to pass posts on to',
  'Once a week, what is gone there goes here too.',
  'The last import did not come to its end.',
  'No mention is like that.',
  'No words stand for this picture there.',
  'Where everything goes',
  'Take it all',
  'Porchlight 1.1 is there.',
  'What is there is no picture.',
  'For people who build it',
  'Nobody else hears of your readers',
  'True for what says which apps are signed in.',
  'What is ended so comes by the event above',
  'it is looked again this often',
  'it needs not be told again',
  'This file can not be read.',
  'The page is looked at anew',
  'Go on',
  'The restore was given up.',
  'Not at all',
  'at most so many at once',
  'This will be mended later.',
  'It takes 9 ms in the middle.',
];

describe('the style guide', () => {
  test.each(bad)('finds “%s”', (text) => {
    expect(faultsOf([{ place: 'here', text }])).not.toEqual([]);
  });

  test.each([
    'Approved: Quill. Go back to your browser.',
    'Porchlight cannot read this file.',
    'The import continues when the server is on again.',
    'An app passes on what it is given.',
    'Requests that go on the same connection',
    'The tunnel is there to be used',
  ])('lets “%s” pass', (text) => {
    expect(faultsOf([{ place: 'here', text }])).toEqual([]);
  });

  test('is applied to strings, templates, JSX and, if asked, comments', () => {
    const code = [
      '// it can not be',
      "const a = 'It can not be.';",
      'const b = `${a} can not be`;',
      'const c = <p title="It can not be">This can not be</p>;',
    ].join('\n');
    const places = (comments: boolean) =>
      sentencesOfCode('a.tsx', code, { comments })
        .filter((sentence) => faultsOf([sentence]).length > 0)
        .map(({ place }) => place);
    expect(places(false)).toEqual(['a.tsx:2', 'a.tsx:3', 'a.tsx:4', 'a.tsx:4']);
    expect(places(true)).toContain('a.tsx:1');
  });

  test('has no pattern that finds nothing', () => {
    const unused = wordings.filter(({ banned }) => !bad.some((text) => banned.test(text)));
    expect(unused.map(({ banned }) => banned.source)).toEqual([]);
  });
});

describe('no banned wording is in', () => {
  test.each(['src-main', 'src-renderer', 'scripts'])('the texts of %s', (folder) => {
    const comments = folder === 'src-renderer';
    const files = filesIn(folder, /\.tsx?$/);
    const sentences = files.flatMap((file) => sentencesOfCode(file, read(file), { comments }));
    expect(sentences.length).toBeGreaterThan(10);
    expect(faultsOf(sentences)).toEqual([]);
  });

  test('the pages at the root and in docs', () => {
    const files = [...readdirSync(root).filter((file) => file.endsWith('.md')), ...filesIn('docs', /\.md$/)];
    expect(files).toContain('CONTRIBUTING.md');
    expect(faultsOf(files.flatMap((file) => sentencesOfMarkdown(file, read(file))))).toEqual([]);
  });
});
