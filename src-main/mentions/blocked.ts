import { createHash } from 'node:crypto';
import { type TObject, Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { rowsIn, withClosedRecords } from '../storage/records/closed-records.ts';
import type { WriteOptions } from '../storage/records/group-commit.ts';
import {
  asChecked,
  readRow,
  recordTable,
  type RecordTable,
  type Row,
} from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { hostAt, personAddress } from './mention.ts';

/** People or sites whose mentions the owner refuses. */
export interface BlockList {
  /** Returns the entries in alphabetical order. */
  list(): string[];
  /**
   * Blocks a person or a site; returns the list.
   * @throws PorchlightError `invalid_request` if the text names none.
   */
  add(text: string): Promise<string[]>;
  /**
   * Unblocks a person or a site; returns the list.
   * @throws PorchlightError `invalid_request` if the text names none.
   */
  remove(text: string): Promise<string[]>;
  /** Returns whether a person or a site is blocked; false for a text that names none. */
  matches(text: string): boolean;
  /** Returns a text that is the same as long as the list is; empty for an empty list. */
  version(): string;
}

/** What the owner can block. */
interface BlockKind {
  readonly table: RecordTable<TObject, Row>;
  readonly column: string;
  /** Returns the form in which an entry is stored; undefined for a text that names none. */
  readonly entryOf: (text: string) => string | undefined;
  /** Returns the entries that block an entry: itself, and all that include it. */
  readonly covering: (entry: string) => readonly string[];
  readonly isNone: (text: string) => string;
}

/** Sites. A domain includes all its subdomains. A host may include a port. */
export const blockedSites: BlockKind = {
  table: recordTable({
    name: 'blocked_sites',
    row: closed({ domain: Type.String() }),
    isSound: ({ domain }) => domainName(domain) === domain,
    create: 'CREATE TABLE IF NOT EXISTS blocked_sites (domain TEXT PRIMARY KEY) STRICT',
    format: 1,
    cleaned: asChecked,
  }),
  column: 'domain',
  entryOf: domainName,
  covering: coveringDomains,
  isNone: (text) => `"${text}" is not a domain name.`,
};

/** People, by their addresses (see personAddress). */
export const blockedPeople: BlockKind = {
  table: recordTable({
    name: 'blocked_people',
    row: closed({ author: Type.String() }),
    isSound: ({ author }) => author !== '' && personAddress(author) === author,
    create: 'CREATE TABLE IF NOT EXISTS blocked_people (author TEXT PRIMARY KEY) STRICT',
    format: 1,
    cleaned: asChecked,
  }),
  column: 'author',
  entryOf: (text) => personAddress(text) || undefined,
  covering: (author) => [author],
  isNone: (text) => `"${text}" is not a web address.`,
};

const kinds = [blockedSites, blockedPeople];

const insertOf = ({ table, column }: BlockKind) =>
  `INSERT OR IGNORE INTO ${table.name} (${column}) VALUES (?)`;

async function entriesIn(dir: string, { table, column }: BlockKind): Promise<string[]> {
  return (await rowsIn(dir, table)).map((row) => String(row[column]));
}

/** Reads the blocked people and sites from a data folder, even while a server uses the folder. */
export async function blockedIn(dir: string): Promise<string[]> {
  const entries: string[] = [];
  for (const kind of kinds) entries.push(...(await entriesIn(dir, kind)));
  return entries.sort();
}

/** Adds what the folder `here` blocks to what the folder `there` blocks. No server may be using `there`. */
export async function keepBlocked(here: string, there: string): Promise<void> {
  for (const kind of kinds) {
    const entries = await entriesIn(here, kind);
    await withClosedRecords(there, [kind.table], (database) => {
      const add = database.prepare(insertOf(kind));
      for (const entry of entries) add.run(entry);
    });
  }
}

/** Creates the functions that read and change what is blocked. They also throw the errors of Records. */
export function createBlockList(
  records: Pick<Records, 'rows' | 'write' | 'openings'>,
  kind: BlockKind,
): BlockList {
  const { table, column, entryOf, covering } = kind;
  /** The entries as they were read last, because each mention is compared with them several times. */
  let known: Known | undefined;

  function current(): Known {
    if (known?.opening === records.openings) return known;
    const sql = `SELECT ${column} FROM ${table.name} ORDER BY ${column}`;
    const entries = records.rows((row) => String(readRow(table, row)[column]), sql);
    const version = entries.length === 0 ? '' : hashOf(entries);
    return (known = { entries: new Set(entries), version, opening: records.openings });
  }
  const list = () => [...current().entries];

  async function change(sql: string, text: string, how?: WriteOptions): Promise<string[]> {
    const entry = entryOf(text);
    if (entry === undefined) throw new PorchlightError('invalid_request', kind.isNone(text));
    await records.write(({ run }) => {
      known = undefined;
      run(sql, entry);
    }, how);
    return list();
  }

  return {
    list,
    add: (text) => change(insertOf(kind), text, { ends: true }),
    remove: (text) => change(`DELETE FROM ${table.name} WHERE ${column} = ?`, text),
    matches(text) {
      const { entries } = current();
      const entry = entries.size === 0 ? undefined : entryOf(text);
      return entry !== undefined && covering(entry).some((one) => entries.has(one));
    },
    version: () => current().version,
  };
}

interface Known {
  readonly entries: ReadonlySet<string>;
  readonly version: string;
  readonly opening: number;
}

const hashOf = (entries: readonly string[]) =>
  createHash('sha256').update(entries.join('\n')).digest('base64url').slice(0, 22);

/** Who says something about a page, and through which addresses. */
export interface Sayer {
  readonly source: string;
  /** The URL at which the source was read, after redirects. */
  readonly readAt?: string | undefined;
  /** The author's address, if known. */
  readonly author?: string | undefined;
}

/** What the owner blocks. */
export interface Blocks {
  readonly sites: BlockList;
  readonly people: BlockList;
  /** Returns whether a mention is blocked: its author, through whatever source, or a site of one of its addresses. */
  covers(sayer: Sayer): boolean;
  /** Returns a text that is the same as long as both lists are; empty if nothing is blocked. */
  version(): string;
}

/** Creates the functions that read and change what the owner blocks. They also throw the errors of Records. */
export function createBlocks(records: Pick<Records, 'rows' | 'write' | 'openings'>): Blocks {
  const [sites, people] = [createBlockList(records, blockedSites), createBlockList(records, blockedPeople)];
  return {
    sites,
    people,
    covers: ({ source, readAt = source, author = '' }) =>
      people.matches(author) || [source, readAt, author].some((address) => sites.matches(hostAt(address))),
    version: () => [sites.version(), people.version()].join(' ').trim(),
  };
}

/** Blocks nothing. */
export const noBlocks: Pick<Blocks, 'covers' | 'version'> = { covers: () => false, version: () => '' };

/**
 * Returns a host's name in the form used for comparison: lowercase, internationalized names in ASCII, without a port or
 * a trailing dot. Returns undefined if the string can't be a host name.
 */
function domainName(text: string): string | undefined {
  const bare = text.trim().replace(/^\.+/, '');
  if (bare === '' || bare.length > 300 || /[\s/\\?#@%]/.test(bare)) return undefined;
  const address = `http://${bare}`;
  if (!URL.canParse(address)) return undefined;
  const name = new URL(address).hostname.replace(/\.+$/, '');
  return name === '' ? undefined : name;
}

/** Returns the domains that cover a host: the host itself, and all domains above it. `host`: from domainName. */
function coveringDomains(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}
