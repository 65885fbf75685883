import type { Codec } from './document-format.ts';
import { openDurableFile, type DurableFileOptions } from './durable-file.ts';
import { nodeOperations } from './file-operations.ts';
import { previousOf } from './replace-file.ts';

/**
 * Moves the content of a document whose data is now kept in a journal: passes it to `store`, then deletes the document.
 * Returns false if there is no such document. If the process is killed in between, the content is passed again at the
 * next call.
 * @throws PorchlightError as reading a document does, and what `store` throws
 */
export async function takeOver<T>(
  file: string,
  options: { codec: Codec<T> } & Pick<DurableFileOptions<T>, 'onRecovered' | 'now'>,
  store: (data: T) => Promise<void>,
): Promise<boolean> {
  const data = await (await openDurableFile({ ...options, file })).read();
  if (data === null) return false;
  await store(data);
  // The previous version goes first: if only that version remained, the document would seem to be lost.
  await nodeOperations.remove(previousOf(file));
  await nodeOperations.remove(file);
  return true;
}
