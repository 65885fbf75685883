import { copyFile } from 'node:fs/promises';
import path, { dirname } from 'node:path';
import { type Adapter, Low } from 'lowdb';
import type { Static, TObject, TSchema } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { type Codec, documentCodec, type FormatOptions, openedSchema } from './document-format.ts';
import { documentExcess } from './document-kinds.ts';
import { type FileOperations, nodeOperations } from './file-operations.ts';
import { stampNow } from './file-facts.ts';
import { jsonText, previousOf, readJson, removeLeftovers, replaceFile } from './file-content.ts';
import { copiedJson } from './json-value.ts';
import { coalesced } from './pacing.ts';
import { keepAside, readOrRecover, readVersion, type Recovery, type RecoveryOptions } from './recovery.ts';
import { firstProblem, isValid } from './schema-check.ts';
import { mustHaveReserve } from './reserve.ts';
import { errorCode } from './storage-error.ts';
import { reportingUnreadable } from './storage-watch.ts';

interface DataOptions<T> extends Omit<DurableFileOptions<T>, 'codec'> {
  /** The content of a document that has no file yet. Also supplies the values of missing keys. */
  initial: T;
}

interface DocumentOptions<S extends TObject> extends FormatOptions<S>, DataOptions<Static<S>> {
  // Makes `initial` required. TypeScript's `Omit` could do that too, but it would make the compiler compare the types
  // of schemas, which takes seconds.
  initial: Static<S>;
}

/** A JSON document on disk. */
export interface Document<T> {
  /** The data on disk, without unsaved changes. Frozen, so that only `update` can change it. */
  readonly data: Readonly<T>;
  /** Identifies the version of the file that `data` was last read from or saved as (see stampOf); empty without a file. */
  readonly stamp: string;
  /**
   * Applies `change` to a copy of the newest data, checks the result against the schema and saves it. Resolves with the
   * return value of `change`, once the data is on disk. Changes are applied one after another, and changes in quick
   * succession share one write. Each call runs `change` at most once, even if the write fails.
   *
   * `change` must be synchronous. The values that it adds must be JSON, and are frozen along with the other data. The
   * promise rejects if `change` throws, if the changed data doesn't fit the schema, or if the write fails. The document
   * then stays as if `update` had not been called.
   *
   * If another program has changed the file, reads it again first. A file that is broken then is kept aside.
   * @throws PorchlightError `storage_invalid`, `storage_full`, `storage_unwritable`, and errors from `change`.
   */
  update<R>(change: (data: T) => R): Promise<R>;
}

interface Change<T> {
  /**
   * Applies the change. Returns a function that resolves the caller's promise. Call that function once the data is
   * saved.
   */
  apply: (draft: T) => () => void;
  reject: (reason: unknown) => void;
}

/**
 * Opens the document in `file`, or creates one from `initial` in memory. A new file is written only at the first
 * update. Open each file only once per process.
 *
 * @throws PorchlightError `storage_newer`, `storage_migration`, `storage_broken`, `storage_unreadable`, `storage_full`,
 * `storage_unwritable`. In these cases, the file is unchanged.
 */
export async function openDocument<S extends TObject>(
  options: DocumentOptions<S>,
): Promise<Document<Static<S>>> {
  return openWith<Static<S>>(options, openedSchema(options.schema), documentCodec(options));
}

/**
 * Opens a document. Takes the schema as a plain TSchema, because comparing the types of schemas takes seconds at
 * compile time.
 */
async function openWith<T>(options: DataOptions<T>, schema: TSchema, codec: Codec<T>): Promise<Document<T>> {
  const { file, initial } = options;
  const adapter = await openDurableFile({ ...options, codec });
  const low = new Low<T>(adapter, allowed(schema, copiedJson(initial), file));
  await low.read();
  let saved = deepFreeze(low.data);
  const queue: Change<T>[] = [];

  const save = coalesced(async () => {
    try {
      const found = await adapter.changed();
      if (found !== undefined) saved = low.data = deepFreeze(found);
      await saveChanges();
    } catch (error) {
      for (const { reject } of queue.splice(0)) reject(error);
    }
  });

  async function saveChanges(): Promise<void> {
    const waiting: { done: () => void; reject: (reason: unknown) => void }[] = [];
    for (const { apply, reject } of queue.splice(0)) {
      try {
        mustHaveReserve(file);
        const draft = copiedJson(low.data);
        const done = apply(draft);
        low.data = deepFreeze(allowed(schema, draft, file));
        waiting.push({ done, reject });
      } catch (error) {
        reject(error);
      }
    }
    if (waiting.length === 0) return;
    try {
      await low.write();
      saved = low.data;
    } catch (error) {
      low.data = saved;
      for (const { reject } of waiting) reject(error);
      return;
    }
    for (const { done } of waiting) done();
  }

  return {
    get data() {
      return saved;
    },
    get stamp() {
      return adapter.stamp;
    },
    update: (change) =>
      new Promise((resolve, reject) => {
        queue.push({
          apply(draft) {
            const result = change(draft);
            return () => resolve(result);
          },
          reject,
        });
        void save();
      }),
  };
}

