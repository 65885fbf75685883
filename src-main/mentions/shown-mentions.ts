import type { MentionRecord } from '../contract/webmentions.ts';
import { isShown, recordOf } from './mention.ts';
import type { MentionStore } from './mention-store.ts';

/**
 * What the public may see of a page, for the page itself: the mentions that are approved and not private, whether they
 * name its address with http or https. One source counts once.
 */
export async function shownMentions(
  store: Pick<MentionStore, 'ofPage'>,
  url: string,
): Promise<MentionRecord[]> {
  const rest = url.replace(/^https?:/, '');
  const found = await Promise.all([`https:${rest}`, `http:${rest}`].map((page) => store.ofPage(page)));
  const bySource = new Map<string, MentionRecord>();
  for (const mention of found.flat())
    if (isShown(mention) && !bySource.has(mention.source)) bySource.set(mention.source, recordOf(mention));
  return [...bySource.values()];
}
