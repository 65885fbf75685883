import { searchable } from '../storage/search-text.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import type { Row } from '../storage/records/record-table.ts';
import type { Versions } from '../storage/caches.ts';
import { mentionText, roomFor } from './mention-limits.ts';
import type { Blocks } from './blocked.ts';
import type { MentionPages } from './mention-pages.ts';
import { assertStorable, mentionOfRow, MentionReads } from './mention-table.ts';
import { authorOf, hostAt, type Mention, mentionsOf } from './mention.ts';
import { underBlocks } from './moderation.ts';
import {
  bestFirst,
  countedColumns,
  type CountedRow,
  countedRow,
  type FiledRow,
  filedRow,
  isBetter,
  isFiled,
  rowToInsert,
  siteOfSource,
} from './source-rank.ts';

/** What decides where a mention is counted, and who hears of a change. */
export interface MentionFilingRules {
  readonly pages: MentionPages;
  readonly versions: Pick<Versions, 'changed'>;
  readonly blocks: Pick<Blocks, 'covers'>;
}

/** Reads and changes mentions within a transaction. Call `flush` after the last change. */
export class MentionWrites extends MentionReads {
  readonly #run: Transaction['run'];
  readonly #versions: MentionFilingRules['versions'];
  readonly #blocks: MentionFilingRules['blocks'];
  readonly #placeOf: ReturnType<typeof placesOnce>;
  /** How many bytes the mentions of a party on a page use, with the changes so far. */
  readonly #taken = new Map<string, number>();
  #nextSeq: number | undefined;

  constructor({ rows, run }: Transaction, { pages, versions, blocks }: MentionFilingRules) {
    const placeOf = placesOnce(pages);
    super(rows, { ...pages, pageOf: (target) => placeOf(target).page });
    this.#placeOf = placeOf;
    this.#run = run;
    this.#versions = versions;
    this.#blocks = blocks;
  }

  /**
   * Adds a mention, or replaces its previous version. Returns the mention as it counts: hidden if it is blocked.
   * @throws PorchlightError `storage_invalid`
   */
  put(mention: Mention): Mention {
    assertStorable(mention);
    return this.#put(mention);
  }

  /**
   * Adds a mention that isn't there, neither with its id nor with its source and target. Returns it like `put`.
   * @throws PorchlightError `storage_invalid`
   */
  add(mention: Mention): Mention {
    assertStorable(mention);
    const seq = this.#newSeq();
    const added = this.#insert(mention, seq);
    this.#run('INSERT INTO mention_words (rowid, words) VALUES (?, ?)', seq, wordsOf(mention));
    return added;
  }

  /** Hides a mention, or takes that back, as the owner's blocks are now. Returns it; undefined if it isn't there. */
  applyBlocks(id: string): Mention | undefined {
    const mention = this.get(id);
    return mention && this.#file(mention);
  }

  /** Removes a mention as if it had never been there. Returns it, if it was there. */
  erase(id: string): Mention | undefined {
    const mention = this.get(id);
    for (const row of this.#counted('id = ?', id)) {
      this.#remove(row);
      this.#setWords(row.seq, undefined);
      this.#elect(row);
    }
    return mention;
  }

  /** Returns how many bytes a mention may use on its page, if it replaces `before`. */
  roomFor(mention: Pick<Mention, 'source' | 'target' | 'imported'>, before: Mention | undefined): number {
    const { page } = this.#placeOf(mention.target);
    return roomFor(mention, before, (party) =>
      this.#bytesOf(page, party === 'ofSite' ? `site ${siteOfSource(mention.source)}` : party),
    );
  }

  /** Files up to `most` of the mentions that aren't filed yet. */
  fileRestored(most: number): void {
    for (const row of this.#some('WHERE author IS NULL ORDER BY seq', most)) this.#put(mentionOfRow(row));
  }

  /** Leaves the first mention that isn't filed yet out of all lists. */
  leaveOut(): void {
    this.#run(
      `UPDATE mentions SET page = '', author = '' WHERE seq = (SELECT min(seq) FROM mentions WHERE author IS NULL)`,
    );
  }

  /**
   * Determines the addresses of up to `most` mentions again, after this server's own address has changed. `after`: the
   * result of the call before; 0 at first. Returns undefined after the last mention.
   */
  readdress(after: number, most: number): number | undefined {
    const found = this.#some("WHERE seq > ? AND page <> '' ORDER BY seq", after, most);
    for (const row of found)
      if (this.pages.addressOf(String(row['target'])) !== row['address']) this.#file(mentionOfRow(row));
    return lastSeq(found);
  }

