import { randomUUID } from 'node:crypto';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { MentionedPage, MentionType } from '../../src-main/contract/webmentions.ts';
import { decided, decisionBetween, undone } from '../../src-main/webmention/decisions.ts';
import { mentionMatches } from '../../src-main/webmention/mention-filter.ts';
import { lastMentionedFirst, mentionedPage } from '../../src-main/webmention/mention-index-pages.ts';
import { byAge, compareSteps, cursorOf, stepAt, stepOf } from '../../src-main/webmention/mention-order.ts';
import { pageOfTarget, type Mention } from '../../src-main/webmention/mention.ts';
import type { DecidedAll, Kept, MentionStore, NewMention } from '../../src-main/webmention/mention-store.ts';
import { asJson } from '../../src-main/webmention/page-mentions.ts';
import { newMention, renewed, restored, withStatus } from '../../src-main/webmention/moderation.ts';

/** A store of mentions that forgets; it behaves as the one on disk does. */
export function memoryMentions(now: () => number = Date.now): MentionStore & { readonly size: number } {
  const mentions = new Map<string, Mention>();
  let wmIds = 0;
  const moment = () => new Date(now()).toISOString();

  const inOrder = () => [...mentions.values()].sort(byAge);
  const found = (source: string, target: string) =>
    [...mentions.values()].find((one) => one.source === source && one.target === target);

  function keep(given: NewMention): Kept {
    const wanted = asJson(given);
    const before = found(wanted.source, wanted.target);
    if (before) {
      const kept = renewed(before, wanted, moment());
      wmIds = Math.max(wmIds, wanted.wmId ?? 0);
      mentions.set(before.id, kept.mention);
      return kept;
    }
    wmIds = Math.max(wmIds + 1, wanted.wmId ?? 0);
    const mention = newMention(wanted, randomUUID(), wanted.wmId ?? wmIds, moment());
    mentions.set(mention.id, mention);
    return { mention, outcome: 'added' };
  }

  function change(id: string, next: (before: Mention) => Mention): Mention {
    const before = mentions.get(id);
    if (!before) throw new PorchlightError('not_found', 'This mention no longer exists.', 404);
    const mention = next(before);
    mentions.set(id, mention);
    return mention;
  }

  return {
    get size() {
      return mentions.size;
    },
    keep: (wanted) => Promise.resolve(keep(wanted)),
    keepAll: (wanted) => Promise.resolve(wanted.map(keep)),
    get: (id) => Promise.resolve(mentions.get(id)),
    find: (source, target) => Promise.resolve(found(source, target)),
    byWmId: (wmId) =>
      Promise.resolve([...mentions.values()].find((one) => one.imported && one.wmId === wmId)),
    setStatus: async (id, status, by) => {
      await Promise.resolve();
      return change(id, (before) => withStatus(before, status, by, moment()));
    },
    restore: async (id) => {
      await Promise.resolve();
      return change(id, (before) => restored(before, moment()));
    },
    decideAll: async (ids, decision) => {
      await Promise.resolve();
      const changed: DecidedAll['changed'][number][] = [];
      let refused = 0;
      for (const id of ids) {
        const before = mentions.get(id);
        try {
          const mention = change(id, (one) => decided(one, decision, moment()));
          if (before && mention !== before)
            changed.push({ mention, decided: decisionBetween(before, mention) });
        } catch {
          refused += 1;
        }
      }
      return { changed, refused };
    },
    undoAll: async (all) => {
      await Promise.resolve();
      return all.flatMap((one) => {
        const before = mentions.get(one.id);
        const mention = before && undone(before, one);
        if (!mention || mention === before) return [];
        mentions.set(one.id, mention);
        return [mention];
      });
    },
    ofPage: (target) =>
      Promise.resolve(inOrder().filter((one) => pageOfTarget(one.target) === pageOfTarget(target))),
    wasApproved: (host) =>
      Promise.resolve(
        inOrder().some(
          ({ source, status, chosen }) =>
            chosen && status === 'approved' && URL.canParse(source) && new URL(source).host === host,
        ),
      ),
    list: async ({ limit, cursor, filter = {} }) => {
      await Promise.resolve();
      const from = cursor === undefined ? undefined : stepAt(cursor);
      const all = inOrder()
        .reverse()
        .filter((one) => from === undefined || compareSteps(stepOf(one), from) < 0)
        .filter((one) => mentionMatches(one, filter));
      const items = all.slice(0, limit);
      const last = items.at(-1);
      const more = last !== undefined && items.length < all.length;
      return { items, ...(more && { nextCursor: cursorOf(stepOf(last)) }) };
    },
    pages: () => Promise.resolve(pagesOf(inOrder())),
    counts: () => Promise.resolve(countsOf(inOrder())),
    topPages: () => Promise.resolve([]),
    async *all() {
      for (const mention of inOrder()) yield await Promise.resolve(mention);
    },
    async *importedIds() {
      for (const { imported, wmId, id } of inOrder().sort((a, b) => a.wmId - b.wmId))
        if (imported) yield await Promise.resolve({ wmId, id });
    },
  };
}

function pagesOf(mentions: readonly Mention[]): MentionedPage[] {
  const pages = new Set(mentions.map(({ target }) => pageOfTarget(target)));
  const ofPage = (page: string) => mentions.filter(({ target }) => pageOfTarget(target) === page);
  return [...pages].flatMap((page) => mentionedPage(page, ofPage(page)) ?? []).sort(lastMentionedFirst);
}

function countsOf(mentions: readonly Mention[]) {
  const months = new Map<string, Partial<Record<MentionType, number>>>();
  for (const { received, status, facts } of mentions) {
    if (status !== 'approved') continue;
    const month = received.slice(0, 7);
    const types = months.get(month) ?? {};
    months.set(month, { ...types, [facts.type]: (types[facts.type] ?? 0) + 1 });
  }
  return [...months].map(([month, types]) => ({ month, types }));
}
