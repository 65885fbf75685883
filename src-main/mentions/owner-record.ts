import type { MentionRecord } from '../contract/webmentions.ts';
import { recordOf, type Mention } from './mention.ts';
import type { OwnSites } from './own-sites.ts';

/**
 * Returns a mention as the owner's window gets it: with whether it is the owner's own, and why it was shown or held.
 * Once the owner has decided, that reason is left out. The public gets `recordOf`, which contains neither.
 */
export function ownerRecordOf(mention: Mention, own: OwnSites): MentionRecord {
  const { chosen, admission, source, status } = mention;
  const stillHolds = !chosen && (status === 'approved' || status === 'held');
  return {
    ...recordOf(mention),
    ...(own.has(source) && { own: true }),
    ...(admission !== undefined && stillHolds && { admission }),
  };
}
