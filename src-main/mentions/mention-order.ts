import { PorchlightError } from '../contract/error.ts';
import type { Mention } from './mention.ts';

/** A mention's position in the order of all mentions: by the time it was received (ms), then by its identifier. */
export interface MentionPlace {
  readonly at: number;
  readonly id: string;
}

export const stepOf = ({ received, id }: Pick<Mention, 'received' | 'id'>): MentionPlace => ({
  at: Date.parse(received),
  id,
});

export const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Returns an opaque cursor for a position in the order. The cursor stays valid when mentions are added or removed. */
export const mentionCursor = ({ at, id }: MentionPlace) => Buffer.from(`${at} ${id}`).toString('base64url');

/**
 * Reads a cursor.
 * @throws PorchlightError `invalid_request` if the cursor is invalid.
 */
export function stepAt(cursor: string): MentionPlace {
  const [, at, id] =
    /^(-?\d{1,15}) (\S{1,128})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (at === undefined || id === undefined) {
    throw new PorchlightError(
      'invalid_request',
      'This cursor is not valid. Load the list again from its start.',
    );
  }
  return { at: Number(at), id };
}
