import { Low } from 'lowdb';
import type { Static, TObject, TSchema } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { coalesced } from './coalesce.ts';
import { documentCodec, type Codec, type FormatOptions } from './document-format.ts';
import { openedSchema } from './document-shape.ts';
import { openDurableFile, type DurableFileOptions } from './durable-file.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { firstProblem, isValid } from './schema-check.ts';

interface DataOptions<T> extends Omit<DurableFileOptions<T>, 'codec'> {
  /** The content of a document that has no file yet. Also supplies the values of missing keys. */
  initial: T;
  /**
   * Creates the copy that a change is applied to. Needed for documents that are too large to copy completely. The copy
   * may share frozen parts with the data, so a change must replace those parts instead of modifying them.
   */
  draftOf?: (data: Readonly<T>) => T;
}

export interface DocumentOptions<S extends TObject> extends FormatOptions<S>, DataOptions<Static<S>> {
  // Makes `initial` required. TypeScript's `Omit` could do that too, but it would make the compiler compare the types
  // of schemas, which takes seconds.
  initial: Static<S>;
}

/** A JSON document on disk. */
export interface Document<T> {
  /** The data on disk, without unsaved changes. Frozen, so that only `update` can change it. */
  readonly data: Readonly<T>;
  /**
   * Applies `change` to a copy of the newest data, checks the result against the schema and saves it. Resolves with the
   * return value of `change`, once the data is on disk. Changes are applied one after another, and changes in quick
   * succession share one write. Each call runs `change` at most once, even if the write fails.
   *
   * `change` must be synchronous. The values that it adds must be JSON, and are frozen along with the other data. The
   * promise rejects if `change` throws, if the changed data doesn't fit the schema, or if the write fails. The document
   * then stays as if `update` had not been called.
   *
   * @throws PorchlightError `storage_invalid`, `storage_full`, `storage_unwritable`, and errors from `change`.
   */
  update<R>(change: (data: T) => R): Promise<R>;
  /**
   * Reads the file again if another program has changed it. Returns whether the data has changed. A file that is missing
   * or broken changes nothing. `update` does the same before it saves.
   * @throws PorchlightError `storage_newer`, `storage_migration`, `storage_unreadable`
   */
  refresh(): Promise<boolean>;
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
  const { file, initial, draftOf = structuredClone } = options;
  const adapter = await openDurableFile({ ...options, codec });
  const low = new Low<T>(adapter, allowed(schema, structuredClone(initial), file));
  await low.read();
  let saved = deepFreeze(low.data);
  const queue: Change<T>[] = [];
  let isSaving = false;
  /** Reading the file again and saving it run one at a time. */
  const turn = oneAtATime();

  async function readAgain(beforeSaving: boolean): Promise<boolean> {
    const found = await adapter.changed(beforeSaving);
    if (found === undefined) return false;
    saved = low.data = deepFreeze(found);
    return true;
  }

  const save = coalesced(() => turn(saveAll));

  async function saveAll(): Promise<void> {
    isSaving = true;
    try {
      await readAgain(true);
      await saveChanges();
    } catch (error) {
      for (const { reject } of queue.splice(0)) reject(error);
    } finally {
      isSaving = false;
    }
  }

  async function saveChanges(): Promise<void> {
    const waiting: { done: () => void; reject: (reason: unknown) => void }[] = [];
    for (const { apply, reject } of queue.splice(0)) {
      try {
        const draft = draftOf(low.data);
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
    // Data that is being saved is newer than the file.
    refresh: () => (isSaving || queue.length > 0 ? Promise.resolve(false) : turn(() => readAgain(false))),
  };
}

/**
 * Applies a change that must be final, such as deleting a post or making a post private. When the
 * promise resolves, both the file and its previous version contain the change, so no recovery can undo it.
 * @throws PorchlightError as `update` does.
 */
export async function updateForGood<T, R>(document: Document<T>, change: (data: T) => R): Promise<R> {
  const result = await document.update(change);
  // Save again, so that the previous version of the file contains the change too.
  await document.update(() => undefined);
  return result;
}

function allowed<T>(schema: TSchema, data: T, file: string): T {
  if (isValid(schema, data)) return data;
  const problem = firstProblem(schema, data);
  throw new PorchlightError('storage_invalid', `"${file}" cannot hold this: ${problem}.`, 500);
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
