import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { documentCodec, openedSchema } from '../storage/document-format.ts';
import { jsonIn } from '../storage/json-value.ts';
import { type Cell, readRow, recordTable, type Row } from '../storage/records/record-table.ts';
import { firstProblem, isValid } from '../storage/schema-check.ts';
import type { MentionPages } from './mention-pages.ts';
import { webAddress } from './clean-facts.ts';
import { cleanMention } from './clean-mention.ts';
import { highestId } from './import/raw-mention.ts';
import { isShown, Mention, sourceIdentity } from './mention.ts';
import { mentionText } from './mention-limits.ts';

/** More than the JSON of any mention that Porchlight stores, in UTF-16 code units (see mention-limits.ts). */
const longestJson = 256 * 1024;

/** The highest number (`wm-id`) of a mention. The numbers of received mentions lie above all imported ones. */
export const highestNumber = 2 * highestId;

/** The statement that creates the full-text table. A row has the `seq` of its mention as its rowid. */
export const createWords =
  "CREATE VIRTUAL TABLE IF NOT EXISTS mention_words USING fts5 (words, tokenize = 'trigram case_sensitive 1')";

/**
 * The mentions. Only `id` and `mention` (the JSON of a Mention) are recorded and in backups; everything else is derived
 * from them, for lists, filters and counts. A mention whose `author` is NULL isn't filed yet: it was restored, and its
 * other columns are derived before the first query (see mention-filing.ts). If that fails, `page` is empty.
 *
 * `at`: the time of receipt, in ms. `address`: the address of the target (see addressOfPage). `page`: the id of the page
 * at that address (see PageFinder). `origin`: the identity of the source (see sourceIdentity). `leads`: whether the
 * mention represents its source on the page; `rank` and `verified` (the time of the last reading, in ms) decide that (see
 * rankForSource). `host`: the host of the source (see `hostOf`). `site`: see siteOfSource. `person`: the handle of the
 * author (`handleOf`) if the mention is shown. `author`: the author's address (see authorOf), empty if there is none.
 * `chosen`: whether the owner chose the status, and that says something about the author and the site.
 * `blocked`: whether the owner blocked the author or a site of the mention when it was filed.
 *
 * `mention_moves`: addresses at which there may be another page now, whose mentions haven't followed yet.
 * `mention_state`: `base`, the public origin for which the addresses were determined, `blocks`, the version of the blocks
 * that were applied (see Blocks), and `words`, the last mention that is in a full-text table that is being rebuilt.
 * `mention_words`: the searchable text.
 *
 * Counts and sizes are computed from `mentions_by_kind`, `mentions_by_month` and `mentions_by_size`, which contain all
 * columns that these queries need: about 50 ms for 100,000 mentions.
 */
