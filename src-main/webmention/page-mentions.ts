import { isDeepStrictEqual } from 'node:util';
import type { Kept, NewMention } from './mention-store.ts';
import type { Mention } from './mention.ts';
import { byAge } from './mention-order.ts';
import { newMention, renewed } from './moderation.ts';
import type { PageDocument } from './page-document.ts';

type Page = Readonly<PageDocument>;

/** A source mentions a target once: both as they were given, fragment included. */
export function mentionOf({ mentions }: Page, { source, target }: Pick<Mention, 'source' | 'target'>) {
  return mentions.find((one) => one.source === source && one.target === target);
}

const mentionsById = new WeakMap<Page, Map<string, Mention>>();

/** The mention with an identifier. What a page holds is frozen, so that it is sorted once. */
export function mentionById(page: Page, id: string): Mention | undefined {
  let mentions = mentionsById.get(page);
  if (mentions === undefined) {
    mentions = new Map(page.mentions.map((one) => [one.id, one]));
    mentionsById.set(page, mentions);
  }
  return mentions.get(id);
}

const sortedMentions = new WeakMap<Page, readonly Mention[]>();

/** The mentions of a page, oldest received first: the same array as long as the page is the same. */
export function mentionsByAge(page: Page): readonly Mention[] {
  const sorted = sortedMentions.get(page) ?? page.mentions.toSorted(byAge);
  sortedMentions.set(page, sorted);
  return sorted;
}

/** As a document gives it back: a property that is undefined is not there. */
export const asJson = (mention: NewMention) => JSON.parse(JSON.stringify(mention)) as NewMention;

/** What came of keeping, with the mention as it was before, where it was there. */
export interface Change {
  readonly kept: Kept;
  readonly before?: Mention | undefined;
}

/** Adds a mention to a page, or brings it up to date. `fresh`: what a new one gets. `now`: ISO 8601. */
export function keepIn(
  page: PageDocument,
  wanted: NewMention,
  fresh: { id: string; wmId: number; now: string },
): Change {
  const before = mentionOf(page, wanted);
  if (before === undefined) {
    const mention = newMention(wanted, fresh.id, fresh.wmId, fresh.now);
    page.mentions.push(mention);
    return { kept: { mention, outcome: 'added' } };
  }
  const kept = renewed(before, wanted, fresh.now);
  page.mentions[page.mentions.indexOf(before)] = kept.mention;
  return { kept, before };
}

/** What keeping would answer where it changes nothing at all; undefined where it changes something. */
export function alreadyKept(page: Page, wanted: readonly NewMention[], now: string): Kept[] | undefined {
  const all: Kept[] = [];
  for (const one of wanted) {
    const before = mentionOf(page, one);
    const kept = before && renewed(before, one, now);
    if (kept === undefined || !isDeepStrictEqual(kept.mention, before)) return undefined;
    all.push(kept);
  }
  return all;
}
