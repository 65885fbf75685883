import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readText } from '../../support/docs-page.ts';

/** A function that is exported: by its keyword, or as a constant that holds an arrow function. */
const exported =
  /^export (?:async )?(?:function\*? (\w+)|const (\w+)(?:: [^=\n]+)? = (?:async )?(?:<|\(|\w+ =>))/gm;

test('no two exported functions share a name', () => {
  const places = new Map<string, string[]>();
  for (const file of globSync('{src-main,src-renderer}/**/*.{ts,tsx}'))
    for (const [, declared, constant] of readText(file).matchAll(exported)) {
      const name = declared ?? constant ?? '';
      places.set(name, [...(places.get(name) ?? []), file]);
    }
  expect(places.size).toBeGreaterThan(1500);
  // Both ways of writing one are found.
  expect([...places.keys()]).toEqual(expect.arrayContaining(['lockFolder', 'holderOf']));
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([]);
});
