import { decided, decisionBetween, undone } from '../../src-main/mentions/decisions.ts';
import { keepMention, pageFull, settledKept } from '../../src-main/mentions/keep-mention.ts';
import { draftMentions } from '../../src-main/mentions/mention-draft.ts';
import { mentionIndex, mentionTables } from '../../src-main/mentions/mention-index.ts';
import { mentionPages, type MentionPages } from '../../src-main/mentions/mention-pages.ts';
import { mentionQueries } from '../../src-main/mentions/mention-queries.ts';
import type {
  DecidedAll,
  Kept,
  KeepOptions,
  MentionStore,
  NewMention,
} from '../../src-main/mentions/mention-store.ts';
import { sourceIdentity, type Mention } from '../../src-main/mentions/mention.ts';
import { erased, restored, withStatus } from '../../src-main/mentions/moderation.ts';
import { ownSites } from '../../src-main/mentions/own-sites.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import { inMemory, openIndex } from '../../src-main/storage/index/index-database.ts';

const nobody = ownSites({ base: '', me: null, folderSite: '', hosts: [] });

/** A store of mentions that forgets: the index, without files behind it. It behaves as the one on disk does. */
export function memoryMentions(
  now: () => number = Date.now,
  pages: MentionPages = mentionPages(() => ''),
): MentionStore & { readonly size: number } {
  const index = openIndex(inMemory, [mentionTables]);
  const rows = mentionIndex(index, pages);
  const queries = mentionQueries(index, pages);
  const moment = () => new Date(now()).toISOString();
  let highest = 0;
  let ids = 0;

  function number(wanted: number | undefined): number {
    highest = Math.max(highest + (wanted === undefined ? 1 : 0), wanted ?? 0);
    return wanted ?? highest;
  }

  function keep(wanted: NewMention, options: KeepOptions = {}): Kept | undefined {
    const draft = draftMentions(rows);
    const fresh = { now: moment(), newId: () => `memory-${(ids += 1)}`, number };
    const kept = keepMention(draft, wanted, options, fresh);
    for (const mention of draft.changed()) rows.put('2026/11', mention);
    return kept && settledKept(kept, rows.isLeading(kept.mention.id));
  }

  function change(id: string, next: (before: Mention) => Mention): { before: Mention; after: Mention } {
    const before = rows.get(id);
    if (!before) throw new PorchlightError('not_found', 'This mention no longer exists.', 404);
    const after = next(before);
    if (after !== before) rows.put('2026/11', after);
    return { before, after };
  }

  return {
    get size() {
      return rows.countIn('2026/11');
    },
    keep: (wanted) => {
      const kept = keep(wanted);
      return kept ? Promise.resolve(kept) : Promise.reject(pageFull());
    },
    keepAll: (wanted, options) =>
      Promise.resolve(wanted.map((one) => keep(one, options)).filter((kept) => kept !== undefined)),
    erase: (ids) => Promise.resolve(ids.map((id) => change(id, erased).before)),
    setStatus: async (id, status, by) => {
      await Promise.resolve();
      return change(id, (before) => withStatus(before, status, by, moment())).after;
    },
    restore: async (id) => {
      await Promise.resolve();
      return change(id, (before) => restored(before, moment())).after;
    },
    decideAll: async (ids, decision) => {
      await Promise.resolve();
      const changed: DecidedAll['changed'][number][] = [];
      let refused = 0;
      for (const id of ids) {
        try {
          const { before, after } = change(id, (one) => decided(one, decision, moment()));
          if (after !== before) changed.push({ mention: after, decided: decisionBetween(before, after) });
        } catch {
          refused += 1;
        }
      }
      return { changed, refused };
    },
    undoAll: async (all) => {
      await Promise.resolve();
      return all.flatMap((one) => {
        if (!rows.get(one.id)) return [];
        const { before, after } = change(one.id, (mention) => undone(mention, one));
        return after === before ? [] : [after];
      });
    },
    isSaved: () => true,
    get: (id) => Promise.resolve(rows.get(id)),
    personUrl: (handle) => rows.personUrl(handle),
    find: (source, target) => Promise.resolve(rows.find(source, target)),
    byWmId: (wmId) => Promise.resolve(queries.byWmId(wmId)),
    pageRules: pages,
    addressesChanged: (addresses) => rows.addressesChanged(addresses),
    ofPage: (target) => Promise.resolve(queries.ofPage(pages.pageOf(target))),
    recordsOf: (target) => Promise.resolve(queries.recordsOf(pages.pageOf(target))),
    leader: (mention) => Promise.resolve(rows.leader(mention)),
    neighbours: (mention, limit) => {
      const page = pages.pageOf(mention.target);
      const { facts, ...rest } = mention;
      return Promise.resolve(
        queries.neighbours({ page, type: facts.type, origin: sourceIdentity(rest) }, limit),
      );
    },
    pageIds: () => Promise.resolve(queries.pageIds()),
    wasApproved: (host) => Promise.resolve(queries.wasApproved(host)),
    list: async (page) => {
      await Promise.resolve();
      return queries.list(page);
    },
    spellings: (page) => Promise.resolve(queries.spellings(page)),
    pages: () => Promise.resolve(queries.pages(nobody)),
    counts: () => Promise.resolve(queries.counts(nobody)),
    topPages: (year) => Promise.resolve(queries.topPages(nobody, year)),
    async *all(which = 'every') {
      for (const mention of queries.after(undefined, 1_000_000, which)) yield await Promise.resolve(mention);
    },
    async *importedIds() {
      for (const one of queries.importedAfter(undefined, 1_000_000)) yield await Promise.resolve(one);
    },
    close: () => Promise.resolve(),
  };
}
