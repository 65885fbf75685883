import type { Cell, IndexDatabase, IndexPart, Row } from '../storage/index/index-database.ts';
import { indexedFiles, indexedFilesTable } from '../storage/index/indexed-files.ts';
import { searchable } from '../storage/index/search-text.ts';
import { isShown, mentionsOf, pageOfTarget, type Mention } from './mention.ts';
import { monthOfTime } from './mention-order.ts';
import { mentionBytes } from './mention-size.ts';
import { handleOf } from '../post/inline-links.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';
import type { PageUse } from './page-room.ts';

/**
 * The tables of the index. `mention`: the mention as JSON. `file`: the month (`2026/11`) whose file contains the
 * mention's lines. `host`: the host of the source (see `hostOf`). `person`: the handle of the author (`handleOf`) if
 * the mention is shown. `bytes`: the total size of the mentions of a `party` on a page. `party`: `imported`,
 * `received`, or `site example.com` for the mentions from one site. `mention_files`: how much of each file has been
 * indexed.
 */
export const mentionTables: IndexPart = {
  name: 'mentions',
  tables: `
    CREATE TABLE mentions (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, file TEXT NOT NULL, at INTEGER NOT NULL,
      source TEXT NOT NULL, target TEXT NOT NULL, page TEXT NOT NULL, host TEXT NOT NULL, type TEXT NOT NULL,
      status TEXT NOT NULL, chosen INTEGER NOT NULL, imported INTEGER NOT NULL, number INTEGER NOT NULL,
      received TEXT NOT NULL, mention TEXT NOT NULL, person TEXT, UNIQUE (source, target)) STRICT;
    CREATE INDEX mentions_by_time ON mentions (at, name);
    CREATE INDEX mentions_by_page ON mentions (page, at, name);
    CREATE INDEX mentions_by_status ON mentions (status, at, name);
    CREATE INDEX mentions_by_type ON mentions (type, at, name);
    CREATE INDEX mentions_by_host ON mentions (host, at, name);
    CREATE INDEX mentions_by_number ON mentions (number, name);
    CREATE INDEX mentions_by_file ON mentions (file);
    CREATE INDEX mentions_approved_by_hand ON mentions (host) WHERE chosen = 1 AND status = 'approved';
    CREATE INDEX mentions_by_person ON mentions (person) WHERE person IS NOT NULL;
    CREATE TABLE mention_counts (
      page TEXT NOT NULL, month TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL, n INTEGER NOT NULL,
      PRIMARY KEY (page, month, type, status)) STRICT, WITHOUT ROWID;
    CREATE INDEX mention_counts_by_spelling ON mention_counts (lower(page));
    CREATE TABLE mention_bytes (
      page TEXT NOT NULL, party TEXT NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (page, party))
      STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE mention_words USING fts5 (words, tokenize = 'trigram case_sensitive 1');
    ${indexedFilesTable('mention_files')}`,
};

/** Returns the site that a source belongs to. On each page, the mentions from one site share one size limit. */
export const siteOfSource = (source: string): string =>
  URL.canParse(source) ? siteOfHost(hostOf(new URL(source))) : source;

const hostOfSource = (source: string): string => (URL.canParse(source) ? hostOf(new URL(source)) : '');

/** Returns the searchable text of a mention. */
const wordsOf = ({ source, facts: { author, name, content } }: Mention): string =>
  searchable([source, author?.name, name, content?.value].filter((part) => part !== undefined).join('\n'));

export type MentionIndex = ReturnType<typeof mentionIndex>;

