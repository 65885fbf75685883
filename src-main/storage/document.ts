import { Low } from 'lowdb';
import type { Static, TObject } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { coalesced } from './coalesce.ts';
import { documentCodec, type FormatOptions } from './document-format.ts';
import { openedSchema } from './document-shape.ts';
import { openDurableFile, type DurableFileOptions } from './durable-file.ts';
import { firstProblem, isValid } from './schema-check.ts';

export interface DocumentOptions<S extends TObject>
  extends FormatOptions<S>, Omit<DurableFileOptions<Static<S>>, 'codec'> {
  /** The content of a document without a file, and the source of missing keys. */
  initial: Static<S>;
  /**
   * Makes what a change works on, where copying all of a large document would cost too much. It may share parts with
   * the data: those are frozen, so that a change can only replace them.
   */
  draftOf?: (data: Readonly<Static<S>>) => Static<S>;
}

/** One document on disk. */
export interface Document<T> {
  /** What is on disk: never a change that is not saved yet. Frozen, so that only `update` changes it. */
  readonly data: Readonly<T>;
  /**
   * Applies `change` to a copy of the newest data, checks it against the schema and saves it. Resolves with what
   * `change` returned once it is on disk. Changes are applied one after the other; those of a burst share one
   * write. A change is applied at most once, so a decision taken inside it holds.
   *
   * `change` is synchronous; what it puts in must be JSON and is frozen with the rest. Where it throws, or leaves what the schema does not allow, or the
   * write fails, then the promise rejects and the document is as if it had not been asked.
   *
   * @throws PorchlightError `storage_invalid`, `storage_full`, `storage_unwritable`, and what `change` throws.
   */
  update<R>(change: (data: T) => R): Promise<R>;
}

interface Change<T> {
  /** Applies the change; the answer settles it once it is saved. */
  apply: (draft: T) => () => void;
  reject: (reason: unknown) => void;
}

/**
 * Opens the document in `file`, or starts one from `initial`; nothing is written before the first update.
 * Open a file once in a process.
 *
 * @throws PorchlightError `storage_newer`, `storage_migration`, `storage_broken`, `storage_unreadable`,
 * `storage_full`, `storage_unwritable`; the file is then as it was.
 */
export async function openDocument<S extends TObject>(
  options: DocumentOptions<S>,
): Promise<Document<Static<S>>> {
  const { file, initial, draftOf = structuredClone } = options;
  const schema = openedSchema(options.schema);
  const low = new Low<Static<S>>(
    await openDurableFile({ ...options, codec: documentCodec(options) }),
    allowed(schema, structuredClone(initial), file),
  );
  await low.read();
  let saved = deepFreeze(low.data);
  const queue: Change<Static<S>>[] = [];

  const save = coalesced(async () => {
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
  });

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
  };
}

/**
 * Applies a change that ends something: a block, a deletion, a withdrawal. Both the file and its previous version
 * contain it when this resolves, so that no recovery brings back what it ended. @throws PorchlightError as `update` does
 */
export async function updateForGood<T, R>(document: Document<T>, change: (data: T) => R): Promise<R> {
  const result = await document.update(change);
  // The version that was just saved becomes the previous one.
  await document.update(() => undefined);
  return result;
}

function allowed<S extends TObject>(schema: S, data: Static<S>, file: string): Static<S> {
  if (isValid(schema, data)) return data;
  const problem = firstProblem(schema, data);
  throw new PorchlightError('storage_invalid', `"${file}" cannot hold this: ${problem}.`, 500);
}

/** A JSON value has no cycles, and what is frozen was frozen whole. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
