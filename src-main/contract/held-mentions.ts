import type { Params, Result } from './contract.ts';

/** The highest exact count. To count further, the window would have to load the full text of every mention. */
const most = 99;

/** The parameters of the `webmentions.list` call whose result `heldCount` takes. */
export const heldQuestion: Params<'webmentions.list'> = { status: 'held', limit: most };

/** Returns how many mentions from other people await approval, as text: `3` or `99+`; empty if none do. */
export function heldCount({ items, nextCursor }: Result<'webmentions.list'>): string {
  if (nextCursor !== undefined) return `${most}+`;
  const count = items.filter(({ own }) => own !== true).length;
  return count === 0 ? '' : String(count);
}
