import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkMedia } from '../../../src-main/media/check-media.ts';
import { putDeleted } from '../../../src-main/media/media-rows.ts';
import type { MediaFile } from '../../../src-main/media/media-store.ts';
import { newMediaStore, pngOf, streamOf } from '../../support/media-folder.ts';
import { runs } from '../../support/runs.ts';

/** What a kill can leave: nothing, a file without a record, or the record of a deletion whose file is still there. */
const leftovers = ['nothing', 'file', 'record of a deletion'] as const;

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
  ),
  { minLength: 3, maxLength: 14 },
);

test('after any changes and kills, the records list the acknowledged files', async () => {
  await fc.assert(
    fc.asyncProperty(someSteps, async (steps) => {
      const { dataDir, dir, clock, open, records } = await newMediaStore();
      let store = open();
      let kept: MediaFile[] = [];
      let unlisted = 0;

      async function leave(left: (typeof leftovers)[number]): Promise<void> {
        const [first] = kept;
        if (!first) return;
        if (left === 'file') {
          unlisted += 1;
          const name = `${String(unlisted).padStart(22, '0')}-unlisted.png`;
          await writeFile(join(dir, first.path.slice(7, 14), name), pngOf());
        }
        if (left === 'record of a deletion') {
          await records.write((transaction) => putDeleted(transaction, first.path));
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
        } else if (step.do === 'end') {
          await store.close();
          store = open();
        } else if (step.do === 'kill') {
          // A change, so that this is no clean end.
          kept.push(await store.add(streamOf(`text ${number}`), { name: `n${number}` }));
          await leave(step.left);
          store = open();
        }
      }

      const { items } = await store.list({ limit: 1000 });
      const named = items.filter(({ name }) => name !== 'unlisted.png');
      const byPath = (a: MediaFile, b: MediaFile) => (a.path < b.path ? -1 : 1);
      expect([...named].sort(byPath)).toEqual([...kept].sort(byPath));
      expect(items.length - named.length).toBe(unlisted);
      expect(await checkMedia(dataDir)).toEqual({ files: items.length, problems: [] });
      await store.close();
      expect(await open().list({ limit: 1000 })).toEqual({ items });
    }),
    { numRuns: runs(25) },
  );
}, 360_000);
