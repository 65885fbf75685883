import { PorchlightError } from '../contract/error.ts';
import type { MentionType } from '../contract/mention-types.ts';
import type { MentionedPage, MentionStatus } from '../contract/webmentions.ts';
import { containing } from '../storage/search-text.ts';
import type { Cell, Row } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import type { MentionFilter, MentionPage, MentionPages, MentionStore } from './mention-store.ts';
import { mentionOfRow } from './mention-table.ts';
import type { Mention } from './mention.ts';
import type { OwnSites } from './own-sites.ts';

/** The maximum number of pages that `topPages` returns, which is more than the window shows. */
const mostTopPages = 10;

/**
 * Creates the queries that read many mentions. MentionStore describes the results. Unless stated
 * otherwise, they return only one mention from each source of a page (`leads`; see rankForSource).
 */
export function mentionQueries(records: Pick<Records, 'rows'>, { urlOf }: MentionPages) {
  /**
   * Returns the mentions from the owner's own sites, to be subtracted from `mention_counts`. Others wrote the imported
   * comments.
   */
  function ownMentions(own: OwnSites): Counted[] {
    const hosts = [...own.hosts];
    const places = hosts.map(() => '?').join(', ');
    const sql = `SELECT page, substr(received, 1, 7) AS month, at, type, status, source, 1 AS n FROM mentions
      WHERE leads = 1 AND host IN (${places}) AND json_extract(mention, '$.comment') IS NULL`;
    return records
      .rows((row) => ({ ...counted(row), source: String(row['source']) }), sql, ...hosts)
      .filter(({ source }) => own.has(source));
  }

  return {
    list({ limit, cursor, filter = {} }: Parameters<MentionStore['list']>[0]): MentionPage {
      const from = cursor === undefined ? undefined : stepAt(cursor);
      if (limit < 1) return { items: [] };
      const { conditions, cells } = conditionsOf(filter);
      if (from) {
        conditions.push('(at, id) < (?, ?)');
        cells.push(from.at, from.id);
      }
      const sql = `SELECT id, mention FROM mentions WHERE ${conditions.join(' AND ')} ORDER BY at DESC, id DESC LIMIT ?`;
      const found = records.rows(mentionOfRow, sql, ...cells, limit + 1);
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return { items, ...(found.length > limit && last && { nextCursor: mentionCursor(stepOf(last)) }) };
    },

    /** Returns the mentions of a page in the order in which they were received. */
    ofPage: (page: string) =>
      records.rows(
        mentionOfRow,
        'SELECT id, mention FROM mentions WHERE page = ? AND leads = 1 ORDER BY at, id',
        page,
      ),

    /** Returns every mention of a page, however many spellings a source links to, in the same order. */
    recordsOf: (page: string) =>
      records.rows(mentionOfRow, 'SELECT id, mention FROM mentions WHERE page = ? ORDER BY at, id', page),

    /**
     * Returns up to `limit` other mentions of the same type from the same host on the same page, if they represent
     * their sources.
     */
    neighbours: (
      { page, type, origin }: { page: string; type: MentionType; origin: string },
      limit: number,
    ) => {
      const host = /^\/\/[^/?#]*\//.exec(origin)?.[0] ?? origin;
      const sql = `SELECT id, mention FROM mentions WHERE page = ? AND origin >= ? AND origin < ? AND origin <> ?
        AND leads = 1 AND type = ? AND status IN ('approved', 'held') ORDER BY origin LIMIT ?`;
      return records.rows(mentionOfRow, sql, page, host, `${host}\u{10ffff}`, origin, type, limit);
    },

    /** Returns the ids of the mentioned pages, the most recently mentioned first. */
    pageIds: () =>
      records.rows(
        ({ page }) => String(page),
        'SELECT page FROM mentions WHERE leads = 1 GROUP BY page ORDER BY max(at) DESC, page',
      ),

    /** Returns the ids of the mentioned pages that equal `page` except for upper and lower case. */
    spellings: (page: string) =>
      records.rows(
        ({ page: spelling }) => String(spelling),
        'SELECT DISTINCT page FROM mention_counts WHERE lower(page) = lower(?)',
        page,
      ),

    byWmId: (wmId: number): Mention | undefined =>
      records.rows(
        mentionOfRow,
        'SELECT id, mention FROM mentions WHERE number = ? AND imported = 1',
        wmId,
      )[0],

    wasApproved(host: string, author: string) {
      const sql = `SELECT 1 FROM mentions WHERE host = ? AND author = ? AND chosen = 1 AND status = 'approved' LIMIT 1`;
      return records.rows(() => true, sql, host, author).length > 0;
    },

    pages(own: OwnSites): MentionedPage[] {
      const pages = new Map<string, { types: Counts<MentionType>; statuses: Counts<MentionStatus> }>();
      const add = (sign: 1 | -1, { page, type, status, n }: Omit<Counted, 'month'>) => {
        const one = pages.get(page) ?? { types: {}, statuses: {} };
        pages.set(page, one);
        one.statuses[status] = (one.statuses[status] ?? 0) + sign * n;
        if (status === 'approved') one.types[type] = (one.types[type] ?? 0) + sign * n;
      };
      const sums = `SELECT page, '' AS month, type, status, sum(n) AS n FROM mention_counts GROUP BY page, type, status`;
      for (const row of records.rows(counted, sums)) add(1, row);
      for (const row of ownMentions(own)) add(-1, row);
      const newest = `SELECT page, (SELECT received FROM mentions m WHERE m.page = c.page AND leads = 1
        ORDER BY at DESC, id DESC LIMIT 1) AS newest FROM (SELECT DISTINCT page FROM mention_counts) c`;
      return records
        .rows(({ page, newest: at }) => ({ page: String(page), newest: String(at) }), newest)
        .map(({ page, newest: at }) => ({
          target: urlOf(page),
          types: {},
          statuses: {},
          ...pages.get(page),
          newest: at,
        }))
        .sort(lastMentionedFirst);
    },

    counts(own: OwnSites) {
      const months = new Map<string, Counts<MentionType>>();
      const add = (sign: 1 | -1, { month, type, n }: Counted) => {
        const types = months.get(month) ?? {};
        months.set(month, types);
        types[type] = (types[type] ?? 0) + sign * n;
      };
      const sums = `SELECT '' AS page, month, type, status, sum(n) AS n FROM mention_counts
        WHERE status = 'approved' GROUP BY month, type`;
      for (const row of records.rows(counted, sums)) add(1, row);
      for (const row of ownMentions(own)) if (row.status === 'approved') add(-1, row);
      return [...months]
        .sort(([a], [b]) => compareTexts(a, b))
        .map(([month, types]) => ({ month, types: withoutZeros(types) }))
        .filter(({ types }) => Object.keys(types).length > 0);
    },

    topPages(own: OwnSites, year = '') {
      const sums = new Map<string, number>();
      const sql = `SELECT page, '' AS month, type, status, sum(n) AS n FROM mention_counts
        WHERE status = 'approved' AND substr(month, 1, ?) = ? GROUP BY page`;
      for (const { page, n } of records.rows(counted, sql, year.length, year)) sums.set(page, n);
      for (const { page, month, status } of ownMentions(own))
        if (status === 'approved' && month.startsWith(year)) sums.set(page, (sums.get(page) ?? 0) - 1);
      return [...sums]
        .filter(([, mentions]) => mentions > 0)
        .sort(([a, x], [b, y]) => y - x || compareTexts(a, b))
        .slice(0, mostTopPages)
        .map(([page, mentions]) => ({ target: urlOf(page), mentions }));
    },

    /**
     * Returns up to `limit` mentions that follow `last`, in the order in which they were received. `which`: every
     * mention, or only one from each source of a page.
     */
    after(last: Mention | undefined, limit: number, which: 'every' | 'leading') {
      const step = last ? stepOf(last) : undefined;
      const of = which === 'leading' ? 'leads = 1' : 'at IS NOT NULL';
      const sql = `SELECT id, mention FROM mentions WHERE ${of} ${step ? 'AND (at, id) > (?, ?)' : ''}
        ORDER BY at, id LIMIT ?`;
      return records.rows(mentionOfRow, sql, ...(step ? [step.at, step.id] : []), limit);
    },

    /** Returns up to `limit` of all imported mentions that follow `last`, in order of their `wm-id`. */
    importedAfter(last: { wmId: number; id: string } | undefined, limit: number) {
      const sql = `SELECT number, id FROM mentions WHERE imported = 1 ${last ? 'AND (number, id) > (?, ?)' : ''}
        ORDER BY number, id LIMIT ?`;
      const read = ({ number, id }: Row) => ({ wmId: Number(number), id: String(id) });
      return records.rows(read, sql, ...(last ? [last.wmId, last.id] : []), limit);
    },
  };
}

type Counts<Key extends string> = Partial<Record<Key, number>>;

/** The number of mentions of a page with the same month, type and status. */
interface Counted {
  readonly page: string;
  readonly month: string;
  readonly type: MentionType;
  readonly status: MentionStatus;
  readonly n: number;
}

const counted = (row: Row): Counted => ({
  page: String(row['page']),
  month: String(row['month']),
  // The table contains only valid types and statuses.
  type: row['type'] as MentionType,
  status: row['status'] as MentionStatus,
  n: Number(row['n']),
});

const withoutZeros = <Key extends string>(counts: Counts<Key>): Counts<Key> =>
  Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0)) as Counts<Key>;

