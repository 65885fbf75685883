import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { linksOf, longParagraphsOf, readText, root } from '../../support/docs-page.ts';

const text = readText('CONTRIBUTING.md');

test('CONTRIBUTING.md names only files and scripts that exist', () => {
  const files = [...text.matchAll(/(?<=[`\s])(?:scripts|src-main|src-renderer|tests|docs)\/[\w./-]*\w/g)].map(
    ([file]) => file,
  );
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);

  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
  const named = [...text.matchAll(/npm run (\w+)/g)].map(([, name = '']) => name);
  expect(named).toContain('dev');
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('the pages at the root link only to files that exist', () => {
  const pages = readdirSync(root).filter((file) => file.endsWith('.md'));
  expect(pages).toEqual(expect.arrayContaining(['CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'SECURITY.md']));
  const broken = pages.flatMap((page) =>
    linksOf(readText(page))
      .filter((file) => !existsSync(path.join(root, file)))
      .map((file) => `${page}: ${file}`),
  );
  expect(broken).toEqual([]);
});

test('editors use the line length of the formatter', () => {
  const [, length] = /"printWidth": (\d+)/.exec(readText('.oxfmtrc.jsonc')) ?? [];
  expect(readText('.editorconfig')).toContain(`\nmax_line_length = ${length}\n`);
});

test('CONTRIBUTING.md names things that the files named beside them contain', () => {
  const recipes: readonly (readonly [file: string, ...names: string[]])[] = [
    ['src-main/posts/micropub/queries.ts', 'properties'],
    ['src-main/contract/post-kinds.ts', 'postKinds', 'responseProperties', 'factProperties'],
    ['src-main/contract/shapes.ts', 'setting'],
    ['src-renderer/ui/page.tsx', 'Page'],
    ['src-renderer/client/queries.ts', 'useAnswer'],
    ['src-renderer/ui/states.tsx', 'Loaded'],
    ['src-renderer/app.tsx', 'views'],
    ['src-main/site-folder/publishing/publisher.ts', 'Publisher'],
    ['src-main/mentions/receiving/source/source-page.ts', 'pageKindOf'],
  ];
  for (const [file, ...names] of recipes) {
    const code = readText(file);
    for (const name of names) {
      expect(code, `${file} has no ${name}`).toMatch(new RegExp(`\\b${name}\\b`));
      expect(text, `the page does not name ${name}`).toContain(`\`${name}\``);
    }
  }
});

test('CONTRIBUTING.md has no paragraph of more than 90 words', () => {
  expect(longParagraphsOf(text)).toEqual([]);
});
