import type { MentionRecord } from '../contract/webmentions.ts';
import { isShown, recordOf } from './mention.ts';
import type { MentionStore } from './mention-store.ts';

/**
 * Returns the mentions that a public page shows: those that are approved and not private, whether their target is the
 * page's http or https URL. Includes only one mention per source.
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
