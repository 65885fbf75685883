import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { choice, closed } from '../../../src-main/contract/shapes.ts';
import { grantTable } from '../../../src-main/sign-in/grant.ts';
import { mediaTable } from '../../../src-main/media/media-rows.ts';
import { mergeRows } from '../../../src-main/storage/records/salvage.ts';
import {
  asChecked,
  insertInto,
  recordTable,
  type RecordTable,
  type Row,
} from '../../../src-main/storage/records/record-table.ts';
import { createTables, openUnchanged } from '../../../src-main/storage/records/records-file.ts';
import { DatabaseSync, type Database } from '../../../src-main/storage/sqlite.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

/** A grant of the copy counts only if the damaged database still has it and didn't revoke it. */
const grants = recordTable({
  name: 'grants',
  row: closed({ id: Type.String(), state: choice('valid', 'revoked') }),
  create: 'CREATE TABLE IF NOT EXISTS grants (id TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT',
  format: 1,
  cleaned: asChecked,
  merge: (older, damaged) =>
    older?.state === 'revoked' ? older : (damaged ?? (older && { ...older, state: 'revoked' as const })),
});

/** A mention that only the copy has is held. */
const mentions = recordTable({
  name: 'mentions',
  row: closed({ page: Type.String(), source: Type.String(), state: choice('shown', 'hidden', 'held') }),
  create: `CREATE TABLE IF NOT EXISTS mentions (page TEXT, source TEXT, state TEXT NOT NULL,
    PRIMARY KEY (page, source)) STRICT, WITHOUT ROWID`,
  format: 1,
  cleaned: asChecked,
  merge: (older, damaged) =>
    damaged
      ? { ...damaged, state: older?.state === 'hidden' ? 'hidden' : damaged.state }
      : older && { ...older, state: older.state === 'shown' ? 'held' : older.state },
});

/** A row that the rule drops stays away, although the copy has it. */
const notes = recordTable({
  name: 'notes',
  row: closed({ id: Type.Integer(), text: Type.String() }),
  create: 'CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT',
  format: 1,
  cleaned: asChecked,
  merge: (older, damaged) => (damaged?.text === 'deleted' ? undefined : (damaged ?? older)),
});

async function databaseOf(table: RecordTable, rows: readonly Row[]): Promise<string> {
  const file = join(await temporaryFolder(), `${table.name}.sqlite`);
  const database = new DatabaseSync(file);
  createTables(database, [table]);
  const insert = database.prepare(insertInto(table));
  database.exec('BEGIN');
  for (const row of rows) insert.run(...Object.values(row));
  database.exec('COMMIT');
  database.close();
  return file;
}

/** Returns the rows of the new database, and whether rows may be missing. */
async function merged(
  table: RecordTable,
  damagedRows: readonly Row[] | undefined,
  copyRows: readonly Row[],
  rowsWithoutLog?: readonly Row[],
) {
  const open: Database[] = [];
  const opened = async (rows: readonly Row[]) => {
    const database = openUnchanged(await databaseOf(table, rows));
    open.push(database);
    return database;
  };
  const database = new DatabaseSync(':memory:');
  open.push(database);
  createTables(database, [table]);
  const isPartial = await mergeRows(database, table, {
    damaged: damagedRows && (await opened(damagedRows)),
    copy: await opened(copyRows),
    withoutLog: rowsWithoutLog && (await opened(rowsWithoutLog)),
  });
  const rows = database.prepare(`SELECT * FROM ${table.name} ORDER BY 1, 2`).all();
  for (const one of open) one.close();
  return { rows: rows.map((row) => Object.values(row).join(' ')), isPartial };
}

const grant = (id: string, state: string) => ({ id, state });
const mention = (source: string, state: string) => ({ page: 'a', source, state });

/** A table whose primary key isn't recorded. Another column identifies a row. */
const sites = recordTable({
  name: 'sites',
  row: closed({ host: Type.String(), state: choice('open', 'closed') }),
  create: `CREATE TABLE IF NOT EXISTS sites (id INTEGER PRIMARY KEY, host TEXT NOT NULL UNIQUE, state TEXT NOT NULL,
    UNIQUE (id, host)) STRICT`,
  format: 1,
  cleaned: asChecked,
  merge: (older, damaged) => (older?.state === 'closed' ? older : damaged),
});

