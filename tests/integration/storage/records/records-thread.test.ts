import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createRecordsThread } from '../../../../src-main/storage/records/records-thread.ts';
import { DatabaseSync } from '../../../../src-main/storage/sqlite.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

test('a thread that does many jobs gathers no listeners', async () => {
  const file = join(await temporaryFolder(), 'any.sqlite');
  new DatabaseSync(file).close();
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const thread = createRecordsThread(file);
  for (let job = 0; job < 20; job += 1) expect(await thread.run({ kind: 'check' })).toBe(true);
  await thread.close();
  await nextTurn();
  expect(warnings).toEqual([]);
});