  /** Moves up to `most` mentions of an address from a page to the page that is there now. Returns how many were moved. */
  move({ address, page }: { readonly address: string; readonly page: string }, most: number): number {
    if (this.pages.pageAt(address) === page) return 0;
    const found = this.#some('WHERE address = ? AND page = ?', address, page, most);
    for (const row of found) this.#file(mentionOfRow(row));
    return found.length;
  }

  /** Records that the mentions of an address have followed. */
  endMove(address: string): void {
    this.#run('DELETE FROM mention_moves WHERE address = ?', address);
  }

  /** Adds the text of up to `most` mentions after the mention `after` to a new full-text table. */
  addWords(after: number, most: number): number | undefined {
    const found = this.#some("WHERE seq > ? AND page <> '' ORDER BY seq", after, most);
    for (const row of found) this.#setWords(Number(row['seq']), wordsOf(mentionOfRow(row)));
    return lastSeq(found);
  }

  /**
   * Writes the changed words into the full-text table. Otherwise, SQLite does that later in the transaction, where a
   * damaged table would refuse the changes of others, too.
   */
  flush(): void {
    this.#run('SAVEPOINT words');
    this.#run('RELEASE words');
  }

  /** Stores a row of mention_state, or removes it. */
  setState(name: 'base' | 'words' | 'blocks', value: string | undefined): void {
    if (value === undefined) this.#run('DELETE FROM mention_state WHERE name = ?', name);
    else this.#run('INSERT OR REPLACE INTO mention_state VALUES (?, ?)', name, value);
  }

