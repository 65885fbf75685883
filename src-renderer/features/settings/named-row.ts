import { hasBridgyFed } from '../../../src-main/contract/posts.ts';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { rowsWords } from './publishing-words.ts';

/** A channel or a cross-posting target: `uid` is what apps send, `name` what people read (Micropub 3.7). */
export type NamedRow = Settings['micropub']['channels'][number];

/** Returns whether a target is Bridgy Fed, which has a part of the page of its own (see bridge.tsx). */
export const isBridge = (row: NamedRow): boolean => hasBridgyFed([row]);

/** The problems of a row, each for the field that it is about. */
export interface RowProblem {
  readonly uid?: string;
  readonly name?: string;
}

/** Returns the rows as they are saved, without surrounding spaces. */
export function trimmed(rows: readonly NamedRow[]): NamedRow[] {
  return rows.map(({ uid, name }) => ({ uid: uid.trim(), name: name.trim() }));
}

/** Returns the problems of each row; an empty object for a row without any. */
export function rowProblems(rows: readonly NamedRow[]): RowProblem[] {
  const uids = trimmed(rows).map(({ uid }) => uid);
  return trimmed(rows).map(({ uid, name }, index) => ({
    ...(name === '' && { name: rowsWords.nameMissing }),
    ...(uid === '' && { uid: rowsWords.uidMissing }),
    ...(uid !== '' && uids.indexOf(uid) < index && { uid: rowsWords.uidTaken }),
  }));
}

/** Returns whether the rows can be saved. */
export function areSound(rows: readonly NamedRow[]): boolean {
  return rowProblems(rows).every(({ uid, name }) => uid === undefined && name === undefined);
}