export const mentionTable = recordTable({
  name: 'mentions',
  row: closed({
    id: Type.String({ pattern: '^\\S{1,128}$' }),
    mention: Type.String({ maxLength: longestJson }),
  }),
  read({ id, mention }): Mention | undefined {
    const read = jsonIn(mention);
    return isStorable(read) && read.id === id ? read : undefined;
  },
  cleaned: (row) => rowOf(cleanMention(mentionOfRow(row))),
  create: `
    CREATE TABLE IF NOT EXISTS mentions (
      seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, mention TEXT NOT NULL,
      at INTEGER, source TEXT, target TEXT, address TEXT, page TEXT, origin TEXT, rank INTEGER, verified INTEGER,
      leads INTEGER NOT NULL DEFAULT 0, host TEXT, site TEXT, bytes INTEGER, type TEXT, status TEXT, chosen INTEGER,
      imported INTEGER, number INTEGER, received TEXT, person TEXT, author TEXT, blocked INTEGER,
      UNIQUE (source, target)) STRICT;
    CREATE INDEX IF NOT EXISTS mentions_to_file ON mentions (seq) WHERE author IS NULL;
    CREATE INDEX IF NOT EXISTS mentions_in_order ON mentions (at, id);
    CREATE INDEX IF NOT EXISTS mentions_by_time ON mentions (at, id) WHERE leads = 1;
    CREATE INDEX IF NOT EXISTS mentions_by_page ON mentions (page, at, id) WHERE leads = 1;
    CREATE INDEX IF NOT EXISTS mentions_by_origin ON mentions (page, origin, rank, verified DESC, at DESC, id DESC);
    CREATE INDEX IF NOT EXISTS mentions_by_address ON mentions (address, page);
    CREATE INDEX IF NOT EXISTS mentions_by_place ON mentions (page, address);
    CREATE INDEX IF NOT EXISTS mentions_by_status ON mentions (status, at, id) WHERE leads = 1;
    CREATE INDEX IF NOT EXISTS mentions_by_type ON mentions (type, at, id) WHERE leads = 1;
    CREATE INDEX IF NOT EXISTS mentions_by_host ON mentions (host, at, id) WHERE leads = 1;
    CREATE INDEX IF NOT EXISTS mentions_by_number ON mentions (number, id);
    CREATE INDEX IF NOT EXISTS mentions_of_known_people ON mentions (host, author)
      WHERE chosen = 1 AND status = 'approved';
    CREATE INDEX IF NOT EXISTS mentions_by_person ON mentions (person) WHERE person IS NOT NULL AND leads = 1;
    CREATE INDEX IF NOT EXISTS mentions_by_kind ON mentions (page, status, type, received) WHERE leads = 1;
    CREATE INDEX IF NOT EXISTS mentions_by_month ON mentions (status, substr(received, 1, 7), type) WHERE leads = 1;
    CREATE INDEX IF NOT EXISTS mentions_by_size ON mentions (page, imported, site, bytes);
    CREATE INDEX IF NOT EXISTS mentions_by_spelling ON mentions (lower(page), page) WHERE leads = 1;
    DROP TABLE IF EXISTS mention_counts;
    DROP TABLE IF EXISTS mention_bytes;
    CREATE TABLE IF NOT EXISTS mention_moves (address TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS mention_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    ${createWords}`,
  addedColumns: { author: 'TEXT', blocked: 'INTEGER' },
  format: 1,
  /**
   * What the owner hid or deleted on either side stays so. A mention that only the copy has may have been withdrawn since
   * then, so it waits for the owner.
   */
  merge(older, damaged) {
    if (older === undefined) return damaged;
    const before = mentionOfRow(older);
    if (damaged === undefined) return untilLooked(older);
    const now = mentionOfRow(damaged);
    const { status, statusBefore } = before;
    if (reachOf(before) > 0 || reachOf(now) === 0 || status === 'removed') return damaged;
    const { statusBefore: _statusBefore, ...rest } = now;
    return rowOf({ ...rest, status, chosen: true, ...(statusBefore !== undefined && { statusBefore }) });
  },
  distrusted: (row) => untilLooked(row),
});

/** Returns the row of a mention that is held until the owner has looked, if it was shown. */
function untilLooked(row: { id: string; mention: string }): { id: string; mention: string } {
  const mention = mentionOfRow(row);
  return isShown(mention) ? rowOf({ ...mention, status: 'held', wasShown: true }) : row;
}

/** Returns how visible a mention is: 2 shown, 1 waiting for the owner, 0 for all others. */
export function reachOf(mention: Mention): 0 | 1 | 2 {
  if (isShown(mention)) return 2;
  return mention.status === 'held' ? 1 : 0;
}

/** Returns the row of a mention, of which everything else is derived. */
export const rowOf = (mention: Mention) => ({ id: mention.id, mention: mentionText(mention) });

/**
 * Returns the mention in a row with its id.
 * @throws the error of a damaged database
 */
export const mentionOfRow = ({ id = null, mention = null }: Row): Mention =>
  readRow(mentionTable, { id, mention });

/** The format of a mention in an export. */
export const mentionFormat = { schema: Mention, kind: 'mention' as const, format: 1 };
const codec = documentCodec(mentionFormat);

const storable = openedSchema(Mention);