function allowed<T>(schema: TSchema, data: T, file: string): T {
  if (isValid(schema, data)) return data;
  const problem = firstProblem(schema, data);
  throw new PorchlightError('storage_invalid', `"${file}" cannot hold this: ${problem}.`, 500);
}

/**
 * Returns the text of a document.
 * @throws PorchlightError `storage_invalid` if it is more than Porchlight would read again
 */
function textToWrite<T>(codec: Codec<T>, data: T, file: string): string {
  const text = jsonText(codec.encode(data));
  const excess = documentExcess(text, codec.kind);
  if (excess === undefined) return text;
  throw new PorchlightError('storage_invalid', `"${file}" cannot hold this: ${excess}.`, 500);
}

/**
 * Freezes a JSON value and all its parts. JSON has no cycles. If a part is already frozen, everything in it is frozen
 * too.
 */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/**
 * Returns functions that open documents at the root of a data folder. `onRecovered` is called for each document that
 * had to be recovered.
 */
export function documentsIn(dataDir: string, onRecovered?: (recovery: Recovery) => void | Promise<void>) {
  return {
    fileOf: (name: string) => path.join(dataDir, name),
    open: <S extends TObject>(
      name: string,
      format: Pick<DocumentOptions<S>, 'schema' | 'kind' | 'format' | 'initial' | 'migrations'>,
    ) => openDocument<S>({ ...format, file: path.join(dataDir, name), onRecovered }),
  };
}

export type DataDocuments = ReturnType<typeof documentsIn>;

export interface DurableFileOptions<T> extends Pick<RecoveryOptions<T>, 'file' | 'onRecovered'> {
  codec: Codec<T>;
  /** Returns the current time, which becomes part of the names of files that are moved aside. */
  now?: (() => Date) | undefined;
  operations?: FileOperations | undefined;
}

/** A lowdb adapter that notices changes by other programs. */
interface DurableFile<T> extends Adapter<T> {
  /** Identifies the version that was last read or written. */
  readonly stamp: string;
  /**
   * Returns the content of the file if another program has changed it since it was last read or written; undefined
   * otherwise, and if the file is missing or broken. Call it before the file is replaced: a broken file is kept aside,
   * and the owner is told.
   * @throws PorchlightError `storage_newer`, `storage_migration`, `storage_unreadable`
   */
  changed(): Promise<T | undefined>;
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
  await removeLeftovers(file, operations);
  /** The version that was last read or written. */
  let known = '';
  const stampOrKnown = () => {
    try {
      return stampNow(file);
    } catch {
      return known;
    }
  };
  const recovery = { file, codec, operations, onRecovered, now };
  return {
    get stamp() {
      return known;
    },
    async read() {
      known = stampOrKnown();
      return reportingUnreadable(file, () => readOrRecover(recovery));
    },
    async write(data) {
      await replaceFile(file, textToWrite(codec, data, file), operations);
      known = stampOrKnown();
    },
    async changed() {
      const stamp = stampOrKnown();
      if (stamp === known || stamp === '') return undefined;
      const found = await readVersion(file, recovery);
      if (found.state === 'good' && found.lost.length === 0) {
        known = stamp;
        return found.data;
      }
      if (found.state !== 'missing')
        await onRecovered?.({ file, movedTo: await keepAside(file, recovery), recoveredFrom: 'previous' });
      return undefined;
    },
  };
}

/**
 * These functions are for files in a data folder that no process uses, such as an unpacked backup or a folder before
 * startup.
 */

/**
 * Reads a document without changing anything. Returns undefined if the document is missing or broken.
 * @throws PorchlightError `storage_newer`, `storage_migration`, `storage_unreadable`
 */
export async function readDocument<S extends TObject>(
  file: string,
  options: FormatOptions<S>,
): Promise<Static<S> | undefined> {
  const found = await readJson(file, options.kind, nodeOperations);
  const decoded = found.state === 'whole' ? documentCodec(options).decode(found.value, file) : undefined;
  return decoded && 'data' in decoded ? decoded.data : undefined;
}

/**
 * Replaces a document. The new version is on disk when the promise resolves. Removes the previous version, so that no
 * recovery can bring it back.
 */
export async function writeDocument<S extends TObject>(
  file: string,
  options: FormatOptions<S>,
  data: Static<S>,
): Promise<void> {
  await nodeOperations.makeFolder(dirname(file));
  await nodeOperations.write(`${file}.tmp`, textToWrite(documentCodec(options), data, file));
  await putInPlace(file);
}

/**
 * Replaces a file with a copy of `original`. The copy is on disk when the promise resolves. If the original is
 * missing, removes the file.
 */
export async function replaceByCopy(file: string, original: string): Promise<void> {
  try {
    await nodeOperations.makeFolder(dirname(file));
    await copyFile(original, `${file}.tmp`);
    await putInPlace(file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await nodeOperations.remove(previousOf(file));
    await nodeOperations.remove(file);
  }
}

async function putInPlace(file: string): Promise<void> {
  await nodeOperations.remove(previousOf(file));
  await nodeOperations.rename(`${file}.tmp`, file);
  await nodeOperations.syncFolder(dirname(file));
}