/** Sorts the most recently mentioned page first. */
const lastMentionedFirst = (a: MentionedPage, b: MentionedPage) =>
  Date.parse(b.newest) - Date.parse(a.newest) || compareTexts(a.target, b.target);

function conditionsOf({ type, status, without, page, source, host, text }: MentionFilter) {
  const conditions = ['leads = 1'];
  const cells: Cell[] = [];
  const where = (condition: string, ...more: Cell[]): void => {
    conditions.push(condition);
    cells.push(...more);
  };
  if (type !== undefined) where('type = ?', type);
  if (status !== undefined) where('status = ?', status);
  if (without !== undefined) where('status <> ?', without);
  if (page !== undefined) where('page = ?', page);
  if (source !== undefined) where('source = ?', source);
  if (host !== undefined) where('host = ?', host.toLowerCase().replace(/\.$/, ''));
  if (text !== undefined && text !== '') {
    const found = containing('mention_words', text);
    where(`seq IN (${found.sql})`, found.cell);
  }
  return { conditions, cells };
}

/** A mention's position in the order of all mentions: by the time it was received (ms), then by its identifier. */
interface MentionPlace {
  readonly at: number;
  readonly id: string;
}

const stepOf = ({ received, id }: Pick<Mention, 'received' | 'id'>): MentionPlace => ({
  at: Date.parse(received),
  id,
});

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Returns an opaque cursor for a position in the order. The cursor stays valid when mentions are added or removed. */
const mentionCursor = ({ at, id }: MentionPlace) => Buffer.from(`${at} ${id}`).toString('base64url');

/**
 * Reads a cursor.
 * @throws PorchlightError `invalid_request` if the cursor is invalid.
 */
function stepAt(cursor: string): MentionPlace {
  const [, at, id] =
    /^(-?\d{1,15}) (\S{1,128})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (at === undefined || id === undefined) {
    throw new PorchlightError(
      'invalid_request',
      'This cursor is not valid. Load the list again from its start.',
    );
  }
  return { at: Number(at), id };
}
