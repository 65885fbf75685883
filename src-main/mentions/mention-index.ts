import type { Cell, IndexDatabase, IndexPart, Row } from '../storage/index/index-database.ts';
import { indexedFiles, indexedFilesTable } from '../storage/index/indexed-files.ts';
import { searchable } from '../storage/index/search-text.ts';
import { isShown, mentionsOf, sourceIdentity, type Mention } from './mention.ts';
import { mentionBytes } from './mention-size.ts';
import type { MentionPages } from './mention-pages.ts';
import { rankForSource, siteOfSource } from './source-rank.ts';
import { handleOf } from '../post/inline-links.ts';
import { hostOf } from '../platform/site-name.ts';
import type { PageUse } from './page-room.ts';

/**
 * The tables of the index. `mention`: the mention as JSON. `file`: the month (`2026/11`) whose file contains the
 * mention's lines. `address`: the address of the target (see addressOfPage). `page`: the id of the page at that address
 * (see PageFinder). `origin`: the identity of the source (see sourceIdentity). `leads`: whether the mention represents its
 * source on the page; `rank` and `verified` (the time of the last reading, in ms) decide that (see rankForSource).
 * `host`: the host of the source (see `hostOf`). `site`: see siteOfSource. `person`: the handle of the author
 * (`handleOf`) if the mention is shown.
 *
 * `mention_counts`: the number of sources of a page. `mention_bytes`: the total size of the mentions of a `party` on a
 * page. `party`: `imported`, `received`, or `site example.com` for the mentions from one site. `mention_files`: how
 * much of each file has been indexed. `mention_base`: the public origin for which the addresses were determined.
 * `mention_stale`: the pages to recount, because mentions were moved to them or away from them.
 */
export const mentionTables: IndexPart = {
  name: 'mentions',
  tables: `
    CREATE TABLE mentions (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, file TEXT NOT NULL, at INTEGER NOT NULL,
      source TEXT NOT NULL, target TEXT NOT NULL, address TEXT NOT NULL, page TEXT NOT NULL, origin TEXT NOT NULL,
      rank INTEGER NOT NULL, verified INTEGER NOT NULL, leads INTEGER NOT NULL, host TEXT NOT NULL,
      site TEXT NOT NULL, bytes INTEGER NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL, chosen INTEGER NOT NULL,
      imported INTEGER NOT NULL, number INTEGER NOT NULL, received TEXT NOT NULL, mention TEXT NOT NULL, person TEXT,
      UNIQUE (source, target)) STRICT;
    CREATE INDEX mentions_in_order ON mentions (at, name);
    CREATE INDEX mentions_by_time ON mentions (at, name) WHERE leads = 1;
    CREATE INDEX mentions_by_page ON mentions (page, at, name) WHERE leads = 1;
    CREATE INDEX mentions_by_origin ON mentions (page, origin, rank, verified DESC, at DESC, name DESC);
    CREATE INDEX mentions_by_address ON mentions (address);
    CREATE INDEX mentions_by_status ON mentions (status, at, name) WHERE leads = 1;
    CREATE INDEX mentions_by_type ON mentions (type, at, name) WHERE leads = 1;
    CREATE INDEX mentions_by_host ON mentions (host, at, name) WHERE leads = 1;
    CREATE INDEX mentions_by_number ON mentions (number, name);
    CREATE INDEX mentions_by_file ON mentions (file);
    CREATE INDEX mentions_approved_by_hand ON mentions (host) WHERE chosen = 1 AND status = 'approved';
    CREATE INDEX mentions_by_person ON mentions (person) WHERE person IS NOT NULL AND leads = 1;
    CREATE TABLE mention_counts (
      page TEXT NOT NULL, month TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL, n INTEGER NOT NULL,
      PRIMARY KEY (page, month, type, status)) STRICT, WITHOUT ROWID;
    CREATE INDEX mention_counts_by_spelling ON mention_counts (lower(page));
    CREATE TABLE mention_bytes (
      page TEXT NOT NULL, party TEXT NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (page, party))
      STRICT, WITHOUT ROWID;
    CREATE TABLE mention_base (base TEXT NOT NULL) STRICT;
    CREATE TABLE mention_stale (page TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE mention_words USING fts5 (words, tokenize = 'trigram case_sensitive 1');
    ${indexedFilesTable('mention_files')}`,
};

const hostOfSource = (source: string): string => (URL.canParse(source) ? hostOf(new URL(source)) : '');

/** Returns the searchable text of a mention. */
const wordsOf = ({ source, facts: { author, name, content } }: Mention): string =>
  searchable([source, author?.name, name, content?.value].filter((part) => part !== undefined).join('\n'));

