import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkMedia } from '../../../src-main/media/check-media.ts';
import { mediaTables } from '../../../src-main/media/media-index.ts';
import type { MediaFile } from '../../../src-main/media/media-store.ts';
import { mediaTablesIn, newMediaStore, pngOf, streamOf } from '../../support/media-folder.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

/** What a kill can leave, in the order of the writes: a file without a line, a torn line, a line without its row. */
const leftovers = ['file', 'torn line', 'line of a deletion'] as const;

const someSteps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('add' as const), month: fc.integer({ min: 0, max: 2 }) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.constant({ do: 'end' as const }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('kill' as const), left: fc.constantFrom(...leftovers) }),
    },
    { weight: 1, arbitrary: fc.constant({ do: 'lose the index' as const }) },
  ),
  { minLength: 3, maxLength: 14 },
);

test('after any changes, kills and lost indexes, the index lists what the journals and files say', async () => {
  await fc.assert(
    fc.asyncProperty(someSteps, async (steps) => {
      const { dir, clock, open, recoveries } = await newMediaStore();
      const indexFile = join(await temporaryFolder(), 'index.sqlite');
      let index = mediaTablesIn(indexFile);
      let store = open(index);
      let kept: MediaFile[] = [];
      let unlisted = 0;

      async function restart({ isClean }: { isClean: boolean }): Promise<void> {
        await store.close();
        if (!isClean) index.setTrusted(mediaTables, false);
        index.close();
      }

      async function leave(left: (typeof leftovers)[number]): Promise<void> {
        const [first] = kept;
        if (!first) return;
        const journal = join(dir, first.path.slice(7, 14), 'index.jsonl');
        if (left === 'torn line') await appendFile(journal, '{"path":"/media');
        if (left === 'file') {
          unlisted += 1;
          const name = `${String(unlisted).padStart(22, '0')}-unlisted.png`;
          await writeFile(join(dir, first.path.slice(7, 14), name), pngOf());
        }
        if (left === 'line of a deletion') {
          // As every write does, this one takes the place of a torn line.
          const text = await readFile(journal, 'utf8');
          const line = `${JSON.stringify({ path: first.path, deleted: true })}\n`;
          await writeFile(journal, text.slice(0, text.lastIndexOf('\n') + 1) + line);
          kept = kept.slice(1);
        }
      }

      for (const [number, step] of steps.entries()) {
        if (step.do === 'add') {
          clock.now = Date.UTC(2026, 8 + step.month, 1 + number);
          kept.push(await store.add(streamOf(`text ${number}`), { name: `n${number}` }));
        } else if (step.do === 'delete' && kept.length > 0) {
          const [gone] = kept.splice(step.which % kept.length, 1);
          await store.delete(gone?.path ?? '');
        } else if (step.do === 'end' || step.do === 'kill' || step.do === 'lose the index') {
          await restart({ isClean: step.do === 'end' });
          if (step.do === 'kill') await leave(step.left);
          if (step.do === 'lose the index') await rm(indexFile);
          index = mediaTablesIn(indexFile);
          store = open(index);
        }
      }

      const { items } = await store.list({ limit: 1000 });
      const named = items.filter(({ name }) => name !== 'unlisted.png');
      const byPath = (a: MediaFile, b: MediaFile) => (a.path < b.path ? -1 : 1);
      expect([...named].sort(byPath)).toEqual([...kept].sort(byPath));
      expect(items.length - named.length).toBe(unlisted);
      expect(await checkMedia(dir, index)).toEqual({ files: items.length, problems: [] });
      expect(index.isTrusted(mediaTables)).toBe(true);
      expect(await open(mediaTablesIn()).list({ limit: 1000 })).toEqual({ items });
      expect(recoveries).toEqual([]);
      await restart({ isClean: true });
    }),
    { numRuns: 25 },
  );
}, 120_000);