describe('the rows of a damaged database and its copy', () => {
  test('a grant that only the copy has is not valid, and a revocation of either counts', async () => {
    const damaged = [
      grant('both', 'valid'),
      grant('later', 'revoked'),
      grant('new', 'valid'),
      grant('old', 'valid'),
    ];
    const copy = [
      grant('both', 'valid'),
      grant('later', 'valid'),
      grant('lost', 'valid'),
      grant('old', 'revoked'),
    ];
    expect(await merged(grants, damaged, copy)).toEqual({
      rows: ['both valid', 'later revoked', 'lost revoked', 'new valid', 'old revoked'],
      isPartial: false,
    });
  });

  test('if the database is gone, no grant of the copy is valid', async () => {
    const { rows, isPartial } = await merged(grants, undefined, [
      grant('one', 'valid'),
      grant('two', 'revoked'),
    ]);
    expect(rows).toEqual(['one revoked', 'two revoked']);
    expect(isPartial).toBe(true);
  });

  test('a mention that only the copy has is held, and a hidden one stays hidden', async () => {
    const damaged = [
      mention('here', 'shown'),
      mention('hidden-before', 'shown'),
      mention('hidden-since', 'hidden'),
    ];
    const copy = ['here', 'hidden-since', 'lost'].map((source) => mention(source, 'shown'));
    const { rows } = await merged(mentions, damaged, [...copy, mention('hidden-before', 'hidden')]);
    expect(rows).toEqual(['a here shown', 'a hidden-before hidden', 'a hidden-since hidden', 'a lost held']);
  });

  test('a row that the rule drops does not come back from the copy', async () => {
    const damaged = [
      { id: 1, text: 'deleted' },
      { id: 2, text: 'here' },
    ];
    const { rows } = await merged(notes, damaged, [
      { id: 1, text: 'before' },
      { id: 3, text: 'only in the copy' },
    ]);
    expect(rows).toEqual(['2 here', '3 only in the copy']);
  });

  test('a row is found by a unique column if its primary key isn’t recorded', async () => {
    const site = (host: string, state: string) => ({ host, state });
    const copy = [site('b.example', 'closed'), site('a.example', 'open'), site('c.example', 'open')];
    const { rows } = await merged(sites, [site('a.example', 'open'), site('b.example', 'open')], copy);
    expect(rows.map((row) => row.slice(2)).toSorted()).toEqual(['a.example open', 'b.example closed']);
  });

  test('a row that Porchlight could not have written is left out, and counts as missing', async () => {
    const { rows, isPartial } = await merged(grants, [grant('one', 'valid'), grant('two', 'nonsense')], []);
    expect(rows).toEqual(['one valid']);
    expect(isPartial).toBe(true);
  });

  test('the database without its log counts only if rows of the database are missing', async () => {
    const deleted = { id: 1, text: 'deleted since' };
    const here = { id: 2, text: 'here' };
    expect(await merged(notes, [here], [], [deleted, here])).toEqual({ rows: ['2 here'], isPartial: false });
    const lost = { id: 3, text: 'lost' };
    expect((await merged(notes, undefined, [], [here, lost])).rows).toEqual(['2 here', '3 lost']);
  });

  test('a row of the copy that Porchlight could not have written decides nothing', async () => {
    const dated = recordTable({
      name: 'dated',
      row: closed({ id: Type.String(), state: choice('valid', 'revoked'), at: Type.Integer({ minimum: 0 }) }),
      create:
        'CREATE TABLE IF NOT EXISTS dated (id TEXT PRIMARY KEY, state TEXT NOT NULL, at INTEGER NOT NULL) STRICT',
      format: 1,
      cleaned: asChecked,
      merge: (older, damaged) => (older?.state === 'revoked' ? older : damaged),
    });
    const now = { ...grant('one', 'valid'), at: 1 };
    const older = { ...grant('one', 'revoked'), at: -1 };
    expect((await merged(dated, [now], [older])).rows).toEqual(['one valid 1']);
    expect((await merged(dated, [now], [{ ...older, at: 0 }])).rows).toEqual(['one revoked 0']);
  });

  test('of 8,000 rows with every fifth page overwritten, all others are read within 10 s', async () => {
    const all = Array.from({ length: 8000 }, (_, id) => ({ id, text: `${id} ${'x'.repeat(1200)}` }));
    const file = await databaseOf(notes, all);
    const content = await readFile(file);
    const leaves = Array.from({ length: content.length / 4096 }, (_, index) => index).filter(
      (index) => index > 0 && content[index * 4096] === 0x0d,
    );
    const spoiled = leaves.filter((_, index) => index % 5 === 0);
    for (const leaf of spoiled) content.fill(0x5a, leaf * 4096, (leaf + 1) * 4096);
    await writeFile(file, content);
    const [database, damaged] = [new DatabaseSync(':memory:'), openUnchanged(file)];
    createTables(database, [notes]);
    const from = performance.now();
    await mergeRows(database, notes, { damaged, copy: undefined, withoutLog: undefined });
    expect(performance.now() - from).toBeLessThan(10_000);
    const found = database.prepare('SELECT count(*) AS count FROM notes').get();
    // A page has up to three rows.
    expect(Number(found?.['count'])).toBeGreaterThanOrEqual(8000 - 3 * spoiled.length);
    expect(Number(found?.['count'])).toBeLessThan(8000);
    damaged.close();
    database.close();
  });

  test('of a table without rowids are read from both ends', async () => {
    const all = Array.from({ length: 600 }, (_, turn) =>
      mention(`${String(turn).padStart(4, '0')}${'x'.repeat(100)}`, 'shown'),
    );
    const file = await databaseOf(mentions, all);
    const content = await readFile(file);
    content.fill(0x5a, 10 * 4096, 11 * 4096);
    await writeFile(file, content);
    const [database, damaged] = [new DatabaseSync(':memory:'), openUnchanged(file)];
    createTables(database, [mentions]);
    const isPartial = await mergeRows(database, mentions, {
      damaged,
      copy: undefined,
      withoutLog: undefined,
    });
    const found = database.prepare('SELECT count(*) AS count FROM mentions').get();
    expect(isPartial).toBe(true);
    expect(Number(found?.['count'])).toBeGreaterThan(540);
    expect(Number(found?.['count'])).toBeLessThan(600);
    damaged.close();
    database.close();
  });
});

