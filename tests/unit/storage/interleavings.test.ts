import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { closed } from '../../../src-main/contract/shapes.ts';
import { openDocument } from '../../../src-main/storage/document.ts';
import { readJsonFile, systemError, watchedOperations } from '../../support/storage-folder.ts';

const schema = closed({ values: Type.Array(Type.Integer({ minimum: 0 })) });
const steps = ['write', 'duplicate', 'rename', 'syncFolder'] as const;

/** What happens next: a change to one of three documents, a pause, or a failure of the disk at its next step. */
const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('add' as const), on: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('add invalid' as const), on: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('throw' as const), on: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pause' as const), turns: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fail' as const), at: fc.constantFrom(...steps) }) },
);

describe('documents', () => {
  test('hold every acknowledged change and nothing else, in order, whatever interleaves and fails', async () => {
    let acknowledgedInAll = 0;
    let refusedInAll = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
        const dir = await mkdtemp(join(tmpdir(), 'porchlight-'));
        const failing = new Set<string>();
        const operations = watchedOperations();
        operations.before = (name) => {
          if (failing.delete(name)) throw systemError('EIO');
        };
        const files = ['a', 'b', 'c'].map((name) => join(dir, `${name}.json`));
        const documents = await Promise.all(
          files.map((file) =>
            openDocument({ file, schema, kind: 'note', format: 1, initial: { values: [] }, operations }),
          ),
        );
        const acknowledged: number[][] = [[], [], []];
        const pending: Promise<void>[] = [];

        for (const [value, next] of events.entries()) {
          if (next.do === 'fail') failing.add(next.at);
          else if (next.do === 'settle') await Promise.all(pending);
          else if (next.do === 'pause')
            for (let n = 0; n < next.turns; n += 1) await new Promise(setImmediate);
          else {
            const update = documents[next.on]!.update(({ values }) => {
              values.push(next.do === 'add invalid' ? -1 : value);
              if (next.do === 'throw') throw new RangeError('no');
            });
            const acknowledge = () => void acknowledged[next.on]!.push(value);
            pending.push(update.then(acknowledge, () => void (refusedInAll += 1)));
          }
        }
        await Promise.all(pending);

        for (const [index, values] of acknowledged.entries()) {
          expect(documents[index]!.data.values).toEqual(values);
          const reopened = await openDocument({
            file: files[index]!,
            schema,
            kind: 'note',
            format: 1,
            initial: { values: [] },
          });
          expect(reopened.data.values).toEqual(values);
          if (values.length > 0) expect(await readJsonFile(files[index]!)).toEqual({ format: 1, values });
          acknowledgedInAll += values.length;
        }
        await rm(dir, { recursive: true });
      }),
      { numRuns: 100 },
    );
    // The property was about something.
    expect(acknowledgedInAll).toBeGreaterThan(100);
    expect(refusedInAll).toBeGreaterThan(100);
  }, 180_000);
});
