import type { MentionRecord } from '../contract/webmentions.ts';
import { cleanFacts } from './clean-facts.ts';
import { isTakenBack, linkProperty, type Mention, type SourceFacts, sourceUrl } from './mention.ts';

const cleaned = new WeakMap<SourceFacts, SourceFacts>();

/**
 * Returns what a mention says, cleaned once more: the last door before anybody else gets it. What was cleaned when it was
 * stored comes back the same.
 */
export function factsToShow({ facts, source }: Pick<Mention, 'facts' | 'source'>): SourceFacts {
  const known = cleaned.get(facts);
  if (known) return known;
  const clean = cleanFacts(facts, source);
  cleaned.set(facts, clean);
  return clean;
}

/** Returns a mention in the form that the project's own API and the window use. */
export function recordOf(mention: Mention): MentionRecord {
  const { wmId, private: isPrivate } = mention;
  const { type, property, ...said } = factsToShow(mention);
  const { id, source, target, received, parsed, status, imported } = mention;
  return {
    id,
    source,
    target,
    type,
    received,
    parsed,
    ...said,
    ...(said.url !== undefined && { url: sourceUrl(said.url, { source, target }) }),
    [linkProperty(property)]: target,
    ...(imported && { 'wm-id': wmId }),
    ...(isPrivate !== undefined && { private: isPrivate }),
    status,
    ...(status === 'removed' && { removedBy: isTakenBack(mention) ? 'source' : 'aggregator' }),
  };
}
