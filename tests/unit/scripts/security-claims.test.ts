import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../../..');
const text = readFileSync(path.join(root, 'docs/security.md'), 'utf8');

/** Each file of tests that is named, with the names of tests behind it: `tests/…`: “one”, “another”. */
const named = [...text.matchAll(/`(tests\/[\w./-]+)`(?:: (“[^”]+”(?:, “[^”]+”)*))?/g)].map(
  ([, file = '', names = '']) => ({ file, names: [...names.matchAll(/“([^”]+)”/g)].map(([, name]) => name) }),
);

/** The rows of the chapters on what stops whom. */
const claims = text
  .slice(text.indexOf('## A stranger on the web'), text.indexOf('## Electron'))
  .split('\n')
  .filter((line) => /^\| (?!claim |---)/.test(line));

describe('docs/security.md', () => {
  test('names existing tests', () => {
    const missing = named.flatMap(({ file, names }) => {
      if (!existsSync(path.join(root, file))) return [file];
      const code = readFileSync(path.join(root, file), 'utf8');
      return names
        .filter((name) => name !== undefined && !code.includes(name))
        .map((name) => `${file}: ${name}`);
    });
    expect(missing).toEqual([]);
    expect(named.flatMap(({ names }) => names).length).toBeGreaterThan(100);
  });

  test('makes no claim without a test by its name, unless it says so', () => {
    expect(claims.length).toBeGreaterThan(40);
    expect(claims.filter((line) => !/`tests\/[^`]+`: “/.test(line) && !line.includes('no test'))).toEqual([]);
  });
});