/** The columns that counts and limits depend on. */
const countedColumns =
  'id, name, at, page, origin, rank, verified, type, status, received, imported, site, bytes, leads, person';
/** The first of several mentions from a source of a page represents the source. */
const bestFirst = 'ORDER BY rank, verified DESC, at DESC, name DESC';
/** In SQLite, a negative limit is no limit. */
const everyPage = -1;

interface CountedRow {
  readonly id: number;
  readonly name: string;
  readonly at: number;
  readonly page: string;
  readonly origin: string;
  readonly rank: number;
  readonly verified: number;
  readonly month: string;
  readonly type: string;
  readonly status: string;
  readonly isImported: boolean;
  readonly site: string;
  readonly bytes: number;
  readonly leads: boolean;
  readonly person: string | null;
}

/** Returns whether a mention comes before another one in the order `bestFirst`. */
function isBetter(a: Omit<CountedRow, 'id'>, b: CountedRow): boolean {
  const difference = a.rank - b.rank || b.verified - a.verified || b.at - a.at;
  return difference < 0 || (difference === 0 && a.name > b.name);
}

export type MentionIndex = ReturnType<typeof mentionIndex>;

/** Creates the functions that read and change individual mentions in the index. `pages`: finds the page of a target. */
export function mentionIndex(index: IndexDatabase, pages: MentionPages) {
  const one = <T>(read: (row: Row) => T, sql: string, ...cells: readonly Cell[]): T | undefined =>
    index.rows(read, sql, ...cells)[0];

  function count(sign: 1 | -1, { page, month, type, status }: Omit<CountedRow, 'id'>): void {
    index.run(
      'INSERT INTO mention_counts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n',
      ...[page, month, type, status, sign],
    );
    if (sign < 0) index.run('DELETE FROM mention_counts WHERE page = ? AND n = 0', page);
  }

  function measure(sign: 1 | -1, { page, isImported, site, bytes }: Omit<CountedRow, 'id'>): void {
    for (const party of isImported ? ['imported'] : ['received', `site ${site}`])
      index.run(
        'INSERT INTO mention_bytes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes',
        ...[page, party, sign * bytes],
      );
    if (sign < 0) index.run('DELETE FROM mention_bytes WHERE page = ? AND bytes = 0', page);
  }

  /** Makes a mention represent its source on its page, or stops that. */
  function setLeads(leads: boolean, row: CountedRow): void {
    if (!leads) countPerson(row);
    index.run('UPDATE mentions SET leads = ? WHERE id = ?', leads ? 1 : 0, row.id);
    if (leads) countPerson(row);
    count(leads ? 1 : -1, row);
  }

  /** Records that the list of known authors has changed, unless another shown mention has the same author. */
  function countPerson({ person }: Pick<CountedRow, 'person'>): void {
    if (person === null) return;
    const rows = index.rows(() => 1, ofPerson, person, 2);
    if (rows.length === 1) index.versions.changed('people');
  }

  const best = (page: string, origin: string) =>
    one(
      countedRow,
      `SELECT ${countedColumns} FROM mentions WHERE page = ? AND origin = ? ${bestFirst} LIMIT 1`,
      ...[page, origin],
    );

  /** Chooses the mention that represents a source on a page, after the one that did was removed. */
  function elect(page: string, origin: string): void {
    const first = best(page, origin);
    if (first && !first.leads) setLeads(true, first);
  }

  /** Removes a mention's row. Afterwards, call `elect` or `insert` for its page and origin. */
  function remove(row: CountedRow): void {
    index.versions.changed(mentionsOf(row.page));
    if (row.leads) setLeads(false, row);
    measure(-1, row);
    index.run('DELETE FROM mention_words WHERE rowid = ?', row.id);
    index.run('DELETE FROM mentions WHERE id = ?', row.id);
  }

  function insert(file: string, mention: Mention): void {
    const { id: name, source, target, facts, status, chosen, imported, wmId, received, parsed } = mention;
    const address = pages.addressOf(target);
    const row = {
      ...{ name, at: Date.parse(received), page: pages.pageAt(address), origin: sourceIdentity(mention) },
      ...{ rank: rankForSource(mention), verified: Date.parse(parsed) || 0, month: received.slice(0, 7) },
      ...{ type: facts.type, status, isImported: imported !== undefined, site: siteOfSource(source) },
      ...{ bytes: mentionBytes(mention), person: personIn(mention) },
    };
    const { at, page, origin, rank, verified, site, bytes, person } = row;
    const other = best(page, origin);
    const leads = other === undefined || isBetter({ ...row, leads: false }, other);
    if (other && other.leads === leads) setLeads(!leads, other);
    const id = index.run(
      'INSERT INTO mentions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[name, file, at, source, target, address, page, origin, rank, verified, leads ? 1 : 0],
      ...[hostOfSource(source), site, bytes, facts.type, status, chosen ? 1 : 0, imported ? 1 : 0, wmId],
      ...[received, JSON.stringify(mention), person],
    );
    index.run('INSERT INTO mention_words (rowid, words) VALUES (?, ?)', id, wordsOf(mention));
    index.versions.changed(mentionsOf(page));
    const counted = { ...row, leads };
    measure(1, counted);
    if (!leads) return;
    countPerson(counted);
    count(1, counted);
  }

  /** Derives everything about a page from its mentions, after mentions were moved to it or away from it. */
  function recount(page: string): void {
    index.run('DELETE FROM mention_stale WHERE page = ?', page);
    index.versions.changed(mentionsOf(page));
    const first = `SELECT o.id FROM mentions o WHERE o.page = m.page AND o.origin = m.origin ${bestFirst} LIMIT 1`;
    index.run(`UPDATE mentions AS m SET leads = (id = (${first})) WHERE page = ?`, page);
    index.run('DELETE FROM mention_counts WHERE page = ?', page);
    index.run(
      `INSERT INTO mention_counts SELECT page, substr(received, 1, 7), type, status, count(*) FROM mentions
       WHERE page = ? AND leads = 1 GROUP BY 2, type, status`,
      page,
    );
    index.run('DELETE FROM mention_bytes WHERE page = ?', page);
    index.run(
      `INSERT INTO mention_bytes
         SELECT page, iif(imported, 'imported', 'received'), sum(bytes) FROM mentions WHERE page = ?1 GROUP BY 2
         UNION ALL SELECT page, 'site ' || site, sum(bytes) FROM mentions WHERE page = ?1 AND imported = 0 GROUP BY site`,
      page,
    );
  }

  /** Moves the mentions in `filed` to the pages that their addresses have now, without recounting these pages. */
  function moveAll(filed: readonly { readonly address: string; readonly page: string }[]): void {
    for (const { address, page } of filed) {
      const next = pages.pageAt(address);
      if (next === page) continue;
      index.run('UPDATE mentions SET page = ? WHERE address = ? AND page = ?', next, address, page);
      index.run('INSERT OR IGNORE INTO mention_stale VALUES (?), (?)', page, next);
    }
  }

  /** Recounts up to `most` of the pages that need it. Returns false if none did. */
  function recountStale(most: number): boolean {
    const stale = index.rows(({ page }) => String(page), 'SELECT page FROM mention_stale LIMIT ?', most);
    for (const page of stale) recount(page);
    if (stale.length > 0) index.versions.changed('people');
    return stale.length > 0;
  }

  return {
    /** Stores the current version of a mention. `file`: the month whose file contains the mention's lines. */
    put(file: string, mention: Mention): void {
      const { id: name, source, target, erased } = mention;
      index.together(() => {
        // A source and target can have only one mention. If somebody merged files, the newest line replaces the others.
        const other = erased === true ? '' : source;
        const before = `SELECT ${countedColumns} FROM mentions WHERE name = ? OR (source = ? AND target = ?)`;
        const rows = index.rows(countedRow, before, name, other, target);
        for (const row of rows) remove(row);
        if (mention.erased !== true) insert(file, mention);
        for (const { page, origin } of rows) elect(page, origin);
      });
    },

    /**
     * Removes up to `most` mentions of a file from the index. Returns false if the index has no mentions of the file.
     */
    forget: (file: string, most: number) =>
      index.together(() => {
        const some = `SELECT ${countedColumns} FROM mentions WHERE file = ? LIMIT ?`;
        const rows = index.rows(countedRow, some, file, most);
        for (const row of rows) remove(row);
        for (const { page, origin } of rows) elect(page, origin);
        return rows.length > 0;
      }),

    /** Moves mentions to other pages, because there may be another page at these addresses now. */
    addressesChanged: (addresses: readonly string[]) =>
      index.together(() => {
        const sql = `SELECT DISTINCT address, page FROM mentions WHERE address = ?1
          UNION SELECT DISTINCT address, page FROM mentions WHERE page = ?1`;
        for (const address of addresses) moveAll(index.rows(filedRow, sql, address));
        recountStale(everyPage);
      }),

    /** Returns the public origin for which the addresses in the index were determined; undefined if there is none. */
    base: () => one(({ base }) => String(base), 'SELECT base FROM mention_base'),
    setBase: (base: string) =>
      index.together(() => {
        index.run('DELETE FROM mention_base');
        index.run('INSERT INTO mention_base VALUES (?)', base);
      }),
    /** Recounts pages in a transaction; see recountStale. Call it until it returns false. */
    recount: (most: number) => index.together(() => recountStale(most)),
    /**
     * Determines the addresses of up to `most` mentions again, after this server's own address has changed. Afterwards,
     * call `recount`. `after`: the result of the call before; 0 at first. Returns undefined after the last mention.
     */
    readdress: (after: number, most: number) =>
      index.together(() => {
        const sql = 'SELECT id, target, address, page FROM mentions WHERE id > ? ORDER BY id LIMIT ?';
        const rows = index.rows((row) => row, sql, after, most);
        const filed: { address: string; page: string }[] = [];
        for (const { id, target, address, page } of rows) {
          const next = pages.addressOf(String(target));
          if (next === address) continue;
          index.run('UPDATE mentions SET address = ? WHERE id = ?', next, Number(id));
          filed.push({ address: next, page: String(page) });
        }
        moveAll(filed);
        const last = rows.at(-1);
        return last && Number(last['id']);
      }),

    /** Returns the URL of the author with this handle; undefined if no mention by that author is shown. */
    personUrl: (handle: string) => one(mentionOfRow, ofPerson, handle, 1)?.facts.author?.url,

    get: (id: string) => one(mentionOfRow, 'SELECT mention FROM mentions WHERE name = ?', id),
    find: (source: string, target: string) =>
      one(mentionOfRow, 'SELECT mention FROM mentions WHERE source = ? AND target = ?', source, target),
    /** Returns the mention that represents a mention's source on its page, if there is one. */
    leader: (mention: Pick<Mention, 'source' | 'readAt' | 'target'>) =>
      one(
        mentionOfRow,
        'SELECT mention FROM mentions WHERE page = ? AND origin = ? AND leads = 1',
        ...[pages.pageOf(mention.target), sourceIdentity(mention)],
      ),
    /** Returns whether a mention represents its source on its page. */
    isLeading: (id: string) =>
      one(({ leads }) => leads === 1, 'SELECT leads FROM mentions WHERE name = ?', id) ?? false,
    /** Returns the month whose file contains the lines of a mention. */
    fileOf: (id: string) => one(({ file }) => String(file), 'SELECT file FROM mentions WHERE name = ?', id),

    /** Returns how many bytes the mentions of a page use, in total and for one site (see `siteOfSource`). */
    taken(page: string, site: string): PageUse {
      const ofSite = `site ${site}`;
      const sql = 'SELECT party, bytes FROM mention_bytes WHERE page = ? AND party IN (?, ?, ?)';
      const read = ({ party, bytes }: Row) => [String(party), Number(bytes)] as const;
      const bytes = new Map(index.rows(read, sql, page, 'received', 'imported', ofSite));
      const of = (party: string) => bytes.get(party) ?? 0;
      return { received: of('received'), imported: of('imported'), ofSite: of(ofSite) };
    },

    /** Returns the highest `wm-id` of all mentions; 0 if there are no mentions. */
    highestNumber: () =>
      one(({ number }) => Number(number), 'SELECT number FROM mentions ORDER BY number DESC LIMIT 1') ?? 0,

    pages,
    /** Records how much of each file has been indexed. */
    files: indexedFiles(index, 'mention_files'),
    /** Returns how many mentions have their newest line in a file. */
    countIn: (file: string) =>
      one(({ n }) => Number(n), 'SELECT count(*) AS n FROM mentions WHERE file = ?', file) ?? 0,
  };
}

const ofPerson = 'SELECT mention FROM mentions WHERE person = ? AND leads = 1 LIMIT ?';
const personIn = (mention: Mention) =>
  isShown(mention) ? (handleOf(mention.facts.author?.url ?? '') ?? null) : null;

export const mentionOfRow = ({ mention }: Row): Mention => JSON.parse(String(mention)) as Mention;

const countedRow = (row: Row): CountedRow => ({
  ...{ id: Number(row['id']), name: String(row['name']), at: Number(row['at']) },
  ...{ page: String(row['page']), origin: String(row['origin']), rank: Number(row['rank']) },
  ...{ verified: Number(row['verified']), month: String(row['received']).slice(0, 7) },
  ...{ type: String(row['type']), status: String(row['status']), isImported: row['imported'] === 1 },
  ...{ site: String(row['site']), bytes: Number(row['bytes']), leads: row['leads'] === 1 },
  person: row['person'] === null ? null : String(row['person']),
});

const filedRow = ({ address, page }: Row) => ({ address: String(address), page: String(page) });
