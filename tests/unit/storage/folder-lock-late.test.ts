import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { lockFolder } from '../../../src-main/storage/folder-lock.ts';
import { thisProcess } from '../../../src-main/storage/process-identity.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const between = vi.hoisted(() => ({ lookAndClaim: (locks: string) => Promise.resolve(locks) }));

vi.mock(import('../../../src-main/storage/lock-turns.ts'), async (importOriginal) => {
  const turns = await importOriginal();
  return {
    ...turns,
    async claimTurn(locks, ...rest) {
      await between.lookAndClaim(locks);
      return turns.claimTurn(locks, ...rest);
    },
  };
});

test('one that looked before others took and passed on the lock gives way, and its late turn is gone', async () => {
  const dir = await temporaryFolder();
  await (await lockFolder(dir)).release();
  between.lookAndClaim = async (locks) => {
    await writeFile(join(locks, '5.json'), JSON.stringify(await thisProcess()));
    await rm(join(locks, '1.json'), { force: true });
    return locks;
  };
  await expect(lockFolder(dir)).rejects.toMatchObject({ code: 'folder_in_use' });
  expect(await readdir(join(dir, 'lock'))).toEqual(['5.json']);
});
