import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TSchema } from 'typebox';
import { expect, test, vi } from 'vitest';
import { isValid } from '../../../src-main/storage/schema-check.ts';
import type * as work from '../../../src-main/storage/work/work.ts';
import { startPorchlight } from '../../support/porchlight.ts';

/**
 * Golden files: what the payload of each kind of work looks like in databases. Never change one: add one for a payload
 * with a new key. All of them must fit the current schema, because work whose payload doesn't fit is set aside.
 */
const dir = path.join(import.meta.dirname, '../../fixtures/formats');

const declared = vi.hoisted(() => new Map<string, TSchema>());
vi.mock(import('../../../src-main/storage/work/work.ts'), async (original) => {
  const actual: typeof work = await original();
  return {
    ...actual,
    async openWork(options) {
      const queue = await actual.openWork(options);
      return {
        ...queue,
        defineWork(kind) {
          declared.set(kind.kind, kind.payload);
          return queue.defineWork(kind);
        },
      };
    },
  };
});

test('the payload of each kind of work has golden files, and every one of them can still be read', async () => {
  await (await startPorchlight()).remove();
  const names = await readdir(dir);
  const hashes = JSON.parse(await readFile(path.join(dir, 'schemas.json'), 'utf8')) as Record<string, string>;
  const found: Record<string, string> = {};
  for (const [kind, payload] of declared) {
    const files = names.filter((name) => new RegExp(`^${kind}-work-\\d+\\.json$`).test(name));
    expect(files.length, `${kind} has no golden file`).toBeGreaterThan(0);
    for (const name of files) {
      const golden = JSON.parse(await readFile(path.join(dir, name), 'utf8')) as unknown;
      expect(isValid(payload, golden), `${name} doesn’t fit the payload of ${kind}`).toBe(true);
    }
    const hash = createHash('sha256').update(JSON.stringify(payload)).digest('hex').slice(0, 16);
    found[`${kind}-work`] = `${files.length} ${hash}`;
  }
  const known = Object.entries(hashes).filter(([name]) => name.endsWith('-work'));
  expect(found, 'Add a golden file, then update schemas.json').toEqual(Object.fromEntries(known));
  const kinds = names.flatMap((name) => /^(.+)-work-\d+\.json$/.exec(name)?.[1] ?? []);
  expect(new Set(kinds)).toEqual(new Set(declared.keys()));
});
