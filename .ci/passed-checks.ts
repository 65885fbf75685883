import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestOf } from './build-stamp.ts';
import { root } from './child.ts';

/** Everything that the checks read. node_modules is what package-lock.json says. */
const read = [
  '.ci',
  '.dependency-cruiser.cjs',
  'knip.jsonc',
  'oxlint.config.ts',
  'package-lock.json',
  'package.json',
  'resources',
  'src-main',
  'src-renderer',
  'tests',
  'tsconfig.base.json',
  'tsconfig.json',
  'vite.config.ts',
  'vite.edge.config.ts',
  'vite.main.config.ts',
  'vitest.config.ts',
];

/** The checks that passed, by name. */
export interface PassedChecks {
  has(name: string): boolean;
  add(name: string): void;
}

/**
 * Remembers in node_modules which checks passed on exactly the files that are there now. One digest covers all files,
 * because a changed type can cause a finding in a file that is unchanged.
 */
export function passedChecks(): PassedChecks {
  const file = join(root, 'node_modules/.cache/porchlight/passed-checks.txt');
  const digest = digestOf(read);
  const [kept, ...names] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const passed = new Set(kept === digest ? names : []);
  return {
    has: (name) => passed.has(name),
    add(name) {
      // A file may have changed while the check was running.
      if (digestOf(read) !== digest) return;
      passed.add(name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, [digest, ...passed].join('\n'));
    },
  };
}
