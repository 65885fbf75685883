import type { MentionRecord } from '../contract/webmentions.ts';
import { recordOf, type Mention } from './mention.ts';
import type { OwnSites } from './own-sites.ts';

/**
 * Returns a mention's record for the owner's window. In addition to the fields from `recordOf`, the record says whether
 * the mention is the owner's own. Until the owner decides about the mention, the record also says why the mention was
 * shown or held.
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
