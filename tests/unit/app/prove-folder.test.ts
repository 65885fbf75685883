import { expect, test } from 'vitest';
import { proveFolder } from '../../../src-main/app/check.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

test('a folder that is tried out is left once the owner cancels, or quits', async () => {
  const dir = await temporaryFolder();
  const going = new AbortController();
  expect(await proveFolder(dir, Date.now, going.signal)).toMatchObject({ problems: [] });
  going.abort();
  await expect(proveFolder(dir, Date.now, going.signal)).rejects.toMatchObject({
    code: 'cancelled',
  });
});
