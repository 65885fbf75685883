import type { MentionRecord } from '../contract/webmentions.ts';
import { recordOf } from './mention-record.ts';
import type { MentionStore } from './mention-store.ts';
import { isShown, type Mention, sourceIdentity } from './mention.ts';

/** Returns the approved, public mentions of a page. `page`: its id, or any of its URLs. */
export async function shownMentions(
  store: Pick<MentionStore, 'ofPage'>,
  page: string,
): Promise<MentionRecord[]> {
  return (await store.ofPage(page)).filter(isShown).map(recordOf);
}

/**
 * Returns whether everybody may learn that URLs belong to the same page. That is not so if the page's post isn't public,
 * because the post may have moved since it was. `page`: the id of the page.
 */
export type MayDisclose = (page: string) => Promise<boolean>;

/**
 * Returns the mentions that everybody may see at a target, some of which may not be shown (see isShown). These are the
 * mentions of the target's page, one for each source. For a target with a fragment, these are only the mentions of
 * exactly that target. `page`: the id of the target's page, if it differs from the target in upper and lower case.
 */
export async function mentionsAt(
  store: Pick<MentionStore, 'ofPage' | 'recordsOf' | 'pageRules'>,
  mayDisclose: MayDisclose,
  target: string,
  page = store.pageRules.pageOf(target),
): Promise<readonly Mention[]> {
  const mentions = await store.ofPage(page);
  if (target.includes('#')) {
    const shown = new Set(mentions.filter(isShown).map(sourceIdentity));
    const records = await store.recordsOf(page);
    return records.filter((one) => isEqual(one.target, target) && shown.has(sourceIdentity(one)));
  }
  if (await mayDisclose(page)) return mentions;
  const { addressOf } = store.pageRules;
  return mentions.filter((one) => isEqual(addressOf(one.target), addressOf(target)));
}

/** Ignores case, as webmention.io does (PROTOCOLS 8.2). */
const isEqual = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
