import { expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { watchDisk } from '../../../src-main/storage/storage-watch.ts';
import { nodeOperations } from '../../../src-main/storage/file-operations.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

test('too many open files are no trouble with the disk, and the disk is tested again', async () => {
  const dir = await temporaryFolder();
  const write = vi.spyOn(nodeOperations, 'write');
  write.mockRejectedValueOnce(Object.assign(new Error('Too many open files'), { code: 'EMFILE' }));
  const changed = vi.fn();
  const recovered = vi.fn();
  const watch = watchDisk({ dir, changed, recovered, checkMs: 10 });
  watch.failed(new PorchlightError('storage_full', 'Full.', 500));
  await vi.waitFor(() => expect(recovered).toHaveBeenCalled());
  watch.stop();
  expect(write).toHaveBeenCalledTimes(2);
  write.mockRestore();
  expect(changed).not.toHaveBeenCalled();
  expect(watch.trouble).toBeUndefined();
});
