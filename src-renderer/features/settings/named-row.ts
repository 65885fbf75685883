import type { Settings } from '../../../src-main/contract/settings.ts';

/** A channel, or a place to syndicate to: `uid` is what apps send, `name` what people read (Micropub 3.7). */
export type NamedRow = Settings['micropub']['channels'][number];

/** What is wrong with a row, beside the field it is about. */
export interface RowProblem {
  readonly uid?: string;
  readonly name?: string;
}

/** The rows as they are saved: without the spaces around. */
export function trimmed(rows: readonly NamedRow[]): NamedRow[] {
  return rows.map(({ uid, name }) => ({ uid: uid.trim(), name: name.trim() }));
}

/** What is wrong with each row; empty objects where all is well. */
export function rowProblems(rows: readonly NamedRow[]): RowProblem[] {
  const uids = trimmed(rows).map(({ uid }) => uid);
  return trimmed(rows).map(({ uid, name }, index) => ({
    ...(name === '' && { name: 'Give it a name: apps show it.' }),
    ...(uid === '' && { uid: 'Fill this in: apps send it.' }),
    ...(uid !== '' && uids.indexOf(uid) < index && { uid: 'One above has this already.' }),
  }));
}

/** True where the rows can be saved. */
export function areSound(rows: readonly NamedRow[]): boolean {
  return rowProblems(rows).every(({ uid, name }) => uid === undefined && name === undefined);
}
