import type { MentionStatus } from '../contract/webmentions.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';
import type { Mention } from './mention.ts';

/** Returns the site that a source belongs to. On each page, the mentions from one site share one size limit. */
export const siteOfSource = (source: string): string =>
  URL.canParse(source) ? siteOfHost(hostOf(new URL(source))) : source;

/**
 * The order in which the mentions from one source of a page represent that source. What the owner decided comes first.
 * So a source that the owner deleted or hid stays away, whichever spelling of the page it links to.
 */
const order: Readonly<Record<MentionStatus, number>> = {
  deleted: 0,
  hidden: 1,
  approved: 3,
  held: 4,
  removed: 5,
};
const heldByOwner = 2;

const hostIn = (url: string): string => (URL.canParse(url) ? hostOf(new URL(url)) : url);

/**
 * Returns the rank of a mention among the mentions from the same source on the same page. The mention with the lowest
 * rank represents the source: only that one is shown and counted. Of several with that rank, it is the one that was
 * verified last.
 *
 * A source that redirects to another host comes last, so that nobody can influence the mentions of another host by
 * redirecting to it.
 */
export function rankForSource({ status, chosen, source, readAt = source }: Mention): number {
  const rank = status === 'held' && chosen ? heldByOwner : order[status];
  if (readAt === source) return 10 * rank;
  return (hostIn(readAt) === hostIn(source) ? 1 : 101) + 10 * rank;
}
