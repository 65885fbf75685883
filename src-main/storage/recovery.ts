import { PorchlightError } from '../contract/error.ts';
import type { Codec } from './document-format.ts';
import type { FileOperations } from './file-operations.ts';
import { jsonText, readJson } from './json-file.ts';
import { previousOf, replaceFile } from './replace-file.ts';
import { errorCode, writeFailure } from './storage-error.ts';

/** A file that could not be used, and what was done about it: for the owner to know. */
export interface Recovery {
  file: string;
  /** Where the unusable file is kept; null where the file was missing. */
  movedTo: string | null;
  /** What took its place: the version before, nothing (the document starts over), or the rest of its lines. */
  recoveredFrom: 'previous' | 'nothing' | 'rest';
}

export interface RecoveryOptions<T> {
  file: string;
  codec: Codec<T>;
  operations: FileOperations;
  /**
   * Tells the owner; opening waits for it, so it must not wait for the same document. Without it nothing is
   * recovered: a broken file is refused.
   */
  onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** For the name of a file moved aside. */
  now: () => Date;
}

type Version<T> = { state: 'good'; data: T } | { state: 'missing' } | { state: 'broken'; reason: string };

/**
 * Reads a file; where it is broken, or missing though a previous version is there, moves it aside, tells the owner
 * and puts a good previous version in its place. Null: there is nothing (any more) to read.
 *
 * The owner is told before the broken file's name is given up: a kill in between tells twice, never not at all.
 *
 * @throws PorchlightError `storage_broken` with nobody to tell, `storage_unreadable`, `storage_full`,
 * `storage_unwritable`, and what the codec throws.
 */
export async function readOrRecover<T>(options: RecoveryOptions<T>): Promise<T | null> {
  const { file, codec, operations, onRecovered } = options;
  const current = await readVersion(file, options);
  if (current.state === 'good') return current.data;

  const previous = await readVersion(previousOf(file), options);
  if (current.state === 'missing' && previous.state === 'missing') return null;

  if (onRecovered === undefined) throw unusable(file, current);
  const broken: string[] = [];
  if (current.state === 'broken') broken.push(file);
  if (previous.state === 'broken') broken.push(previousOf(file));

  const keptAs: string[] = [];
  for (const path of broken) keptAs.push(await keepAside(path, options));
  const recoveredFrom = previous.state === 'good' ? 'previous' : 'nothing';
  await onRecovered({ file, movedTo: keptAs[0] ?? null, recoveredFrom });
  for (const path of broken) await written(path, operations.remove(path));

  if (previous.state !== 'good') return null;
  await replaceFile(file, jsonText(codec.encode(previous.data)), operations);
  return previous.data;
}

async function readVersion<T>(path: string, options: RecoveryOptions<T>): Promise<Version<T>> {
  const found = await readJson(path, options.operations);
  if (found.state !== 'whole') return found;
  const decoded = options.codec.decode(found.value, path);
  return 'data' in decoded
    ? { state: 'good', data: decoded.data }
    : { state: 'broken', reason: decoded.broken };
}

function unusable(file: string, version: Version<unknown>): PorchlightError {
  const reason =
    version.state === 'broken' ? version.reason : 'it is missing, though its previous version is there';
  return new PorchlightError('storage_broken', `"${file}" cannot be used: ${reason}.`, 500);
}

/** Keeps an unusable file under a second name that nothing else has. */
export async function keepAside(
  path: string,
  { operations, now }: Pick<RecoveryOptions<unknown>, 'operations' | 'now'>,
): Promise<string> {
  // Windows allows no colon in a name.
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

async function written(path: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw writeFailure(path, error);
  }
}