describe('the tables of Porchlight', () => {
  const body = (id: string, revokedAt: number | null) => ({
    id,
    body: JSON.stringify({
      id,
      kind: 'app',
      me: 'https://me.example/',
      clientId: 'https://a.example/',
      clientName: 'A',
      clientLogo: null,
      scopes: [],
      createdAt: 1,
      lastUsedAt: null,
      endsAt: null,
      revokedAt,
      refresh: null,
    }),
  });

  test('the app of a grant that only the copy has must sign in again, and a grant that is revoked in either stays revoked', async () => {
    const damaged = [body('both', null), body('revoked-before', null), body('revoked-since', 7)];
    const copy = [
      body('both', null),
      body('lost', null),
      body('revoked-before', 5),
      body('revoked-since', null),
    ];
    const endsOf = (rows: readonly string[]) =>
      rows.map((row) => [
        row.split(' ')[0],
        /"revokedAt":(\w+)/.exec(row)?.[1],
        row.includes('"signedOutAt":'),
      ]);
    const { rows } = await merged(grantTable, damaged, copy);
    expect(endsOf(rows)).toEqual([
      ['both', 'null', false],
      ['lost', 'null', true],
      ['revoked-before', '5', false],
      ['revoked-since', '7', false],
    ]);
    expect(endsOf((await merged(grantTable, undefined, copy)).rows)).toEqual([
      ['both', 'null', true],
      ['lost', 'null', true],
      ['revoked-before', '5', false],
      ['revoked-since', 'null', true],
    ]);
  });

  test('a file that is deleted in either stays deleted', async () => {
    const file = (name: string, gone: number) => ({
      path: `/media/2026/11/${name}.png`,
      gone,
      name: 'a.png',
      type: 'image/png',
      kind: 'image',
      bytes: 1,
      width: null,
      height: null,
      uploaded_at: '2026-11-27T08:00:00.000Z',
      copy_of: null,
      uploaded_by: null,
      measured: 0,
    });
    const [one, two, three] = [
      'AAAAAAAAAAAAAAAAAAAAAA-one',
      'AAAAAAAAAAAAAAAAAAAAAA-two',
      'AAAAAAAAAAAAAAAAAAAAAA-three',
    ];
    const { rows } = await merged(
      mediaTable,
      [file(one, 0), file(two, 1)],
      [file(one, 1), file(two, 0), file(three, 0)],
    );
    expect(rows.map((row) => row.split(' ').slice(1, 3).join(' ')).toSorted()).toEqual([
      `/media/2026/11/${one}.png 1`,
      `/media/2026/11/${three}.png 0`,
      `/media/2026/11/${two}.png 1`,
    ]);
  });
});
