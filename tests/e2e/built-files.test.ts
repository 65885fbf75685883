import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/child.ts';

const folder = join(root, 'out/main');
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');

// V8 keeps the text of each file that it has loaded.
test('no built file of the main process needs two bytes for each character', () => {
  expect(files).toContain('headless.js');
  expect(files.filter((name) => /[^\0-\xff]/.test(textOf(name)))).toEqual([]);
});

test('the entry points load no file of the threads', () => {
  const entered = new Set(['headless.js', 'desktop.js', 'cli.js']);
  for (const name of entered)
    for (const [, imported = ''] of textOf(name).matchAll(/(?:from|import)\(?["'`]\.\/([\w-]+\.js)["'`]/g))
      entered.add(imported);
  expect(entered).toContain('app.js');
  expect([...entered].filter((name) => name.startsWith('thread-'))).toEqual([]);
});
