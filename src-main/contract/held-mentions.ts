import type { Params, Result } from './contract.ts';

/**
 * The highest count that is shown as an exact number. For a higher count, the window would have to load the full text
 * of every mention.
 */
const most = 99;

/**
 * The parameters of the `webmentions.list` call that lists held mentions. Pass the result of that call to `heldCount`.
 */
export const heldQuestion: Params<'webmentions.list'> = { status: 'held', limit: most };

/**
 * Returns the number of mentions from other people that await approval, as text: `3` or `99+`. Returns an empty string
 * if there are none.
 */
export function heldCount({ items, nextCursor }: Result<'webmentions.list'>): string {
  if (nextCursor !== undefined) return `${most}+`;
  const count = items.filter(({ own }) => own !== true).length;
  return count === 0 ? '' : String(count);
}
