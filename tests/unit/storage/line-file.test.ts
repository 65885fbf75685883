import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLines } from '../../../src-main/storage/file-content.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

async function linesOf(text: string): Promise<string[]> {
  const file = join(await temporaryFolder(), 'lines.jsonl');
  await writeFile(file, text);
  const found: string[] = [];
  for await (const lines of readLines(file)) found.push(...lines);
  return found;
}

test('the complete lines of a file are read, however its parts cut them', async () => {
  const lines = Array.from({ length: 3000 }, (_, at) => `${at} ${'é'.repeat(at % 200)}`);
  expect(await linesOf(`${lines.join('\n')}\ncut off`)).toEqual(lines);
  expect(await linesOf('')).toEqual([]);
});

test('of a line that is longer than any that Porchlight writes, only the beginning is kept', async () => {
  const found = await linesOf(`a\n${'x'.repeat(3_000_000)}\nb\n${'y'.repeat(3_000_000)}`);
  expect(found).toEqual(['a', 'x'.repeat(1000), 'b']);
});

test('a file that is missing has no lines', async () => {
  expect((await readLines(join(await temporaryFolder(), 'none')).next()).done).toBe(true);
});