/** Returns whether a value is a mention that Porchlight could have stored. */
const isStorable = (value: unknown): value is Mention =>
  isValid(storable, value) &&
  // Everybody who reads a mention follows these as links.
  webAddress(value.source) !== undefined &&
  webAddress(value.target) !== undefined &&
  // Mentions are sorted by the time of receipt and by their number, so both must be valid.
  !Number.isNaN(Date.parse(value.received)) &&
  Number.isSafeInteger(value.wmId) &&
  value.wmId <= highestNumber &&
  isWritable(value);

/** Returns whether a mention can be written as JSON. Values that are nested too deeply can only be read. */
function isWritable(mention: Mention): boolean {
  try {
    mentionText(mention);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks that this version of Porchlight can read a mention back.
 * @throws PorchlightError `storage_invalid`
 */
export function assertStorable(mention: Mention): void {
  if (isStorable(mention)) return;
  const problem = firstProblem(storable, mention);
  throw new PorchlightError('storage_invalid', `This mention cannot be kept: ${problem}.`, 500);
}

/** Returns a mention as an export contains it, with the number of its format. `decodedMention` reads it. */
export const exportedMention = (mention: Mention): unknown => codec.encode(mention);

/**
 * Reads the JSON of a mention in an export; returns undefined if no part of it is usable. `file`: its name, for errors.
 * @throws PorchlightError `storage_newer`, `storage_migration`
 */
export function decodedMention(value: unknown, file: string): Mention | undefined {
  const decoded = codec.decode(value, file);
  return 'data' in decoded && isStorable(decoded.data) ? decoded.data : undefined;
}

/** Runs a query and returns its rows. */
type ReadRows = (sql: string, ...cells: readonly Cell[]) => Row[];

/** Reads individual mentions. `pages`: finds the page of a target. */
export class MentionReads {
  readonly pages: MentionPages;
  protected readonly rows: ReadRows;

  constructor(rows: ReadRows, pages: MentionPages) {
    this.rows = rows;
    this.pages = pages;
  }

  #one(sql: string, ...cells: readonly Cell[]): Mention | undefined {
    return this.rows(sql, ...cells).map(mentionOfRow)[0];
  }

  get(id: string): Mention | undefined {
    return this.#one('SELECT id, mention FROM mentions WHERE id = ?', id);
  }

  find(source: string, target: string): Mention | undefined {
    return this.#one('SELECT id, mention FROM mentions WHERE source = ? AND target = ?', source, target);
  }

  /** Returns the mention that represents a mention's source on its page, if there is one. */
  leader(mention: Pick<Mention, 'source' | 'readAt' | 'target'>): Mention | undefined {
    const sql = 'SELECT id, mention FROM mentions WHERE page = ? AND origin = ? AND leads = 1';
    return this.#one(sql, this.pages.pageOf(mention.target), sourceIdentity(mention));
  }

  /** Returns whether a mention represents its source on its page. */
  isLeading(id: string): boolean {
    return this.rows('SELECT leads FROM mentions WHERE id = ?', id)[0]?.['leads'] === 1;
  }

  /** Returns the URL of the author with this handle; undefined if no mention by that author is shown. */
  personUrl(handle: string): string | undefined {
    const sql = 'SELECT id, mention FROM mentions WHERE person = ? AND leads = 1 LIMIT 1';
    return this.#one(sql, handle)?.facts.author?.url;
  }

  /** Returns the highest `wm-id` of all mentions; 0 if there are no mentions. */
  highestNumber(): number {
    return Number(this.rows('SELECT number FROM mentions ORDER BY number DESC LIMIT 1')[0]?.['number'] ?? 0);
  }

  /** Returns the addresses whose mentions haven't followed yet. */
  moves(): string[] {
    return this.rows('SELECT address FROM mention_moves').map(({ address }) => String(address));
  }

  /** Returns the value of a row of mention_state; undefined if there is none. */
  state(name: 'base' | 'words' | 'blocks'): string | undefined {
    const [row] = this.rows('SELECT value FROM mention_state WHERE name = ?', name);
    return row && String(row['value']);
  }
}
