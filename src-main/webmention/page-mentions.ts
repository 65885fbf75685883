import { isDeepStrictEqual } from 'node:util';
import type { Kept, NewMention } from './mention-store.ts';
import type { Mention } from './mention.ts';
import { fitted } from './mention-size.ts';
import { byAge } from './mention-order.ts';
import { newMention, renewed } from './moderation.ts';
import type { PageDocument } from './page-document.ts';
import { measurePage, type PageRoom } from './page-room.ts';

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

/**
 * Adds a mention to a page, or brings it up to date. Undefined where the page has no room for it. `fresh`: what a new one
 * gets. `now`: ISO 8601. `most`: the bytes that it may take, where the page has room for more.
 */
export function keepIn(
  page: PageDocument,
  wanted: NewMention,
  {
    room,
    most = Infinity,
    ...fresh
  }: { id: string; wmId: number; now: string; room: PageRoom; most?: number | undefined },
): Change | undefined {
  const before = mentionOf(page, wanted);
  const bytes = Math.min(most, room.roomFor(wanted, before));
  if (before === undefined) {
    const mention = fitted(newMention(wanted, fresh.id, fresh.wmId, fresh.now), bytes);
    if (mention === undefined) return undefined;
    page.mentions.push(mention);
    room.put(mention, undefined);
    return { kept: { mention, outcome: 'added' } };
  }
  const kept = renewed(before, wanted, fresh.now, bytes);
  page.mentions[page.mentions.indexOf(before)] = kept.mention;
  room.put(kept.mention, before);
  return { kept, before };
}

/** What keeping would answer where it changes nothing at all; undefined where it changes something. */
export function alreadyKept(
  page: Page,
  wanted: readonly NewMention[],
  { now, most = Infinity }: { now: string; most?: number | undefined },
): Kept[] | undefined {
  const all: Kept[] = [];
  const room = measurePage(page.mentions);
  for (const one of wanted) {
    const before = mentionOf(page, one);
    const kept = before && renewed(before, one, now, Math.min(most, room.roomFor(one, before)));
    if (kept === undefined || !isDeepStrictEqual(kept.mention, before)) return undefined;
    all.push(kept);
  }
  return all;
}
