import { PorchlightError } from '../contract/error.ts';
import type { Codec, Decoded } from './document-format.ts';
import { nodeOperations } from './file-operations.ts';
import { lineAppender } from './line-appender.ts';
import { lastLineEnd, readLines, replaceLines } from './line-file.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { keepAside, type RecoveryOptions } from './recovery.ts';
import { reportingUnreadable } from './unreadable-files.ts';
import { jsonIn } from './json-value.ts';

/**
 * Opens a journal: a file of JSON lines that is the only copy of its entries. Each line states its own format, so
 * formats can be mixed. The file stays open between writes. Adding an entry writes one line, however long the journal
 * is. `size`: the size of the file's complete lines, in bytes; 0 if there is no file. The first write removes an
 * incomplete line at the end of the file, left by a failed write or a killed process. Open each journal only once per
 * process.
 */
export function openJournal<T>(file: string, codec: Codec<T>, size: number) {
  const turn = oneAtATime();
  let appender = lineAppender(file);
  let wasChanged = false;
  /** The entries that share the next write. */
  let batch: { readonly texts: string[]; readonly saved: Promise<void> } | undefined;

  const textOf = (entries: readonly T[]) =>
    entries.map((entry) => `${JSON.stringify(codec.encode(entry))}\n`).join('');

  async function add(text: string): Promise<void> {
    try {
      ({ size } = await appender.append(size, text));
    } catch (error) {
      if (!(error instanceof PorchlightError && error.code === 'storage_changed')) throw error;
      wasChanged = true;
      // If the end of the file can't be found, opening the file for writing fails too, with a more useful error.
      const end = await lastLineEnd(file).catch(() => size);
      ({ size } = await appender.append(end, text));
    }
  }

  function newBatch() {
    const texts: string[] = [];
    const saved = turn(() => {
      if (batch?.texts === texts) batch = undefined;
      return add(texts.join(''));
    });
    return { texts, saved };
  }

  return {
    /** The size of the lines that were written successfully, in bytes. */
    get size() {
      return size;
    },
    /**
     * False if the file may contain other entries than those written successfully, because a write failed or another
     * program changed the file. In that case, a caller that knows all entries should call `rewrite`.
     */
    get isClean() {
      return appender.isClean && !wasChanged;
    },
    /**
     * Appends entries. Resolves once they are on disk. Calls during a write share the next write and its fsync.
     * @throws PorchlightError `storage_full`, `storage_unwritable`, `storage_busy`, `storage_gone`, `storage_changed`.
     * In these cases, the entries are not in the file, or the next write removes them.
     */
    append(entries: readonly T[]): Promise<void> {
      batch ??= newBatch();
      batch.texts.push(textOf(entries));
      return batch.saved;
    },
    /**
     * Waits for earlier writes, then replaces all entries with those that `all` returns.
     * @throws PorchlightError as append does, and errors from `all`. In these cases, the old file is usually unchanged.
     */
    rewrite(all: () => readonly T[] | Promise<readonly T[]>): Promise<void> {
      batch = undefined; // later entries go into a new batch, which is written after this rewrite
      return turn(async () => {
        const text = textOf(await all());
        await appender.close();
        ({ size } = await replaceLines(file, (temporary) => nodeOperations.write(temporary, text)));
        appender = lineAppender(file);
        wasChanged = false;
      });
    },
    /** Closes the file after the current writes. A later write opens it again. */
    close: () => turn(() => appender.close()),
  };
}

/**
 * Reads a journal without changing it. `entries`: the readable entries, in the order of the file. `unread`: how many
 * lines were invalid, completely or in part. `size`: the size of the complete lines, in bytes. A last line without a
 * line break is ignored.
 * @throws PorchlightError `storage_newer`, `storage_migration`, `storage_unreadable`, `storage_busy`
 */
export const readContent = <T>(file: string, codec: Codec<T>) =>
  reportingUnreadable(file, async () => {
    const entries: T[] = [];
    let [unread, size] = [0, 0];
    for await (const lines of readLines(file))
      for (const { text, end } of lines) {
        size = end;
        if (text === '') continue;
        const decoded = entryIn(text, codec, file);
        if ('data' in decoded) entries.push(decoded.data);
        if ('broken' in decoded || (decoded.lost ?? []).length > 0) unread += 1;
      }
    return { entries, unread, size };
  });

/**
 * Parses a line of a journal. `file`: for error messages.
 * @throws PorchlightError `storage_newer`, `storage_migration`
 */
function entryIn<T>(text: string, codec: Codec<T>, file: string): Decoded<T> {
  return codec.decode(jsonIn(text), file);
}

/**
 * Keeps a copy of a journal with unreadable lines, and notifies the owner. The caller then rewrites the journal.
 * @throws PorchlightError `storage_broken` if `onRecovered` is absent. Also throws if writing the copy fails.
 */
export async function keepDamaged(
  file: string,
  { onRecovered, now }: Pick<RecoveryOptions<unknown>, 'onRecovered' | 'now'>,
): Promise<void> {
  if (onRecovered === undefined)
    throw new PorchlightError('storage_broken', `"${file}" has lines that cannot be read.`, 500);
  const movedTo = await keepAside(file, { operations: nodeOperations, now });
  await onRecovered({ file, movedTo, recoveredFrom: 'rest' });
}
