import type { Cell, Row } from '../storage/records/record-table.ts';
import type { MentionPages } from './mention-pages.ts';
import { mentionOfRow } from './mention-table.ts';
import { sourceIdentity, type Mention } from './mention.ts';
import type { PageUse } from './page-room.ts';

/** Runs a query and returns its rows. */
export type ReadRows = (sql: string, ...cells: readonly Cell[]) => Row[];

export type MentionReads = ReturnType<typeof mentionReads>;

/** Creates the queries for individual mentions. `pages`: finds the page of a target. */
export function mentionReads(rows: ReadRows, pages: MentionPages) {
  const one = (sql: string, ...cells: readonly Cell[]): Mention | undefined =>
    rows(sql, ...cells).map(mentionOfRow)[0];

  return {
    pages,
    get: (id: string) => one('SELECT mention FROM mentions WHERE id = ?', id),
    find: (source: string, target: string) =>
      one('SELECT mention FROM mentions WHERE source = ? AND target = ?', source, target),
    /** Returns the mention that represents a mention's source on its page, if there is one. */
    leader: (mention: Pick<Mention, 'source' | 'readAt' | 'target'>) =>
      one(
        'SELECT mention FROM mentions WHERE page = ? AND origin = ? AND leads = 1',
        ...[pages.pageOf(mention.target), sourceIdentity(mention)],
      ),
    /** Returns whether a mention represents its source on its page. */
    isLeading: (id: string): boolean =>
      rows('SELECT leads FROM mentions WHERE id = ?', id)[0]?.['leads'] === 1,
    /** Returns the URL of the author with this handle; undefined if no mention by that author is shown. */
    personUrl: (handle: string) =>
      one('SELECT mention FROM mentions WHERE person = ? AND leads = 1 LIMIT 1', handle)?.facts.author?.url,

    /** Returns how many bytes the mentions of a page use, in total and for one site (see `siteOfSource`). */
    taken(page: string, site: string): PageUse {
      const ofSite = `site ${site}`;
      const sql = 'SELECT party, bytes FROM mention_bytes WHERE page = ? AND party IN (?, ?, ?)';
      const found = rows(sql, page, 'received', 'imported', ofSite);
      const bytes = new Map(found.map((row) => [String(row['party']), Number(row['bytes'])]));
      const of = (party: string) => bytes.get(party) ?? 0;
      return { received: of('received'), imported: of('imported'), ofSite: of(ofSite) };
    },

    /** Returns the highest `wm-id` of all mentions; 0 if there are no mentions. */
    highestNumber: () =>
      Number(rows('SELECT number FROM mentions ORDER BY number DESC LIMIT 1')[0]?.['number'] ?? 0),
    /** Returns the value of a row of mention_state; undefined if there is none. */
    state(name: 'base' | 'words'): string | undefined {
      const [row] = rows('SELECT value FROM mention_state WHERE name = ?', name);
      return row && String(row['value']);
    },
  };
}
