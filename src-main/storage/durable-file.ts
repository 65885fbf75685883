import type { Adapter } from 'lowdb';
import type { Codec } from './document-format.ts';
import { nodeOperations, type FileOperations } from './file-operations.ts';
import { jsonText } from './json-file.ts';
import { readOrRecover, type RecoveryOptions } from './recovery.ts';
import { removeLeftovers, replaceFile } from './replace-file.ts';
import { reportingUnreadable } from './unreadable-files.ts';

export interface DurableFileOptions<T> extends Pick<RecoveryOptions<T>, 'file' | 'onRecovered'> {
  codec: Codec<T>;
  /** Returns the current time, which becomes part of the names of files that are moved aside. */
  now?: (() => Date) | undefined;
  operations?: FileOperations | undefined;
  /**
   * True if the caller knows that neither the file nor a previous version of it exists. In that case, the disk isn't
   * checked.
   */
  isNew?: boolean | undefined;
}

/**
 * Opens a lowdb adapter for one JSON file. The file survives killed processes, power cuts and full disks (see
 * replaceFile). A broken file is recovered from its previous version (see readOrRecover). `read` resolves with null if
 * there is no file. `write` resolves once the data is on disk. Make one call at a time. Open each file only once per
 * process, because two adapters would overwrite each other's data.
 *
 * @throws PorchlightError from read: see readOrRecover; from write: `storage_full`, `storage_unwritable`.
 */
export async function openDurableFile<T>(options: DurableFileOptions<T>): Promise<Adapter<T>> {
  const { file, codec, onRecovered, now = () => new Date(), operations = nodeOperations } = options;
  let { isNew = false } = options;
  if (!isNew) await removeLeftovers(file, operations);
  return {
    read: () =>
      isNew
        ? Promise.resolve(null)
        : reportingUnreadable(file, () => readOrRecover({ file, codec, operations, onRecovered, now })),
    async write(data) {
      await replaceFile(file, jsonText(codec.encode(data)), operations, isNew);
      isNew = false;
    },
  };
}