  #newSeq(): number {
    this.#nextSeq ??= Number(this.rows('SELECT max(seq) AS seq FROM mentions')[0]?.['seq'] ?? 0) + 1;
    return this.#nextSeq++;
  }

  #some(sql: string, ...cells: readonly (string | number)[]): Row[] {
    return this.rows(`SELECT seq, id, target, address, page, mention FROM mentions ${sql} LIMIT ?`, ...cells);
  }

  #counted(where: string, ...cells: readonly (string | number)[]): CountedRow[] {
    return this.rows(`SELECT ${countedColumns} FROM mentions WHERE ${where}`, ...cells).map(countedRow);
  }

  #bytesOf(page: string, party: string): number {
    const key = `${party} ${page}`;
    const known = this.#taken.get(key);
    if (known !== undefined) return known;
    const site = party.startsWith('site ') ? [party.slice('site '.length)] : [];
    const sql = `SELECT total(bytes) AS bytes FROM mentions WHERE page = ? AND imported = ?${site.length > 0 ? ' AND site = ?' : ''}`;
    const [row] = this.rows(sql, page, party === 'imported' ? 1 : 0, ...site);
    const bytes = Number(row?.['bytes']);
    this.#taken.set(key, bytes);
    return bytes;
  }

  #measure(sign: 1 | -1, { page, isImported, site, bytes }: FiledRow): void {
    for (const party of isImported ? ['imported'] : ['received', `site ${site}`]) {
      const key = `${party} ${page}`;
      const known = this.#taken.get(key);
      if (known !== undefined) this.#taken.set(key, known + sign * bytes);
    }
  }

  /** Makes a mention represent its source on its page, or stops that. */
  #setLeads(leads: boolean, row: FiledRow): void {
    if (!leads) this.#countPerson(row);
    this.#run('UPDATE mentions SET leads = ? WHERE seq = ?', leads ? 1 : 0, row.seq);
    if (leads) this.#countPerson(row);
  }

  /** Records that the list of known authors has changed, unless another shown mention has the same author. */
  #countPerson({ person }: Pick<CountedRow, 'person'>): void {
    if (person === null) return;
    const shown = this.rows('SELECT 1 FROM mentions WHERE person = ? AND leads = 1 LIMIT 2', person);
    if (shown.length === 1) this.#versions.changed('people');
  }

  #best(page: string, origin: string): FiledRow | undefined {
    const sql = `SELECT ${countedColumns} FROM mentions WHERE page = ? AND origin = ? ${bestFirst} LIMIT 1`;
    return this.rows(sql, page, origin).map(filedRow)[0];
  }

  /** Chooses the mention that represents a source on a page, after the one that did was removed. */
  #elect({ page, origin }: CountedRow): void {
    const first = page === undefined ? undefined : this.#best(page, origin);
    if (first && !first.leads) this.#setLeads(true, first);
  }

  /** Removes a mention's row. Afterwards, call `#elect` or `#insert` for its page and origin. */
  #remove(row: CountedRow): void {
    if (isFiled(row)) {
      this.#versions.changed(mentionsOf(row.page));
      if (row.leads) this.#setLeads(false, row);
      this.#measure(-1, row);
    }
    this.#run('DELETE FROM mentions WHERE seq = ?', row.seq);
  }

  /** Adds a mention's row. Returns the mention as it counts: hidden if the owner blocks its author or its site. */
  #insert(given: Mention, seq: number): Mention {
    const author = authorOf(given);
    const isBlocked = this.#blocks.covers({ source: given.source, readAt: given.readAt, author });
    const mention = underBlocks(given, isBlocked);
    const { id, source, target, facts, status, imported, wmId, received } = mention;
    const chosen = mention.chosen && mention.comment === undefined;
    const { address, page } = this.#placeOf(target);
    const row = rowToInsert(mention, seq, page);
    const { at, origin, rank, verified, site, bytes, person } = row;
    const other = this.#best(page, origin);
    const leads = other === undefined || isBetter(row, other);
    if (other && other.leads === leads) this.#setLeads(!leads, other);
    this.#run(
      `INSERT INTO mentions (seq, id, mention, at, source, target, address, page, origin, rank, verified, leads, host,
         site, bytes, type, status, chosen, imported, number, received, person, author, blocked)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      seq,
      id,
      mentionText(mention),
      at,
      source,
      target,
      address,
      page,
      origin,
      rank,
      verified,
      leads ? 1 : 0,
      hostAt(source),
      site,
      bytes,
      facts.type,
      status,
      chosen ? 1 : 0,
      imported ? 1 : 0,
      wmId,
      received,
      person,
      author,
      isBlocked ? 1 : 0,
    );
    this.#versions.changed(mentionsOf(page));
    this.#measure(1, row);
    if (leads) this.#countPerson(row);
    return mention;
  }

  /** Changes the searchable text of a mention. */
  #setWords(seq: number, words: string | undefined): void {
    const [known] = this.rows('SELECT words FROM mention_words WHERE rowid = ?', seq);
    if (known?.['words'] === words) return;
    if (known) this.#run('DELETE FROM mention_words WHERE rowid = ?', seq);
    if (words !== undefined) this.#run('INSERT INTO mention_words (rowid, words) VALUES (?, ?)', seq, words);
  }

  /** Stores the current version of a mention. */
  #put(mention: Mention): Mention {
    const { id, source, target } = mention;
    // A source and target can have only one mention. If a backup has more, the last one replaces the others.
    const before = this.#counted('id = ? OR (source = ? AND target = ?)', id, source, target);
    for (const row of before) {
      this.#remove(row);
      if (row.id !== id) this.#setWords(row.seq, undefined);
    }
    const seq = before.find((row) => row.id === id)?.seq ?? this.#newSeq();
    const stored = this.#insert(mention, seq);
    this.#setWords(seq, wordsOf(mention));
    for (const row of before) this.#elect(row);
    return stored;
  }

  /** Derives everything about the place of a mention again, and returns the mention. Its text stays. */
  #file(mention: Mention): Mention {
    const [row] = this.#counted('id = ?', mention.id);
    if (row === undefined) return mention;
    this.#remove(row);
    const filed = this.#insert(mention, row.seq);
    this.#elect(row);
    return filed;
  }
}

function lastSeq(rows: readonly Row[]): number | undefined {
  const last = rows.at(-1);
  return last && Number(last['seq']);
}

/** Finds the address and page of each target once. The posts don't change during a transaction. */
function placesOnce(pages: MentionPages) {
  const known = new Map<string, { readonly address: string; readonly page: string }>();
  return (target: string) => {
    const before = known.get(target);
    if (before) return before;
    const address = pages.addressOf(target);
    const place = { address, page: pages.pageAt(address) };
    known.set(target, place);
    return place;
  };
}

/** Returns the searchable text of a mention. */
const wordsOf = ({ source, facts: { author, name, content } }: Mention): string =>
  searchable([source, author?.name, name, content?.value].filter((part) => part !== undefined).join('\n'));
