import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { recordTables } from '../../../src-main/app/tables.ts';
import { withClosedRecords } from '../../../src-main/storage/records/closed-records.ts';
import { openUnchanged, recordsName } from '../../../src-main/storage/records/records-file.ts';
import { limitOf, patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { addSampleRows } from '../../support/sample-rows.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

const pageBytes = 4096;

/** In ms, for a test that starts and repairs once per table or index. */
const longest = limitOf(400_000);

interface Tree {
  readonly name: string;
  readonly table: string;
  readonly page: number;
}

let origin = '';
let database = Buffer.alloc(0);
let trees: Tree[] = [];

/** Makes a folder whose tables have rows: those that the formats are tested with. */
beforeAll(async () => {
  const porchlight = await startPorchlight();
  origin = porchlight.dataDir;
  const { items } = await porchlight.call('activity.list', {});
  expect(items).toEqual([]);
  await porchlight.stop();
  for (const name of await readdir(origin))
    if (name.startsWith('records.snapshot')) await rm(join(origin, name));
  await addSampleRows(origin);
  await withClosedRecords(origin, recordTables, (open) => {
    // So many that they fill several pages.
    const work = open.prepare(
      "INSERT INTO work (kind, key, party, host, due, tries, early, state, payload) VALUES ('none', ?, '', '', 0, 0, 0, 'waiting', ?)",
    );
    for (let turn = 0; turn < 100; turn += 1) work.run(`key ${turn}`, JSON.stringify('x'.repeat(500)));
  });
  database = await readFile(join(origin, recordsName));
  const open = openUnchanged(join(origin, recordsName));
  trees = open
    .prepare('SELECT name, tbl_name AS "table", rootpage AS page FROM sqlite_schema WHERE rootpage > 1')
    .all() as unknown as Tree[];
  open.close();
});

afterAll(() => rm(origin, { recursive: true, force: true }));

/** Starts with a copy of the folder in which pages of the database, counted from 1, are overwritten. */
async function startedWith(pages: readonly number[]): Promise<Porchlight> {
  const dataDir = await mkdtemp(join(tmpdir(), 'porchlight-damaged-'));
  await cp(origin, dataDir, { recursive: true });
  await rm(join(dataDir, 'lock.json'), { force: true });
  await writeFile(join(dataDir, recordsName), damagedAt(pages));
  return startPorchlight({ dataDir });
}

/** Returns the database with pages, counted from 1, that are overwritten. */
function damagedAt(pages: readonly number[]): Buffer {
  const damaged = Buffer.from(database);
  for (const page of pages) damaged.fill(0x5a, (page - 1) * pageBytes, page * pageBytes);
  return damaged;
}

const wasTold = async (porchlight: Porchlight) =>
  (await porchlight.call('status.get', {})).problems.some(({ message }) =>
    message.includes(`${recordsName} was damaged`),
  );

/** Expects that the site, its mentions and the owner's lists answer, at the latest once the database is repaired. */
async function expectService(porchlight: Porchlight, what: string): Promise<void> {
  const isServed = async () => {
    const paths = ['/', '/webmentions?url=https://owner.example/'];
    const answers = await Promise.all(paths.map((path) => fetch(`${porchlight.base}${path}`)));
    await porchlight.call('activity.list', {});
    await porchlight.call('webmentions.list', {});
    await porchlight.call('posts.list', {});
    return answers.every(({ ok }) => ok);
  };
  await expect.poll(() => isServed().catch(() => false), { ...patience, message: what }).toBe(true);
}

describe('a start', () => {
  test('serves from a repaired copy if the database is damaged on a disk that is read-only', async (context) => {
    const disk = await mountSmallDisk(context, '32m');
    onTestFinished(() => disk.remove());
    const dataDir = join(disk.dir, 'data');
    await cp(origin, dataDir, { recursive: true });
    await writeFile(join(dataDir, recordsName), damagedAt(trees.map(({ page }) => page).slice(0, 3)));
    await disk.setWritable(false);
    const porchlight = await startPorchlight({ dataDir });
    onTestFinished(() => porchlight.stop());
    await expectService(porchlight, 'read-only');
    expect(await readFile(join(dataDir, recordsName))).toEqual(
      damagedAt(trees.map(({ page }) => page).slice(0, 3)),
    );
  });

  test(
    'succeeds, and reports the loss, whichever table’s first page is overwritten',
    async () => {
      const names = new Set(recordTables.map(({ name }) => name));
      const tables = trees.filter(({ name }) => names.has(name));
      expect(tables).toHaveLength(names.size);
      for (const { name, page } of tables) {
        const porchlight = await startedWith([page]);
        expect(await wasTold(porchlight), name).toBe(true);
        await expectService(porchlight, name);
        await porchlight.remove();
      }
    },
    longest,
  );

  test(
    'succeeds whichever index’s first page, or derived table’s, is overwritten',
    async () => {
      const names = new Set(recordTables.map(({ name }) => name));
      for (const { name, page } of trees.filter((tree) => !names.has(tree.name))) {
        const porchlight = await startedWith([page]);
        await expectService(porchlight, name);
        await porchlight.remove();
      }
    },
    longest,
  );

  test('waits for the repair if a page that the opening reads is overwritten', async () => {
    const open = openUnchanged(join(origin, recordsName));
    const leaves = open
      .prepare("SELECT pageno FROM dbstat WHERE name = 'work' AND pagetype = 'leaf' ORDER BY pageno")
      .all()
      .map(({ pageno }) => Number(pageno));
    open.close();
    expect(leaves.length).toBeGreaterThan(5);
    const porchlight = await startedWith([leaves[3] ?? 0]);
    await vi.waitUntil(() => wasTold(porchlight), patience);
    await expectService(porchlight, 'work');
    await porchlight.remove();
  });
});
