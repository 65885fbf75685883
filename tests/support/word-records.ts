import { join } from 'node:path';
import { Type } from 'typebox';
import { closed } from '../../src-main/contract/shapes.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { lockFolder, type FolderLock } from '../../src-main/storage/folder-lock.ts';
import { asChecked, recordTable } from '../../src-main/storage/records/record-table.ts';
import type { RecordsOptions } from '../../src-main/storage/records/records-database.ts';
import { openRecords, type Records } from '../../src-main/storage/records/records.ts';
import { temporaryFolder } from './storage-folder.ts';

/** A table of words, for tests of the database. */
export const wordTable = recordTable({
  name: 'words',
  row: closed({ id: Type.Integer({ minimum: 1 }), text: Type.String({ maxLength: 100_000 }) }),
  create: `CREATE TABLE IF NOT EXISTS words (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS words_text ON words (text)`,
  format: 1,
  cleaned: asChecked,
});

export type WordRecords = Records & { readonly dir: string; readonly lock: FolderLock };

const open: (() => Promise<void>)[] = [];

/** Opens a database of words in a folder, which it locks unless the lock is given. */
export async function openWords({
  lock: given,
  ...options
}: Partial<RecordsOptions> & { readonly lock?: FolderLock } = {}): Promise<WordRecords> {
  const dir = options.dir ?? join(await temporaryFolder(), 'data');
  const lock = given ?? (await lockFolder(dir));
  if (given === undefined) open.push(() => lock.release());
  const records = await openRecords({
    tables: [wordTable],
    log: silentLog,
    ...options,
    dir,
  });
  open.push(() => records.close());
  return Object.assign(records, { dir, lock });
}

/** Closes all that `openWords` has opened. */
export async function closeWords(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

export const addWord = (records: Records, text: string): Promise<number> =>
  records.write(({ run }) => run('INSERT INTO words (text) VALUES (?)', text));

/** Returns all words, in the order in which they came. */
export const wordsOf = (records: Records): unknown[] =>
  records.rows(({ text }) => text, 'SELECT text FROM words ORDER BY id');
