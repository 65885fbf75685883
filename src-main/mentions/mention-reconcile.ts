import { setImmediate } from 'node:timers/promises';
import { PorchlightError } from '../contract/error.ts';
import type { Log } from '../platform/log.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import {
  appendLines,
  lineFileState,
  noLines,
  pickLines,
  readLines,
  type Line,
  type LineFileState,
} from '../storage/line-file.ts';
import { keepAside, type Recovery } from '../storage/recovery.ts';
import type { IndexedFile, MentionIndex } from './mention-index.ts';
import { inDoubt, lineOf, mentionIn, monthFile, monthsIn } from './mention-lines.ts';

interface Reconciling {
  readonly dir: string;
  readonly rows: MentionIndex;
  readonly index: Pick<IndexDatabase, 'together'>;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
  readonly signal: AbortSignal;
}

/** How many lines are read before other work may run. */
const batch = 50;

/**
 * Makes the index agree with the files: reads the lines added to known files, and the whole of new or replaced files.
 * Returns the months that can't currently be read, each with its error; the index keeps the previous state of their
 * mentions.
 */
export async function reconcileMentions(work: Reconciling): Promise<Map<string, unknown>> {
  const { dir, rows, log, signal } = work;
  const unusable = new Map<string, unknown>();
  const months = await monthsIn(dir);
  for (const month of [...new Set([...rows.files(), ...months])].sort()) {
    signal.throwIfAborted();
    try {
      await reconcileMonth(month, work);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, month }, 'the mentions of a month could not be read');
      unusable.set(month, error);
    }
  }
  return unusable;
}

async function reconcileMonth(month: string, work: Reconciling): Promise<void> {
  const { dir, rows } = work;
  const file = monthFile(dir, month);
  const state = await lineFileState(file);
  const known = rows.indexed(month);
  if (known && isSame(known, state)) return;
  const goesOn = known !== undefined && known.inode === state.inode && known.size < state.size;
  if (!goesOn) await forget(month, work);
  if (state.inode === noLines.inode) {
    rows.removeFile(month);
    return;
  }
  const begin: IndexedFile = goesOn ? known : { ...state, size: 0, lines: 0 };
  const found = await readOn(month, begin, state, work);
  if (found.numbers.size > 0) await mend(month, found, work);
}

const isSame = (known: IndexedFile, { size, inode, changed }: LineFileState) =>
  known.size === size && known.inode === inode && known.changed === changed;

async function forget(month: string, { rows, signal }: Reconciling): Promise<void> {
  // Marks the file as not indexed first, because the process may be killed while the mentions are being removed.
  rows.setIndexed(month, { ...noLines, lines: 0 });
  while (rows.forget(month, batch)) {
    await setImmediate();
    signal.throwIfAborted();
  }
}

/** The result of reading a file. */
interface Found {
  lines: number;
  /** The numbers of the unusable lines. */
  readonly numbers: Set<number>;
  /** The ids of the mentions that the unusable lines were about. */
  readonly ids: Set<string>;
}

async function readOn(
  month: string,
  begin: IndexedFile,
  state: LineFileState,
  work: Reconciling,
): Promise<Found> {
  const { dir, index, rows, signal } = work;
  const file = monthFile(dir, month);
  const found: Found = { lines: begin.lines, numbers: new Set(), ids: new Set() };
  for await (const lines of readLines(file, begin.size))
    for (let start = 0; start < lines.length; start += batch) {
      const some = lines.slice(start, start + batch);
      index.together(() => {
        for (const line of some) readLine(line);
        note(some.at(-1)?.end ?? begin.size);
      });
      await setImmediate();
      signal.throwIfAborted();
    }
  if (found.lines === begin.lines) note(begin.size);
  return found;

  /**
   * Records how far the file has been indexed. A file with unusable lines counts as not indexed until it is repaired.
   */
  function note(size: number): void {
    const isWhole = found.numbers.size === 0;
    rows.setIndexed(month, isWhole ? { ...state, size, lines: found.lines } : { ...noLines, lines: 0 });
  }

  function readLine({ text }: Line): void {
    const number = found.lines++;
    if (text === '') return;
    const line = mentionIn(text, file);
    if (line.mention) rows.put(month, line.mention);
    if (!line.isDamaged) return;
    found.numbers.add(number);
    const before = line.id === undefined ? undefined : rows.get(line.id);
    if (!before) return;
    found.ids.add(before.id);
    if (!line.mention) rows.put(month, inDoubt(before));
  }
}

/**
 * Keeps a copy of the file, and replaces its unusable lines with the indexed versions of the mentions they were about.
 */
async function mend(month: string, found: Found, work: Reconciling): Promise<void> {
  const { dir, rows, onRecovered, now } = work;
  const file = monthFile(dir, month);
  if (onRecovered === undefined)
    throw new PorchlightError('storage_broken', `"${file}" has lines that cannot be read.`, 500);
  const movedTo = await keepAside(file, { operations: nodeOperations, now: () => new Date(now()) });
  await onRecovered({ file, movedTo, recoveredFrom: 'rest' });
  const { size } = await pickLines(file, (number) => !found.numbers.has(number));
  const mended = [...found.ids].map((id) => rows.get(id)).filter((mention) => mention !== undefined);
  const state = await appendLines(file, size, mended.map(lineOf).join(''));
  const lines = found.lines - found.numbers.size + mended.length;
  rows.setIndexed(month, { ...state, lines });
}
