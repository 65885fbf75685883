import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ErrorCode, PorchlightError, type StorageCode } from '../../../src-main/contract/error.ts';
import { resultOf } from '../../../src-main/contract/reply.ts';
import type { Problem } from '../../../src-main/contract/status.ts';
import { FetchError } from '../../../src-main/platform/fetched-response.ts';

const list = 'src-main/contract/error.ts';

/** Returns every TypeScript file of the app but the list of codes, as one text. */
function source(): string {
  const files = ['src-main', 'src-renderer'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name)),
  );
  const read = files.filter((file) => /\.tsx?$/.test(file) && file !== join(list));
  return read.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** Returns the codes in the list, in order. */
function listed(): string[] {
  const text = readFileSync(list, 'utf8').replace(/\/\*\*[^]*?\*\/|CodeOf<'\w+'>/g, '');
  return [...text.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code ?? '');
}

test('a misspelt code is a type error wherever codes are used', () => {
  const error = new PorchlightError('not_found', 'No.');
  // @ts-expect-error in a throw
  new PorchlightError('not_fond', 'No.');
  // @ts-expect-error in a comparison
  expect(error.code === 'not_fond').toBe(false);
  // @ts-expect-error in a comparison with a code that a fetch never has
  expect(new FetchError('fetch_failed').code === 'page_full').toBe(false);
  // @ts-expect-error as the key of a table
  const table: Partial<Record<ErrorCode, number>> = { not_fond: 404 };
  // @ts-expect-error in a table that has to be complete
  const complete: Record<StorageCode, number> = { storage_full: 507 };
  // @ts-expect-error in a problem
  const problem: Problem = { code: 'clok', message: 'Late.' };
  expect([table, complete, problem]).toHaveLength(3);
});

test('each code is listed once and used', () => {
  const codes = listed();
  expect(codes.length).toBeGreaterThan(80);
  const text = source();
  const unused = (code: string) => !new RegExp(`'${code}'|\\b${code}: `).test(text);
  expect(codes.filter(unused)).toEqual([]);
  const again = codes.filter((code, at) => codes.indexOf(code) !== at);
  expect(again).toEqual(['restart_needed']); // both an error and a problem, with one meaning
});

test.each([null, {}, 'x', { error: {} }, { error: { code: 1, message: 'No.' } }, { result: 1, error: null }])(
  'a malformed reply (%j) is an error',
  (reply) => {
    expect(() => resultOf(reply)).toThrow(
      expect.objectContaining({
        code: 'server_error',
        message: 'Porchlight sent an unreadable reply. Try again.',
      }),
    );
  },
);

test('a reply with a code of another version keeps its message', () => {
  const reply = { error: { code: 'moon_full', message: 'The moon is full.' } };
  expect(() => resultOf(reply)).toThrow(
    expect.objectContaining({ code: 'server_error', message: 'The moon is full.' }),
  );
});
