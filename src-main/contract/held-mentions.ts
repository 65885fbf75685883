import type { Params, Result } from './contract.ts';

/** More are not counted: each would come with its whole text. */
const most = 99;

/** What to ask `webmentions.list` for a `heldCount`. */
export const heldQuestion: Params<'webmentions.list'> = { status: 'held', limit: most };

/** How many mentions are held for the owner, as it is shown: `3`, `99+`; empty where none is. */
export function heldCount({ items, nextCursor }: Result<'webmentions.list'>): string {
  if (items.length === 0) return '';
  return nextCursor === undefined ? String(items.length) : `${most}+`;
}
