import type { Random } from '../../fuzz/random.ts';
import type { Change } from './power-log.ts';

/**
 * `strict`: only what was synced survives. `random`: so does a random part of the rest. `all`: everything survives, as
 * if the power had stayed on.
 */
export type PowerMode = 'strict' | 'random' | 'all';

/** A change of a file's content. `number`: its place in the log. */
export interface NumberedEdit {
  readonly number: number;
  readonly edit: Edit;
}

type Edit = Extract<Change, { kind: 'write' | 'truncate' }>;

/** A file's content and what was done to it. `covered`: how many changes of the log its newest sync covers. */
export interface ChangedContent {
  readonly before: (() => Buffer) | undefined;
  readonly edits: readonly NumberedEdit[];
  readonly covered: number;
}

/** Returns the content of a file after the power loss; undefined if it is what it was before the changes. */
export function contentAfter(
  { edits, covered, before }: ChangedContent,
  mode: PowerMode,
  random: Random,
): Buffer | undefined {
  const synced = edits.filter(({ number }) => number < covered).length;
  const more = mode === 'random' ? random.below(edits.length - synced + 1) : 0;
  const kept = mode === 'all' ? edits.length : synced + more;
  const some = edits.slice(0, kept).map(({ edit }) => edit);
  const next = edits[kept]?.edit;
  if (mode === 'random' && next?.kind === 'write') some.push(tornWrite(next, random));
  if (before && some.length === 0) return undefined;
  return some.reduce(edited, before?.() ?? Buffer.alloc(0));
}

/** Returns the part of a write that reached the disk: its beginning, with or without zeros in place of the rest. */
function tornWrite(edit: Extract<Edit, { kind: 'write' }>, random: Random): Edit {
  const start = edit.data.subarray(0, random.below(edit.data.length + 1));
  const isFilled = random.chance(0.5);
  const data = isFilled ? Buffer.concat([start, Buffer.alloc(edit.data.length - start.length)]) : start;
  return { ...edit, data };
}

function edited(content: Buffer, edit: Edit): Buffer {
  const size =
    edit.kind === 'truncate' ? edit.size : Math.max(content.length, edit.offset + edit.data.length);
  const next = Buffer.alloc(size);
  content.copy(next);
  if (edit.kind === 'write') edit.data.copy(next, edit.offset);
  return next;
}
