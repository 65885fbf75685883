import type { MentionType } from '../contract/mention-types.ts';
import type { MentionedPage, MentionStatus } from '../contract/webmentions.ts';
import type { Row } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import type { OwnSites } from './own-sites.ts';

/** The maximum number of pages that `topPages` returns, which is more than the window shows. */
const mostTopPages = 10;

type Counts<Key extends string> = Partial<Record<Key, number>>;

/**
 * Creates the queries that count mentions: one from each source of a page, without those from the owner's own sites
 * (`own`). MentionStore describes the results. `urlOf`: returns the URL of a page.
 */
export function mentionCounts(records: Pick<Records, 'rows'>, urlOf: (page: string) => string) {
  /** Returns the mentions from the owner's own sites, to be subtracted. Others wrote the imported comments. */
  function ownMentions(own: OwnSites): Counted[] {
    const hosts = [...own.hosts];
    const places = hosts.map(() => '?').join(', ');
    const sql = `SELECT page, received, type, status, source, 1 AS n FROM mentions
      WHERE leads = 1 AND host IN (${places}) AND json_extract(mention, '$.comment') IS NULL`;
    return records
      .rows((row) => ({ ...counted(row), source: String(row['source']) }), sql, ...hosts)
      .filter(({ source }) => own.has(source));
  }

  return {
    pages(own: OwnSites): MentionedPage[] {
      const pages = new Map<string, MentionedPage>();
      const add = (sign: 1 | -1, { page, type, status, n, received }: Counted): void => {
        const one = pages.get(page) ?? { target: urlOf(page), types: {}, statuses: {}, newest: received };
        pages.set(page, Date.parse(received) > Date.parse(one.newest) ? { ...one, newest: received } : one);
        one.statuses[status] = (one.statuses[status] ?? 0) + sign * n;
        if (status === 'approved') one.types[type] = (one.types[type] ?? 0) + sign * n;
      };
      const sums = `SELECT page, type, status, count(*) AS n, max(received) AS received FROM mentions WHERE leads = 1
        GROUP BY page, status, type`;
      for (const row of records.rows(counted, sums)) add(1, row);
      for (const row of ownMentions(own)) add(-1, row);
      return [...pages.values()].sort(lastMentionedFirst);
    },

    counts(own: OwnSites) {
      const months = new Map<string, Counts<MentionType>>();
      const add = (sign: 1 | -1, { received, type, n }: Counted): void => {
        const month = received.slice(0, 'YYYY-MM'.length);
        const types = months.get(month) ?? {};
        months.set(month, types);
        types[type] = (types[type] ?? 0) + sign * n;
      };
      const sums = `SELECT substr(received, 1, 7) AS received, type, status, count(*) AS n FROM mentions
        WHERE leads = 1 AND status = 'approved' GROUP BY substr(received, 1, 7), type`;
      for (const row of records.rows(counted, sums)) add(1, row);
      for (const row of ownMentions(own)) if (row.status === 'approved') add(-1, row);
      return [...months]
        .sort(([a], [b]) => compareTexts(a, b))
        .map(([month, types]) => ({ month, types: withoutZeros(types) }))
        .filter(({ types }) => Object.keys(types).length > 0);
    },

    topPages(own: OwnSites, year = '') {
      const sums = new Map<string, number>();
      // The plus keeps SQLite from the index by status, with which it would read each row.
      const sql = `SELECT page, count(*) AS n FROM mentions
        WHERE leads = 1 AND +status = 'approved' AND substr(received, 1, ?) = ? GROUP BY page`;
      for (const { page, n } of records.rows(counted, sql, year.length, year)) sums.set(page, n);
      for (const { page, received, status } of ownMentions(own))
        if (status === 'approved' && received.startsWith(year)) sums.set(page, (sums.get(page) ?? 0) - 1);
      return [...sums]
        .filter(([, mentions]) => mentions > 0)
        .sort(([a, x], [b, y]) => y - x || compareTexts(a, b))
        .slice(0, mostTopPages)
        .map(([page, mentions]) => ({ target: urlOf(page), mentions }));
    },
  };
}

/** A number of mentions with the same page, type and status. `received`: the newest time, or the start of it. */
interface Counted {
  readonly page: string;
  readonly received: string;
  readonly type: MentionType;
  readonly status: MentionStatus;
  readonly n: number;
}

const counted = (row: Row): Counted => ({
  page: String(row['page']),
  received: String(row['received']),
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

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
