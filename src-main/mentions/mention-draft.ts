import type { MentionIndex } from './mention-index.ts';
import { assertStorable } from './mention-lines.ts';
import { mentionBytes } from './mention-size.ts';
import type { Mention } from './mention.ts';
import { roomFor, type PageUse } from './page-room.ts';
import { siteOfSource } from './source-rank.ts';

export type MentionDraft = ReturnType<typeof draftMentions>;

/**
 * Creates a draft, which collects changes to mentions. Reading from the draft returns a changed mention with its
 * changes, and any other mention from the index.
 */
export function draftMentions(rows: MentionIndex) {
  const byId = new Map<string, Mention>();
  const byPair = new Map<string, Mention>();
  const bytes = new Map<string, number>();

  function add(sign: 1 | -1, { target, source, imported }: Mention, size: number): void {
    const page = rows.pages.pageOf(target);
    for (const party of imported ? ['imported'] : ['received', siteOfSource(source)]) {
      const key = `${party} ${page}`;
      bytes.set(key, (bytes.get(key) ?? 0) + sign * size);
    }
  }

  function takenOn(page: string, site: string): PageUse {
    const before = rows.taken(page, site);
    const more = (party: string) => bytes.get(`${party} ${page}`) ?? 0;
    return {
      received: before.received + more('received'),
      imported: before.imported + more('imported'),
      ofSite: before.ofSite + more(site),
    };
  }

  return {
    get: (id: string) => standing(byId.get(id) ?? rows.get(id)),
    find: (source: string, target: string) =>
      standing(byPair.get(pairOf({ source, target })) ?? rows.find(source, target)),
    /** Returns the mention that represents a mention's source on its page, without the changes in this draft. */
    leader: (mention: Pick<Mention, 'source' | 'readAt' | 'target'>) => rows.leader(mention),
    /** Returns how many bytes a mention may use on its page, if it replaces `before`. */
    roomFor: (mention: Pick<Mention, 'source' | 'target' | 'imported'>, before: Mention | undefined) =>
      roomFor(mention, before, takenOn(rows.pages.pageOf(mention.target), siteOfSource(mention.source))),
    /**
     * Adds a mention, or replaces its previous version.
     * @throws PorchlightError `storage_invalid`
     */
    put(mention: Mention, before: Mention | undefined): void {
      assertStorable(mention);
      byId.delete(mention.id); // moves the mention to the end, because the map is in the order of the last changes
      byId.set(mention.id, mention);
      byPair.set(pairOf(mention), mention);
      if (before) add(-1, before, mentionBytes(before));
      add(1, mention, mentionBytes(mention));
    },
    /** Returns the changed mentions, in order of their last change. */
    changed: () => [...byId.values()],
  };
}

/** Returns a mention unless this draft erases it. */
const standing = (mention: Mention | undefined) => (mention?.erased === true ? undefined : mention);

const pairOf = ({ source, target }: Pick<Mention, 'source' | 'target'>) => `${source} ${target}`;
