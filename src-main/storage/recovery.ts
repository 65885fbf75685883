import { PorchlightError } from '../contract/error.ts';
import type { Codec } from './document-format.ts';
import type { FileOperations } from './file-operations.ts';
import { jsonText, previousOf, putFile, readJson, removeLeftovers, replaceFile } from './file-content.ts';
import { errorCode, writeFailure } from './storage-error.ts';

/**
 * A file that was missing or damaged, and how Porchlight replaced or repaired it. The owner is notified of each
 * recovery.
 */
export interface Recovery {
  file: string;
  /** The path at which the unusable file is kept unchanged; null if the file was missing. */
  movedTo: string | null;
  /**
   * The replacement for the file. `previous`: the previous version. `nothing`: the document starts from its initial
   * values. `initial`: the same document with initial values for the invalid keys.
   */
  recoveredFrom: 'previous' | 'nothing' | 'initial';
  /**
   * The keys (such as `webmention.hold`) that were reset to initial values, and the list items (such as `domains.3`)
   * that were left out.
   */
  keys?: readonly string[];
}

export interface RecoveryOptions<T> {
  file: string;
  codec: Codec<T>;
  operations: FileOperations;
  /**
   * Notifies the owner. The callback must not wait for the same document, because opening that document waits for the
   * callback. Without a callback, nothing is recovered, and a broken file causes an error.
   */
  onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** Returns the current time, which becomes part of the name of a file that is moved aside. */
  now: () => Date;
}

type Version<T> =
  | { state: 'good'; data: T; lost: readonly string[] }
  | { state: 'missing' }
  | { state: 'broken'; reason: string };

/**
 * Reads a file. If the file is broken, or missing although a previous version exists, notifies the owner and restores a
 * good previous version. Keeps the broken file aside. If only some of the file's values are invalid, keeps a copy of
 * the file and replaces those values. Returns null if there is no usable version.
 *
 * The owner is notified before the broken file is removed. If the process is killed in between, the owner is notified
 * twice rather than never.
 * @throws PorchlightError `storage_broken` if nobody can be notified, `storage_unreadable`, `storage_full`, `storage_unwritable`,
 * and errors from the codec.
 */
export async function readOrRecover<T>(options: RecoveryOptions<T>): Promise<T | null> {
  const { file, codec, operations, onRecovered } = options;
  const current = await readVersion(file, options);
  if (current.state === 'good' && current.lost.length === 0) return current.data;
  if (current.state === 'good') return keepMended(current, options);

  const previous = await readVersion(previousOf(file), options);
  if (current.state === 'missing' && previous.state === 'missing') return null;

  if (onRecovered === undefined) throw unusable(file, current);
  const replacement = previous.state === 'good' ? previous : undefined;
  const broken: string[] = [];
  if (current.state === 'broken') broken.push(file);
  if (previous.state === 'broken') broken.push(previousOf(file));

  const keptAs: string[] = [];
  for (const path of broken) keptAs.push(await keepAside(path, options));
  const { lost = [] } = replacement ?? {};
  await onRecovered({
    file,
    movedTo: keptAs[0] ?? null,
    recoveredFrom: replacement ? 'previous' : 'nothing',
    ...(lost.length > 0 && { keys: lost }),
  });
  // A file that gets a replacement keeps its name until then, because a missing file may count as deleted.
  for (const path of broken.filter((one) => one !== file || replacement === undefined))
    await operations.remove(path).catch((error: unknown) => {
      throw writeFailure(path, error);
    });

  if (replacement === undefined) return null;
  try {
    await putFile(file, jsonText(codec.encode(replacement.data)), operations);
  } catch (error) {
    await removeLeftovers(file, operations);
    throw writeFailure(file, error);
  }
  return replacement.data;
}

/** Replaces the invalid values in a file, and keeps a copy of the original. */
async function keepMended<T>(
  { data, lost }: { data: T; lost: readonly string[] },
  options: RecoveryOptions<T>,
): Promise<T> {
  const { file, codec, operations, onRecovered } = options;
  if (onRecovered === undefined)
    throw unusable(file, { state: 'broken', reason: `these values are not valid: ${lost.join(', ')}` });
  const movedTo = await keepAside(file, options);
  await onRecovered({ file, movedTo, recoveredFrom: 'initial', keys: lost });
  await replaceFile(file, jsonText(codec.encode(data)), operations);
  return data;
}

/** Reads a version of a file. @throws PorchlightError `storage_unreadable`, and errors from the codec */
export async function readVersion<T>(path: string, options: RecoveryOptions<T>): Promise<Version<T>> {
  const found = await readJson(path, options.codec.kind, options.operations);
  if (found.state !== 'whole') return found;
  const decoded = options.codec.decode(found.value, path);
  return 'data' in decoded
    ? { state: 'good', data: decoded.data, lost: decoded.lost ?? [] }
    : { state: 'broken', reason: decoded.broken };
}

function unusable(file: string, version: Version<unknown>): PorchlightError {
  const reason =
    version.state === 'broken' ? version.reason : 'it is missing, though its previous version is there';
  return new PorchlightError('storage_broken', `"${file}" cannot be used: ${reason}.`, 500);
}

/** Gives an unusable file an additional name that no other file has, and returns that name. */
export async function keepAside(
  path: string,
  { operations, now }: Pick<RecoveryOptions<unknown>, 'operations' | 'now'>,
): Promise<string> {
  // Windows doesn't allow colons in file names.
  const name = `${path}.broken-${now().toISOString().replaceAll(':', '-')}`;
  for (let turn = 1; ; turn += 1) {
    const aside = turn === 1 ? name : `${name}-${turn}`;
    try {
      await operations.duplicate(path, aside);
      return aside;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw writeFailure(aside, error);
    }
  }
}
