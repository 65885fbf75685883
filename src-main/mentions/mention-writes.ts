import type { MentionStatus } from '../contract/webmentions.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';
import { handleOf } from '../posts/links.ts';
import { searchable } from '../storage/search-text.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import type { Row } from '../storage/records/record-table.ts';
import type { Versions } from '../storage/caches.ts';
import { mentionBytes, mentionText, roomFor } from './mention-limits.ts';
import type { Blocks } from './blocked.ts';
import type { MentionPages } from './mention-store.ts';
import { assertStorable, mentionOfRow, mentionReads } from './mention-table.ts';
import { authorOf, isShown, type Mention, mentionsOf, sourceIdentity } from './mention.ts';
import { underBlocks } from './moderation.ts';

/** The columns that counts and limits depend on. */
const countedColumns =
  'seq, id, at, page, origin, rank, verified, type, status, received, imported, site, bytes, leads, person';
/** The first of several mentions from a source of a page represents the source. */
const bestFirst = 'ORDER BY rank, verified DESC, at DESC, id DESC';

interface CountedRow {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  /** Absent if the mention isn't filed. Then the other values say nothing. */
  readonly page: string | undefined;
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
type FiledRow = CountedRow & { readonly page: string };

/** What decides where a mention is counted, and who hears of a change. */
export interface MentionFilingRules {
  readonly pages: MentionPages;
  readonly versions: Pick<Versions, 'changed'>;
  readonly blocks: Pick<Blocks, 'covers'>;
}

export type MentionWrites = ReturnType<typeof mentionWrites>;

/** Creates the functions that read and change mentions within a transaction. Call `flush` after the last change. */
export function mentionWrites({ rows, run }: Transaction, { pages, versions, blocks }: MentionFilingRules) {
  const placeOf = placesOnce(pages);
  const reads = mentionReads(rows, { ...pages, pageOf: (target) => placeOf(target).page });
  /** How much the counts and sizes change. Many mentions of a change may be of the same page. */
  const counts = createSums();
  const sizes = createSums();
  const storedBytes = new Map<string, number>();
  let nextSeq: number | undefined;

  function newSeq(): number {
    nextSeq ??= Number(rows('SELECT max(seq) AS seq FROM mentions')[0]?.['seq'] ?? 0) + 1;
    return nextSeq++;
  }

  const count = (sign: 1 | -1, { page, month, type, status }: FiledRow): void =>
    counts.add(page, `${type} ${status} ${month}`, sign);

  function measure(sign: 1 | -1, { page, isImported, site, bytes }: FiledRow): void {
    for (const party of isImported ? ['imported'] : ['received', `site ${site}`])
      sizes.add(page, party, sign * bytes);
  }

  /** Stores the sums of all changes so far. */
  function flushSums(): void {
    for (const [page, key, n] of counts.take()) {
      const [type = '', status = ''] = key.split(' ', 2);
      const month = key.slice(type.length + status.length + 2);
      run(
        'INSERT INTO mention_counts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n',
        ...[page, month, type, status, n],
      );
      if (n > 0) continue;
      run(
        'DELETE FROM mention_counts WHERE page = ? AND month = ? AND type = ? AND status = ? AND n = 0',
        ...[page, month, type, status],
      );
    }
    for (const [page, party, bytes] of sizes.take()) {
      run(
        'INSERT INTO mention_bytes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes',
        ...[page, party, bytes],
      );
      if (bytes < 0) run('DELETE FROM mention_bytes WHERE page = ? AND party = ? AND bytes = 0', page, party);
    }
    storedBytes.clear();
  }

  /** Makes a mention represent its source on its page, or stops that. */
  function setLeads(leads: boolean, row: FiledRow): void {
    if (!leads) countPerson(row);
    run('UPDATE mentions SET leads = ? WHERE seq = ?', leads ? 1 : 0, row.seq);
    if (leads) countPerson(row);
    count(leads ? 1 : -1, row);
  }

  /** Records that the list of known authors has changed, unless another shown mention has the same author. */
  function countPerson({ person }: Pick<CountedRow, 'person'>): void {
    if (person === null) return;
    const shown = rows('SELECT 1 FROM mentions WHERE person = ? AND leads = 1 LIMIT 2', person);
    if (shown.length === 1) versions.changed('people');
  }

  const best = (page: string, origin: string): FiledRow | undefined =>
    rows(
      `SELECT ${countedColumns} FROM mentions WHERE page = ? AND origin = ? ${bestFirst} LIMIT 1`,
      ...[page, origin],
    ).map(filedRow)[0];

  /** Chooses the mention that represents a source on a page, after the one that did was removed. */
  function elect({ page, origin }: CountedRow): void {
    const first = page === undefined ? undefined : best(page, origin);
    if (first && !first.leads) setLeads(true, first);
  }

  /** Removes a mention's row. Afterwards, call `elect` or `insert` for its page and origin. */
  function remove(row: CountedRow): void {
    if (isFiled(row)) {
      versions.changed(mentionsOf(row.page));
      if (row.leads) setLeads(false, row);
      measure(-1, row);
    }
    run('DELETE FROM mentions WHERE seq = ?', row.seq);
  }

  /** Adds a mention's row. Returns the mention as it counts: hidden if the owner blocks its author or its site. */
  function insert(given: Mention, seq: number): Mention {
    const author = authorOf(given);
    const isBlocked = blocks.covers({ source: given.source, readAt: given.readAt, author });
    const mention = underBlocks(given, isBlocked);
    const { id, source, target, facts, status, imported, wmId, received, parsed } = mention;
    const chosen = mention.chosen && mention.comment === undefined;
    const { address, page } = placeOf(target);
    const row = {
      seq,
      id,
      at: Date.parse(received),
      page,
      origin: sourceIdentity(mention),
      rank: rankForSource(mention),
      verified: Date.parse(parsed) || 0,
      month: received.slice(0, 7),
      type: facts.type,
      status,
      isImported: imported !== undefined,
      site: siteOfSource(source),
      bytes: mentionBytes(mention),
      person: personIn(mention),
      leads: false,
    };
    const { at, origin, rank, verified, site, bytes, person } = row;
    const other = best(page, origin);
    const leads = other === undefined || isBetter(row, other);
    if (other && other.leads === leads) setLeads(!leads, other);
    run(
      `INSERT INTO mentions (seq, id, mention, at, source, target, address, page, origin, rank, verified, leads, host,
         site, bytes, type, status, chosen, imported, number, received, person, author, blocked)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[seq, id, mentionText(mention), at, source, target, address, page, origin, rank, verified],
      ...[leads ? 1 : 0, hostOfSource(source), site, bytes, facts.type, status, chosen ? 1 : 0],
      ...[imported ? 1 : 0, wmId, received, person, author, isBlocked ? 1 : 0],
    );
    versions.changed(mentionsOf(page));
    measure(1, row);
    if (leads) {
      countPerson(row);
      count(1, row);
    }
    return mention;
  }

  /** Changes the searchable text of a mention. */
  function setWords(seq: number, words: string | undefined): void {
    const [known] = rows('SELECT words FROM mention_words WHERE rowid = ?', seq);
    if (known?.['words'] === words) return;
    if (known) run('DELETE FROM mention_words WHERE rowid = ?', seq);
    if (words !== undefined) run('INSERT INTO mention_words (rowid, words) VALUES (?, ?)', seq, words);
  }

  const counted = (where: string, ...cells: readonly (string | number)[]): CountedRow[] =>
    rows(`SELECT ${countedColumns} FROM mentions WHERE ${where}`, ...cells).map(countedRow);

  /** Adds a mention that isn't there, neither with its id nor with its source and target. */
  function add(mention: Mention): Mention {
    const seq = newSeq();
    const added = insert(mention, seq);
    run('INSERT INTO mention_words (rowid, words) VALUES (?, ?)', seq, wordsOf(mention));
    return added;
  }

  /** Stores the current version of a mention. */
  function put(mention: Mention): Mention {
    const { id, source, target } = mention;
    // A source and target can have only one mention. If a backup has more, the last one replaces the others.
    const before = counted('id = ? OR (source = ? AND target = ?)', id, source, target);
    for (const row of before) {
      remove(row);
      if (row.id !== id) setWords(row.seq, undefined);
    }
    const seq = before.find((row) => row.id === id)?.seq ?? newSeq();
    const stored = insert(mention, seq);
    setWords(seq, wordsOf(mention));
    for (const row of before) elect(row);
    return stored;
  }

  /** Derives everything about the place of a mention again, and returns the mention. Its text stays. */
  function file(mention: Mention): Mention {
    const [row] = counted('id = ?', mention.id);
    if (row === undefined) return mention;
    remove(row);
    const filed = insert(mention, row.seq);
    elect(row);
    return filed;
  }

  /** Returns how many bytes the mentions of a party on a page use, with the changes so far. */
  function bytesOf(page: string, party: string): number {
    const key = `${party} ${page}`;
    const stored = storedBytes.get(key) ?? reads.bytes(page, party);
    storedBytes.set(key, stored);
    return stored + sizes.of(page, party);
  }

  /** Returns how many bytes a mention may use on its page, if it replaces `before`. */
  function room(mention: Pick<Mention, 'source' | 'target' | 'imported'>, before: Mention | undefined) {
    const { page } = placeOf(mention.target);
    return roomFor(mention, before, {
      get received() {
        return bytesOf(page, 'received');
      },
      get ofSite() {
        return bytesOf(page, `site ${siteOfSource(mention.source)}`);
      },
      get imported() {
        return bytesOf(page, 'imported');
      },
    });
  }

  const some = (sql: string, ...cells: readonly (string | number)[]) =>
    rows(`SELECT seq, id, target, address, page, mention FROM mentions ${sql} LIMIT ?`, ...cells);

  return {
    ...reads,
    /**
     * Adds a mention, or replaces its previous version. Returns the mention as it counts: hidden if it is blocked.
     * @throws PorchlightError `storage_invalid`
     */
    put(mention: Mention): Mention {
      assertStorable(mention);
      return put(mention);
    },
    /**
     * Adds a mention that isn't there, neither with its id nor with its source and target. Returns it like `put`.
     * @throws PorchlightError `storage_invalid`
     */
    add(mention: Mention): Mention {
      assertStorable(mention);
      return add(mention);
    },
    /** Hides a mention, or takes that back, as the owner's blocks are now. Returns it; undefined if it isn't there. */
    applyBlocks(id: string): Mention | undefined {
      const mention = reads.get(id);
      return mention && file(mention);
    },
    /** Removes a mention as if it had never been there. Returns it, if it was there. */
    erase(id: string): Mention | undefined {
      const mention = reads.get(id);
      for (const row of counted('id = ?', id)) {
        remove(row);
        setWords(row.seq, undefined);
        elect(row);
      }
      return mention;
    },
    roomFor: room,

    /** Files up to `most` of the mentions that aren't filed yet. */
    fileRestored(most: number): void {
      for (const row of some('WHERE author IS NULL ORDER BY seq', most)) put(mentionOfRow(row));
    },
    /** Leaves the first mention that isn't filed yet out of all lists. */
    leaveOut(): void {
      run(
        `UPDATE mentions SET page = '', author = '' WHERE seq = (SELECT min(seq) FROM mentions WHERE author IS NULL)`,
      );
    },
    /**
     * Determines the addresses of up to `most` mentions again, after this server's own address has changed. `after`: the
     * result of the call before; 0 at first. Returns undefined after the last mention.
     */
    readdress(after: number, most: number): number | undefined {
      const found = some("WHERE seq > ? AND page <> '' ORDER BY seq", after, most);
      for (const row of found)
        if (pages.addressOf(String(row['target'])) !== row['address']) file(mentionOfRow(row));
      const last = found.at(-1);
      return last && Number(last['seq']);
    },
    /**
     * Moves up to `most` mentions of an address from a page to the page that is there now. Returns how many were moved.
     */
    move({ address, page }: { readonly address: string; readonly page: string }, most: number): number {
      if (pages.pageAt(address) === page) return 0;
      const found = some('WHERE address = ? AND page = ?', address, page, most);
      for (const row of found) file(mentionOfRow(row));
      return found.length;
    },
    /** Records that the mentions of an address have followed. */
    endMove: (address: string): void => void run('DELETE FROM mention_moves WHERE address = ?', address),
    /** Adds the text of up to `most` mentions after the mention `after` to a new full-text table. */
    addWords(after: number, most: number): number | undefined {
      const found = some("WHERE seq > ? AND page <> '' ORDER BY seq", after, most);
      for (const row of found) setWords(Number(row['seq']), wordsOf(mentionOfRow(row)));
      const last = found.at(-1);
      return last && Number(last['seq']);
    },
    /**
     * Stores what the changes add up to, and writes the changed words into the full-text table. Otherwise, SQLite does
     * the latter later in the transaction, where a damaged table would refuse the changes of others, too.
     */
    flush(): void {
      flushSums();
      run('SAVEPOINT words');
      run('RELEASE words');
    },
    /** Stores a row of mention_state, or removes it. */
    setState(name: 'base' | 'words' | 'blocks', value: string | undefined): void {
      if (value === undefined) run('DELETE FROM mention_state WHERE name = ?', name);
      else run('INSERT OR REPLACE INTO mention_state VALUES (?, ?)', name, value);
    },
  };
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

/** Sums of numbers in memory, by page and another key. */
function createSums() {
  const all = new Map<string, Map<string, number>>();
  return {
    add(page: string, key: string, by: number): void {
      const ofPage = all.get(page) ?? new Map<string, number>();
      all.set(page, ofPage.set(key, (ofPage.get(key) ?? 0) + by));
    },
    of: (page: string, key: string): number => all.get(page)?.get(key) ?? 0,
    /** Yields every sum that isn't 0, and begins anew. */
    *take(): Generator<readonly [page: string, key: string, sum: number]> {
      for (const [page, sums] of all) for (const [key, sum] of sums) if (sum !== 0) yield [page, key, sum];
      all.clear();
    },
  };
}

/** Returns whether a mention comes before another one in the order `bestFirst`. */
function isBetter(a: CountedRow, b: CountedRow): boolean {
  const difference = a.rank - b.rank || b.verified - a.verified || b.at - a.at;
  return difference < 0 || (difference === 0 && a.id > b.id);
}

const hostOfSource = (source: string): string => (URL.canParse(source) ? hostOf(new URL(source)) : '');

/** Returns the searchable text of a mention. */
const wordsOf = ({ source, facts: { author, name, content } }: Mention): string =>
  searchable([source, author?.name, name, content?.value].filter((part) => part !== undefined).join('\n'));

const personIn = (mention: Mention) =>
  isShown(mention) ? (handleOf(mention.facts.author?.url ?? '') ?? null) : null;

const isFiled = (row: CountedRow): row is FiledRow => row.page !== undefined;

const countedRow = (row: Row): CountedRow => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  at: Number(row['at']),
  page: row['page'] ? String(row['page']) : undefined,
  origin: String(row['origin']),
  rank: Number(row['rank']),
  verified: Number(row['verified']),
  month: String(row['received']).slice(0, 7),
  type: String(row['type']),
  status: String(row['status']),
  isImported: row['imported'] === 1,
  site: String(row['site']),
  bytes: Number(row['bytes']),
  leads: row['leads'] === 1,
  person: row['person'] === null ? null : String(row['person']),
});

/** Converts a row that was found by its page. */
const filedRow = (row: Row): FiledRow => ({ ...countedRow(row), page: String(row['page']) });

/** Returns the site that a source belongs to. On each page, the mentions from one site share one size limit. */
const siteOfSource = (source: string): string =>
  URL.canParse(source) ? siteOfHost(hostOf(new URL(source))) : source;

/**
 * The order in which the mentions from one source of a page represent that source. What the owner decided comes first.
 * So a source that the owner deleted or hid stays away, whichever spelling of the page it links to.
 */
const order: Readonly<Record<MentionStatus, number>> = {
  deleted: 0,
  hidden: 1,
  approved: 3,
  held: 4,
  removed: 5,
};
const heldByOwner = 2;

const hostIn = (url: string): string => (URL.canParse(url) ? hostOf(new URL(url)) : url);

/**
 * Returns the rank of a mention among the mentions from the same source on the same page. The mention with the lowest
 * rank represents the source: only that one is shown and counted. Of several with that rank, it is the one that was
 * verified last.
 *
 * A source that redirects to another host comes last, so that nobody can influence the mentions of another host by
 * redirecting to it.
 */
function rankForSource({ status, chosen, source, readAt = source }: Mention): number {
  const rank = status === 'held' && chosen ? heldByOwner : order[status];
  if (readAt === source) return 10 * rank;
  return (hostIn(readAt) === hostIn(source) ? 1 : 101) + 10 * rank;
}
