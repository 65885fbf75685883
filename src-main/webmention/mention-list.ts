import { matches, mentionMatches } from './mention-filter.ts';
import type { MentionIndex } from './mention-index.ts';
import { byAge, compareSteps, cursorOf, monthOf, stepAt, stepOf, type Step } from './mention-order.ts';
import type { MentionFilter, MentionPage, MentionStore } from './mention-store.ts';
import type { Mention } from './mention.ts';

export interface ListSource {
  index: Pick<MentionIndex, 'months' | 'part' | 'tally'>;
  /** The mention itself; undefined where it cannot be had. */
  get: (id: string) => Promise<Mention | undefined>;
  ofPage: (target: string) => Promise<readonly Mention[]>;
}

/** A page of mentions, newest received first; see MentionStore.list. */
export async function listMentions(
  source: ListSource,
  { limit, cursor, filter = {} }: Parameters<MentionStore['list']>[0],
): Promise<MentionPage> {
  const from = cursor === undefined ? undefined : stepAt(cursor);
  const items: Mention[] = [];
  if (limit < 1) return { items };
  const { target } = filter;
  const found = target === undefined ? everywhere(source, from, filter) : onPage(source, from, target);
  for await (const mention of found) {
    // The document has the last word: the index is derived.
    if (!mentionMatches(mention, filter)) continue;
    const last = items.at(-1);
    if (items.length === limit && last) return { items, nextCursor: cursorOf(stepOf(last)) };
    items.push(mention);
  }
  return { items };
}

async function* onPage(source: ListSource, from: Step | undefined, target: string): AsyncGenerator<Mention> {
  const mentions = (await source.ofPage(target)).toSorted((a, b) => byAge(b, a));
  yield* mentions.filter((mention) => isBeyond(stepOf(mention), from));
}

/** Mentions that may pass the filter, one month after the other as far as they are asked for. */
async function* everywhere(
  { index, get }: ListSource,
  from: Step | undefined,
  filter: MentionFilter,
): AsyncGenerator<Mention> {
  const newest = from && monthOf(from.at);
  for (const month of (await index.months()).reverse()) {
    if (newest !== undefined && month > newest) continue;
    if (!(await mayPass(index, month, filter))) continue;
    const rows = await index.part(month, (part) => part.newestFirst());
    for (const row of rows) {
      if (!isBeyond(row, from) || matches(row, filter) === false) continue;
      const mention = await get(row.id);
      if (mention !== undefined) yield mention;
    }
  }
}

/** Whether a month is worth looking through: few mentions are held, say. */
async function mayPass(index: ListSource['index'], month: string, { type, status }: MentionFilter) {
  if (type === undefined && status === undefined) return true;
  const kinds = [...(await index.tally(month)).keys()].map((kind) => kind.split(' '));
  return kinds.some(([ofType, ofStatus]) => (type ?? ofType) === ofType && (status ?? ofStatus) === ofStatus);
}

const isBeyond = (step: Step, from: Step | undefined) => from === undefined || compareSteps(step, from) < 0;
