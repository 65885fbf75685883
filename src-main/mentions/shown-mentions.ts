import type { MentionRecord } from '../contract/webmentions.ts';
import { isShown, recordOf } from './mention.ts';
import type { MentionStore } from './mention-store.ts';

/**
 * Returns the approved, public mentions whose target is one of `urls`, with http or https. Includes only one mention
 * per source. `urls`: all URLs of the page.
 */
export async function shownMentions(
  store: Pick<MentionStore, 'ofPage'>,
  urls: readonly string[],
): Promise<MentionRecord[]> {
  const rests = urls.map((url) => url.replace(/^https?:/, ''));
  const pages = rests.flatMap((rest) => [`https:${rest}`, `http:${rest}`]);
  const found = await Promise.all(pages.map((page) => store.ofPage(page)));
  const bySource = new Map<string, MentionRecord>();
  for (const mention of found.flat())
    if (isShown(mention) && !bySource.has(mention.source)) bySource.set(mention.source, recordOf(mention));
  return [...bySource.values()];
}
