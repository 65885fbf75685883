import type { Adapter } from 'lowdb';
import type { Codec } from './document-format.ts';
import { nodeOperations, type FileOperations } from './file-operations.ts';
import { jsonText } from './json-file.ts';
import { stampOf } from './index/file-stamp.ts';
import { keepAside, readOrRecover, readVersion, type RecoveryOptions } from './recovery.ts';
import { removeLeftovers, replaceFile } from './replace-file.ts';
import { reportingUnreadable } from './unreadable-files.ts';

export interface DurableFileOptions<T> extends Pick<RecoveryOptions<T>, 'file' | 'onRecovered' | 'whenLost'> {
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

/** A lowdb adapter that notices changes by other programs. */
export interface DurableFile<T> extends Adapter<T> {
  /**
   * Returns the content of the file if another program has changed it since it was last read or written; undefined
   * otherwise, and if the file is missing or broken. `isSaving`: true if the file is about to be replaced. Then a broken
   * file is kept aside, and the owner is told.
   * @throws PorchlightError `storage_newer`, `storage_migration`, `storage_unreadable`
   */
  changed(isSaving: boolean): Promise<T | undefined>;
}

/**
 * Opens a lowdb adapter for one JSON file. The file survives killed processes, power cuts and full disks (see
 * replaceFile). A broken file is recovered from its previous version (see readOrRecover). `read` resolves with null if
 * there is no file. `write` resolves once the data is on disk. Make one call at a time. Open each file only once per
 * process, because two adapters would overwrite each other's data.
 *
 * @throws PorchlightError from read: see readOrRecover; from write: `storage_full`, `storage_unwritable`.
 */
export async function openDurableFile<T>(options: DurableFileOptions<T>): Promise<DurableFile<T>> {
  const { file, codec, onRecovered, now = () => new Date(), operations = nodeOperations } = options;
  let { isNew = false } = options;
  if (!isNew) await removeLeftovers(file, operations);
  /** The version that was last read or written. */
  let known = '';
  const stampNow = () => stampOf(file).catch(() => known);
  const recovery = { file, codec, operations, onRecovered, now, whenLost: options.whenLost };
  return {
    async read() {
      if (isNew) return null;
      known = await stampNow();
      return reportingUnreadable(file, () => readOrRecover(recovery));
    },
    async write(data) {
      await replaceFile(file, jsonText(codec.encode(data)), operations, isNew);
      isNew = false;
      known = await stampNow();
    },
    async changed(isSaving) {
      const stamp = await stampNow();
      if (stamp === known || stamp === '') return undefined;
      const found = await readVersion(file, recovery);
      if (found.state === 'good' && found.lost.length === 0) {
        known = stamp;
        return found.data;
      }
      if (isSaving && found.state !== 'missing')
        await onRecovered?.({ file, movedTo: await keepAside(file, recovery), recoveredFrom: 'previous' });
      return undefined;
    },
  };
}
