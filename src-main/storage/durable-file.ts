import type { Adapter } from 'lowdb';
import { coalesced } from './coalesce.ts';
import type { Codec } from './document-format.ts';
import { nodeOperations, type FileOperations } from './file-operations.ts';
import { jsonText } from './json-file.ts';
import { readOrRecover, type Recovery } from './recovery.ts';
import { removeLeftovers, replaceFile } from './replace-file.ts';
import { reportingUnreadable } from './unreadable-files.ts';

export interface DurableFileOptions<T> {
  file: string;
  codec: Codec<T>;
  /** Tells the owner that the file could not be used. Without it, such a file is refused and left as it is. */
  onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** For the names of files moved aside. */
  now?: (() => Date) | undefined;
  operations?: FileOperations | undefined;
}

/**
 * A lowdb adapter over one JSON file that survives kills, power cuts and full disks (see replaceFile), and that
 * recovers a broken file from its previous version (see readOrRecover). `read` answers null where there is no file.
 * `write` resolves once data at least as new as its own is on disk; writes that wait share one.
 * Open a file once in a process: two adapters on one file would overwrite each other.
 *
 * @throws PorchlightError from read: see readOrRecover; from write: `storage_full`, `storage_unwritable`.
 */
export async function openDurableFile<T>(options: DurableFileOptions<T>): Promise<Adapter<T>> {
  const { file, codec, onRecovered, now = () => new Date(), operations = nodeOperations } = options;
  await removeLeftovers(file, operations);
  let latest: T;
  const save = coalesced(() => replaceFile(file, jsonText(codec.encode(latest)), operations));

  return {
    read: () => reportingUnreadable(file, () => readOrRecover({ file, codec, operations, onRecovered, now })),
    write(data) {
      latest = data;
      return save();
    },
  };
}
