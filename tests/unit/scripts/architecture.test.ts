import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  codeBlocksOf,
  linksOf,
  longParagraphsOf,
  pathsIn,
  proseOf,
  readText,
  root,
} from '../../support/docs-page.ts';

const text = readText('docs/architecture.md');
const [modules = '', dataFolder = ''] = codeBlocksOf(text);
const inMain = pathsIn('src-main');

/** The paths of the module diagram. Each level is indented by two more spaces; a line may begin with several names. */
const drawn: string[] = [];
const parents: string[] = [];
for (const line of modules.split('\n').filter((line) => line !== '')) {
  const [, indent = '', names = ''] = /^( *)((?:[\w./-]+(?:\.tsx?|\/)(?: +|$))*)/.exec(line) ?? [];
  for (const name of names.trim().split(/ +/)) {
    parents.splice(indent.length / 2, Infinity, name);
    drawn.push(parents.join('/').replaceAll('//', '/'));
  }
}

/** The paths of the diagram of the data folder: the first word of each line. */
const stored = dataFolder.split('\n').flatMap((line) => /^[\w./<>-]+/.exec(line)?.[0] ?? []);

/** The names that files of several features share. */
const shared = ['part.ts', 'routes.ts'];

/** Returns whether a path names one thing: from the root, or as the end of exactly one path of src-main. */
function isFound(name: string): boolean {
  const file = name.replace(/\/$/, '');
  return existsSync(path.join(root, file)) || inMain.filter((one) => one.endsWith(`/${file}`)).length === 1;
}

test('docs/architecture.md has no paragraph of more than 90 words', () => {
  expect(longParagraphsOf(text)).toEqual([]);
});

test('the module diagram shows only files that exist, and each folder of the code', () => {
  expect(drawn.length).toBeGreaterThan(60);
  expect(drawn.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  const folders = ['src-main', 'src-renderer', 'tests'].flatMap((parent) =>
    readdirSync(path.join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['fixtures', 'node_modules'].includes(entry.name))
      .map(({ name }) => `${parent}/${name}/`),
  );
  expect(folders).toContain('src-main/storage/');
  expect(folders.filter((folder) => !drawn.includes(folder))).toEqual([]);
});

test('docs/architecture.md names only files that exist', () => {
  const named = [...proseOf(text).matchAll(/`([^`\s]+)`/g)]
    .map(([, name = '']) => name)
    // What begins with a slash is the path of an HTTP address.
    .filter((name) => !shared.includes(name) && /^[^/].*\/|^[^/]+\.(?:[cm]?[jt]sx?|sh|yml)$/.test(name));
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((name) => !stored.includes(name) && !isFound(name))).toEqual([]);

  const missing = linksOf(text).filter((file) => !existsSync(path.join(root, 'docs', file)));
  expect(missing).toEqual([]);
});

test('the diagram of the data folder shows only names that the code uses', () => {
  const code = inMain
    .filter((file) => /\.ts$/.test(file))
    .map(readText)
    .join('\n');
  // Of <slug>.json and YYYY/MM, only the fixed parts appear in the code.
  const parts = stored.flatMap((file) => file.split('/')).filter((part) => /^[a-z][a-z.-]+$/.test(part));
  expect(parts.length).toBeGreaterThan(20);
  expect(parts.filter((part) => !new RegExp(`['"\`/]${part}['"\`/]`).test(code))).toEqual([]);
});
