import type { Params, Result } from './contract.ts';

/** More are not counted: each would come with its whole text. */
const most = 99;

/** What to ask `webmentions.list` for a `heldCount`. */
export const heldQuestion: Params<'webmentions.list'> = { status: 'held', limit: most };

/** Returns how many mentions of others wait for the owner, as the window shows it: `3`, `99+`; empty where none waits. */
export function heldCount({ items, nextCursor }: Result<'webmentions.list'>): string {
  if (nextCursor !== undefined) return `${most}+`;
  const count = items.filter(({ own }) => own !== true).length;
  return count === 0 ? '' : String(count);
}
