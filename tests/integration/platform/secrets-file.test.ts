import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSecretsFile } from '../../../src-main/platform/secrets.ts';
import { staysHere } from '../../../src-main/storage/kept-paths.ts';
import { runs } from '../../support/runs.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-secrets-'));
  file = join(folder, 'secrets.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('the secrets file', () => {
  test('keeps secrets over a restart, and forgets deleted ones', async () => {
    const secrets = await openSecretsFile({ file });
    expect(secrets.kind).toBe('file');
    expect(await secrets.get('a')).toBeNull();
    await secrets.set('a', 'one');
    await secrets.set('b', 'two');
    await secrets.set('a', 'three');
    await secrets.delete('b');
    await secrets.delete('never-there');
    const again = await openSecretsFile({ file });
    expect([await again.get('a'), await again.get('b')]).toEqual(['three', null]);
    expect(await readdir(folder)).toEqual(['secrets.json']);
  });

  test('any line of text comes back unchanged, under any name', async () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\n\r\0]/.test(text));
    const secrets = await openSecretsFile({ file });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(line, fc.constantFrom('__proto__', 'constructor')),
        line,
        async (name, value) => {
          await secrets.set(name, value);
          expect(await secrets.get(name)).toBe(value);
          expect(await (await openSecretsFile({ file })).get(name)).toBe(value);
        },
      ),
      { numRuns: runs(40) },
    );
  });

  test('changes at the same time are all kept', async () => {
    const secrets = await openSecretsFile({ file });
    const names = Array.from({ length: 20 }, (_, n) => `name-${n}`);
    await Promise.all(names.map((name) => secrets.set(name, `value of ${name}`)));
    const again = await openSecretsFile({ file });
    expect(await Promise.all(names.map((name) => again.get(name)))).toEqual(
      names.map((n) => `value of ${n}`),
    );
  });

  test.each([['a\nb'], ['a\rb'], ['a\0b'], ['\n'], ['']])(
    'refuses %j, and repeats it nowhere',
    async (value) => {
      const secrets = await openSecretsFile({ file });
      const refusal = await secrets.set('name', value).catch((error: unknown) => error as Error);
      expect(refusal).toMatchObject({ code: 'invalid_secret' });
      expect(await secrets.get('name')).toBeNull();
      await expect(secrets.set('na\nme', 'value')).rejects.toMatchObject({ code: 'invalid_secret' });
    },
  );

  test.skipIf(process.platform === 'win32')(
    'is for its owner only, and narrowed when it was not',
    async () => {
      const secrets = await openSecretsFile({ file });
      await secrets.set('a', 'one');
      expect(await modeOf(file)).toBe(0o600);
      await chmod(file, 0o644);
      const again = await openSecretsFile({ file });
      expect(await modeOf(file)).toBe(0o600);
      expect(await again.get('a')).toBe('one');
    },
  );

  test('a failed write is an error, and leaves the earlier secrets', async () => {
    const secrets = await openSecretsFile({ file });
    await secrets.set('a', 'one');
    // A folder with something in it stands where the new content would be written.
    await mkdir(join(`${file}.new`, 'in the way'), { recursive: true });
    await expect(secrets.set('a', 'two')).rejects.toThrow();
    expect(await secrets.get('a')).toBe('one');
    expect(await (await openSecretsFile({ file })).get('a')).toBe('one');
    await rm(`${file}.new`, { recursive: true });
    await secrets.set('a', 'three');
    expect(await (await openSecretsFile({ file })).get('a')).toBe('three');
  });

  test('a file that a crash left half written is neither read nor an obstacle', async () => {
    const secrets = await openSecretsFile({ file });
    await secrets.set('a', 'one');
    await writeFile(`${file}.new`, '{"format":1,"secr', { mode: 0o644 });
    const again = await openSecretsFile({ file });
    expect(await again.get('a')).toBe('one');
    await again.set('a', 'two');
    expect(await modeOf(file)).toBe(0o600);
    expect(await readdir(folder)).toEqual(['secrets.json']);
  });

  test.each([
    ['cut short', '{"format":1,"secrets":{"a":"hush'],
    ['empty', ''],
    ['something else', '["a"]'],
    ['without secrets', '{"format":1}'],
    ['with a secret that is no text', '{"format":1,"secrets":{"a":1}}'],
  ])('a file that is %s is kept aside, and the store begins without secrets', async (_what, text) => {
    await writeFile(file, text);
    const kept: string[] = [];
    const secrets = await openSecretsFile({ file, damaged: (keptAt) => kept.push(keptAt) });
    expect(await secrets.get('a')).toBeNull();
    await secrets.set('a', 'new');
    expect(kept).toHaveLength(1);
    expect(await readFile(kept[0]!, 'utf8')).toBe(text);
    expect(await modeOf(kept[0]!)).toBe(0o600);
    expect((await readdir(folder)).toSorted()).toEqual(['secrets.json', basename(kept[0]!)]);
    expect(staysHere(basename(kept[0]!))).toBe(true);
  });

  test('a file of a newer format is refused and left unchanged', async () => {
    const text = '{"format":2,"secrets":{"a":"hush"}}';
    await writeFile(file, text);
    const refusal = await openSecretsFile({ file }).catch((error: unknown) => error as Error);
    expect(refusal).toMatchObject({ code: 'secrets_file_unreadable' });
    expect((refusal as Error).message).not.toContain('hush');
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
