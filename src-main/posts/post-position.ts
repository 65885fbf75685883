import { PorchlightError } from '../contract/error.ts';

/** Returns a time (ms) as text that sorts chronologically, even for times before 1970. */
export const sortable = (at: number): string =>
  at < 0 ? `a${String(8.64e15 + at).padStart(16, '0')}` : `b${String(at).padStart(16, '0')}`;

/** Returns an opaque cursor for a position in a list. The cursor stays valid while posts are added and removed. */
export const encodedCursor = (position: string): string => Buffer.from(position).toString('base64url');

/**
 * Returns the position in a cursor.
 * @throws PorchlightError `invalid_request`
 */
export function positionOf(cursor: string): string {
  const position = Buffer.from(cursor, 'base64url').toString('utf8');
  if (/^[ab]\d{16} \d{4}\/\d{2} \S{1,200}$/.test(position)) return position;
  throw new PorchlightError(
    'invalid_request',
    'This cursor is not valid. Load the list again from its start.',
  );
}
