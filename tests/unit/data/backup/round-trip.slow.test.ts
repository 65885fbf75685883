import fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathOfEntry, entryNameOf } from '../../../../src-main/storage/kept-paths.ts';
import { backUp, readTree, restore, writeTree } from '../../../support/backup-scene.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

// Names that a disk takes, with what zips, other systems and percent signs stumble over.
const odd = fc.constantFrom(
  '%',
  '%2F',
  '%2e',
  '\\',
  ':',
  '*',
  '?',
  '"',
  '<',
  '>',
  '|',
  '\n',
  '\u007f',
  ' ',
  '.',
  'é',
  '好',
  '🏮',
);
const name = fc
  .array(fc.oneof(odd, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join('').replace(/[/\0]/g, '_'))
  .filter((one) => one !== '.' && one !== '..' && Buffer.byteLength(one) < 200);
const content = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(Buffer.alloc(0), Buffer.alloc(200_000, 'porch'), Buffer.alloc(1_200_000, 1)),
);
// Letters before the name keep files and folders apart, and out of the names that mean something here.
const files = fc.dictionary(
  fc
    .tuple(fc.constantFrom('posts/d', 'media/d', 'x'), name, name)
    .map(([top, folder, file]) => `${top}${folder}/f${file}.json`),
  content,
  { maxKeys: 8 },
);

test(
  'whatever names and contents a data folder holds, a backup of it restores to the same',
  { timeout: 180_000 },
  async () => {
    const home = await temporaryFolder();
    const [dataDir, file] = [join(home, 'data'), join(home, 'backup.zip')];
    await fc.assert(
      fc.asyncProperty(files, async (tree) => {
        await rm(dataDir, { recursive: true, force: true });
        await writeTree(dataDir, { ...tree });
        await backUp({ dataDir, file });
        const before = await readTree(dataDir);
        await restore({ dataDir, file });
        expect(await readTree(`${dataDir}.restore-waiting`)).toEqual(before);
        await rm(`${dataDir}.restore.json`);
      }),
      { numRuns: 30 },
    );
  },
);

test('no name in a zip leads out of the folder, and one file has one name', () => {
  const piece = fc.oneof(odd, fc.constantFrom('/', '..', '%2F', '%5C', '%2E', '%00', 'a'));
  const entry = fc.array(piece, { maxLength: 8 }).map((parts) => `data/${parts.join('')}`);
  fc.assert(
    fc.property(entry, (one) => {
      const path = pathOfEntry(one);
      if (path === undefined) return;
      expect(join('/house', path)).toBe(`/house/${path}`);
      expect(path.split('/')).not.toContain('..');
      expect(entryNameOf(path)).toBe(one);
    }),
    { numRuns: 2000 },
  );
});