/** Creates the functions that read and change individual mentions in the index. */
export function mentionIndex(index: IndexDatabase) {
  const one = <T>(read: (row: Row) => T, sql: string, ...cells: readonly Cell[]): T | undefined =>
    index.rows(read, sql, ...cells)[0];

  /** Adds a mention to the counts and sizes of its page. Subtracts it instead if `sign` is -1. */
  function count(
    sign: 1 | -1,
    { target, received, status, facts, source, imported }: Mention,
    bytes: number,
  ) {
    const page = pageOfTarget(target);
    index.versions.changed(mentionsOf(page));
    index.run(
      'INSERT INTO mention_counts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n',
      ...[page, monthOfTime(Date.parse(received)), facts.type, status, sign],
    );
    for (const party of imported ? ['imported'] : ['received', `site ${siteOfSource(source)}`])
      index.run(
        'INSERT INTO mention_bytes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes',
        ...[page, party, sign * bytes],
      );
    if (sign > 0) return;
    index.run('DELETE FROM mention_counts WHERE page = ? AND n = 0', page);
    index.run('DELETE FROM mention_bytes WHERE page = ? AND bytes = 0', page);
  }

  /** Records that the list of known authors has changed, unless another shown mention has the same author. */
  function countPerson(mention: Mention): void {
    const handle = personIn(mention);
    if (handle === null) return;
    const rows = index.rows(() => 1, ofPerson, handle, 2);
    if (rows.length === 1) index.versions.changed('people');
  }

  function clear({ id, mention }: { id: number; mention: Mention }): void {
    count(-1, mention, mentionBytes(mention));
    countPerson(mention);
    index.run('DELETE FROM mention_words WHERE rowid = ?', id);
    index.run('DELETE FROM mentions WHERE id = ?', id);
  }

  return {
    /** Stores the current version of a mention. `file`: the month whose file contains the mention's lines. */
    put(file: string, mention: Mention): void {
      const { id: name, source, target, facts, status, chosen, imported, wmId, received } = mention;
      index.together(() => {
        // A source and target can have only one mention. If somebody merged files, the newest line replaces the others.
        const before = 'SELECT id, mention FROM mentions WHERE name = ? OR (source = ? AND target = ?)';
        for (const row of index.rows(keyedMention, before, name, source, target)) clear(row);
        const id = index.run(
          'INSERT INTO mentions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
          ...[name, file, Date.parse(received), source, target, pageOfTarget(target), hostOfSource(source)],
          ...[facts.type, status, chosen ? 1 : 0, imported ? 1 : 0, wmId, received, JSON.stringify(mention)],
          personIn(mention),
        );
        index.run('INSERT INTO mention_words (rowid, words) VALUES (?, ?)', id, wordsOf(mention));
        count(1, mention, mentionBytes(mention));
        countPerson(mention);
      });
    },

    /**
     * Removes up to `most` mentions of a file from the index. Returns false if the index has no mentions of the file.
     */
    forget: (file: string, most: number) =>
      index.together(() => {
        const some = 'SELECT id, mention FROM mentions WHERE file = ? LIMIT ?';
        const rows = index.rows(keyedMention, some, file, most);
        for (const row of rows) clear(row);
        return rows.length > 0;
      }),

    /** Returns the URL of the author with this handle; undefined if no mention by that author is shown. */
    personUrl: (handle: string) => one(mentionOfRow, ofPerson, handle, 1)?.facts.author?.url,

    get: (id: string) => one(mentionOfRow, 'SELECT mention FROM mentions WHERE name = ?', id),
    find: (source: string, target: string) =>
      one(mentionOfRow, 'SELECT mention FROM mentions WHERE source = ? AND target = ?', source, target),
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

    /** Records how much of each file has been indexed. */
    files: indexedFiles(index, 'mention_files'),
    /** Returns how many mentions have their newest line in a file. */
    countIn: (file: string) =>
      one(({ n }) => Number(n), 'SELECT count(*) AS n FROM mentions WHERE file = ?', file) ?? 0,
  };
}

const ofPerson = 'SELECT mention FROM mentions WHERE person = ? LIMIT ?';
const personIn = (mention: Mention) =>
  isShown(mention) ? (handleOf(mention.facts.author?.url ?? '') ?? null) : null;

export const mentionOfRow = ({ mention }: Row): Mention => JSON.parse(String(mention)) as Mention;

const keyedMention = (row: Row) => ({ id: Number(row['id']), mention: mentionOfRow(row) });
