import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { closed } from '../../../src-main/contract/shapes.ts';
import { openDocument } from '../../../src-main/storage/document.ts';
import { readJson } from '../../../src-main/storage/file-content.ts';
import { nodeOperations } from '../../../src-main/storage/file-operations.ts';
import { jsonExcess } from '../../../src-main/storage/json-value.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('the size of a document', () => {
  test.each([
    ['a note of more than 0.1 MB', `"${'x'.repeat(100_000)}"`, 'it is larger than 0.1 MB'],
    ['more than a hundred levels', deep(101), 'it is nested too deeply'],
  ])('a document with %s is broken, and is not parsed', async (_, text, reason) => {
    const file = join(await temporaryFolder(), 'note.json');
    await writeFile(file, text);
    expect(await readJson(file, 'note', nodeOperations)).toEqual({ state: 'broken', reason });
  });

  test('a document at its limits is read', async () => {
    const file = join(await temporaryFolder(), 'note.json');
    await writeFile(file, deep(100).padEnd(100_000));
    expect(await readJson(file, 'note', nodeOperations)).toMatchObject({ state: 'whole' });
  });

  test('data that could not be read again is not saved, and the document stays unchanged', async () => {
    const dir = await temporaryFolder();
    await mkdir(dir, { recursive: true });
    const document = await openDocument({
      file: join(dir, 'note.json'),
      schema: closed({ text: Type.String() }),
      kind: 'note',
      format: 1,
      initial: { text: '' },
    });
    await document.update((data) => void (data.text = 'kept'));
    await expect(document.update((data) => void (data.text = 'x'.repeat(100_000)))).rejects.toMatchObject({
      code: 'storage_invalid',
    });
    expect(document.data).toEqual({ text: 'kept' });
  });
});

describe('the limits on a JSON text', () => {
  test('brackets and commas within strings do not count', () => {
    const text = JSON.stringify({ a: '[[[[,,,,\\"]]', b: ['\\', '{'] });
    expect(jsonExcess(text, { depth: 2, values: 6 })).toBeUndefined();
    expect(jsonExcess(text, { depth: 1, values: 6 })).toBe('it is nested too deeply');
    expect(jsonExcess(text, { depth: 2, values: 3 })).toBe('it has too many values');
  });

  test('no JSON is counted as less than it is', () => {
    const measure = (value: unknown): { depth: number; values: number } => {
      if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
      const inner = Object.values(value).map(measure);
      return {
        depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
        values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
      };
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { depth, values } = measure(value);
        const text = JSON.stringify(value);
        if (depth > 0)
          expect(jsonExcess(text, { depth: depth - 1, values: 1e6 })).toBe('it is nested too deeply');
        expect(jsonExcess(text, { depth, values: 2 * values + 1 })).toBeUndefined();
        if (values > 2) expect(jsonExcess(text, { depth, values: Math.floor(values / 2) - 1 })).toBeDefined();
      }),
    );
  });
});
