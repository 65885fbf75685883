import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { Type } from 'typebox';
import { closed } from '../../src-main/contract/shapes.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { asChecked, recordTable } from '../../src-main/storage/records/record-table.ts';
import { openRecords } from '../../src-main/storage/records/records.ts';
import { DatabaseSync } from '../../src-main/storage/sqlite.ts';

// The writers of `npm run bench -- stalls`: stalls-writer.ts records|full FOLDER SECONDS

/** How the event loop was while rows were written. */
export interface Stalled {
  readonly longestMs: number;
  /** The share of the time for which the loop stood still for more than 10 ms. */
  readonly blockedShare: number;
  readonly rows: number;
  readonly checkpoints: number;
}

const texts = recordTable({
  name: 'texts',
  row: closed({ id: Type.Integer(), text: Type.String() }),
  create: 'CREATE TABLE IF NOT EXISTS texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT',
  format: 1,
  cleaned: asChecked,
});
const insert = 'INSERT INTO texts (text) VALUES (?)';
const text = 'x'.repeat(10_000);
const everyMs = 20;
/** Small, so that there are several checkpoints in a run. */
const largestLogBytes = 1_000_000;

/** Writes a row. Resolves, or returns, when it is on disk. */
type Write = () => unknown;

async function recordsIn(dir: string): Promise<Write> {
  const records = await openRecords({ dir, tables: [texts], log: silentLog, largestLogBytes });
  return () => records.write(({ run }) => run(insert, text));
}

function fullIn(dir: string): Write {
  const database = new DatabaseSync(path.join(dir, 'records.sqlite'));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 250;
    ${texts.create}`);
  const statement = database.prepare(insert);
  return () => void statement.run(text);
}

async function measured(write: Write, dir: string, seconds: number): Promise<Stalled> {
  let [longestMs, blockedMs, rows, checkpoints, size] = [0, 0, 0, 0, 0];
  const [began, end] = [performance.now(), performance.now() + seconds * 1000];
  let last = began;
  const watch = setInterval(() => {
    const now = performance.now();
    const late = now - last - 5;
    last = now;
    longestMs = Math.max(longestMs, late);
    if (late > 10) blockedMs += late;
    const found = statSync(path.join(dir, 'records.sqlite')).size;
    if (found > size) checkpoints += 1;
    size = found;
  }, 5);
  const writing: Promise<unknown>[] = [];
  while (performance.now() < end) {
    writing.push(Promise.resolve(write()).then(() => (rows += 1)));
    await rest(everyMs);
  }
  await Promise.all(writing);
  clearInterval(watch);
  return { longestMs, blockedShare: blockedMs / (performance.now() - began), rows, checkpoints };
}

const [how = '', dir = '', seconds = ''] = process.argv.slice(2);
mkdirSync(dir, { recursive: true });
const write = how === 'records' ? await recordsIn(dir) : fullIn(dir);
process.stdout.write(JSON.stringify(await measured(write, dir, Number(seconds))));
process.exit();
