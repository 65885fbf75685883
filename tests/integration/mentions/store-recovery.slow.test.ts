import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { highestNumber, mentionTable } from '../../../src-main/mentions/mention-table.ts';
import {
  countRows,
  recordsProblems,
  withClosedRecords,
} from '../../../src-main/storage/records/closed-records.ts';
import { isSoundRow } from '../../../src-main/storage/records/record-table.ts';
import { recordsName } from '../../../src-main/storage/records/records-file.ts';
import { DatabaseSync } from '../../../src-main/storage/sqlite.ts';
import {
  collected,
  everyMention,
  expectSound,
  newMentionStore,
  restoredFrom,
} from '../../support/mention-folder.ts';
import { facts, importedSample, sample, target } from '../../support/mention-samples.ts';
import { systemError, temporaryFolder } from '../../support/storage-folder.ts';

/** Three pages with twelve mentions of three months, four of them imported. */
async function filledStore() {
  const store = await newMentionStore();
  const { mentions } = store;
  const page = (number: number) => `${target}/${number % 3}`;
  const incoming = Array.from({ length: 12 }, (_, index) =>
    index % 3 === 0
      ? importedSample(20_000 * (index + 1), {
          target: page(index / 3),
          received: `2020-0${1 + (index % 2)}-01T00:00:00.000Z`,
        })
      : sample(index, { target: page(index) }),
  );
  await mentions.keepAll(incoming);
  return { ...store, list: await everyMention(mentions, 50) };
}

/** Replaces the syncs of all file handles until the test ends or `restore` is called. */
async function withSync(sync: () => Promise<void>) {
  const handle = await open(join(await temporaryFolder(), 'any'), 'w');
  const mocked = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'datasync').mockImplementation(sync);
  await handle.close();
  onTestFinished(() => mocked.mockRestore());
  return mocked;
}

/** Closes a folder, overwrites the data of its full-text table, and opens it again. */
async function withDamagedWords({ dir, records, reopened }: Awaited<ReturnType<typeof newMentionStore>>) {
  await records.close();
  const database = new DatabaseSync(join(dir, recordsName), { defensive: false });
  database.exec("UPDATE mention_words_data SET block = x'0001020304050607' WHERE id > 10");
  database.close();
  return reopened();
}

describe('the mentions in a folder', () => {
  test('are the same after a restart', async () => {
    const { list, mentions, reopened } = await filledStore();
    await mentions.close();
    const again = await reopened();
    expect(await everyMention(again.mentions, 5)).toEqual(list);
    await expectSound(again.records);
  });

  test('are the same in a folder that was made from the rows of a backup', async () => {
    const { list, mentions, records } = await filledStore();
    const counts = await mentions.counts();
    const dir = await restoredFrom(records);
    expect(await countRows(dir, mentionTable)).toBe(12);

    const copy = await newMentionStore({}, dir);
    expect(await everyMention(copy.mentions, 5)).toEqual(list);
    expect(await copy.mentions.counts()).toEqual(counts);
    expect((await copy.mentions.list({ limit: 20, filter: { text: 'well said' } })).items).toHaveLength(12);
    await expectSound(copy.records);
  });

  test('are named by --check if they are unusable', async () => {
    const { dir, records, list } = await filledStore();
    await records.close();
    expect(await recordsProblems(dir, [mentionTable])).toEqual([]);
    const [first, second] = list;
    await withClosedRecords(dir, [mentionTable], (database) => {
      database.prepare(`UPDATE mentions SET mention = '{' WHERE id = ?`).run(first?.id ?? '');
      database.prepare(`UPDATE mentions SET id = 'other' WHERE id = ?`).run(second?.id ?? '');
    });
    expect(await recordsProblems(dir, [mentionTable])).toEqual([
      '2 of the rows of “mentions” can’t be read.',
    ]);
  });

  test('get numbers above all that were ever in use', async () => {
    const { list, reopened } = await filledStore();
    const { mentions } = await reopened();
    const highest = Math.max(...list.map(({ wmId }) => wmId));
    const { mention } = await mentions.keep(sample(1, { source: 'https://new.example/' }));
    expect(mention.wmId).toBe(highest + 1);
    await mentions.keep(importedSample(highest + 500));
    const next = await mentions.keep(sample(1, { source: 'https://newer.example/' }));
    expect(next.mention.wmId).toBe(highest + 501);
  });
});

test('of two mentions with the same source and target in a backup, the last one counts', async () => {
  const { mentions, records, dir } = await newMentionStore();
  const { mention } = await mentions.keep(sample(1));
  await mentions.close();
  await records.close();
  const last = { ...mention, id: 'last', facts: facts('like') };
  await withClosedRecords(dir, [mentionTable], (database) =>
    database.prepare('INSERT INTO mentions (id, mention) VALUES (?, ?)').run('last', JSON.stringify(last)),
  );
  const again = await newMentionStore({}, dir);
  expect(await everyMention(again.mentions, 5)).toEqual([last]);
  expect(await again.mentions.counts()).toEqual([{ month: '2026-11', types: { like: 1 } }]);
  await expectSound(again.records);
});

describe('an invented mention in a backup', () => {
  const madeUp = (number: number, rest: object) => {
    const mention = {
      ...sample(number),
      id: `made-up-${number}`,
      wmId: number,
      received: '2026-11-20T10:00:00Z',
    };
    return JSON.stringify({ ...mention, chosen: false, history: [], ...rest });
  };
  async function restoredWith(mention: string, number: number) {
    const { dir, records } = await filledStore();
    await records.close();
    await withClosedRecords(dir, [mentionTable], (database) =>
      database.prepare('INSERT INTO mentions (id, mention) VALUES (?, ?)').run(`made-up-${number}`, mention),
    );
    return newMentionStore({}, dir);
  }

  test.each([
    ['has a number that no column takes', madeUp(1, { wmId: 1e300 })],
    ['has a number above all that can be stored', madeUp(1, { wmId: highestNumber + 1 })],
    [
      'is nested too deeply',
      madeUp(1, { imported: { jf2: { x: 0 } } }).replace(
        '"x":0',
        `"x":${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      ),
    ],
    ['is no JSON', '{"id":"made-up-1"'],
  ])('a made-up mention in a backup is left out if it %s, and no other one is', async (_what, mention) => {
    expect(isSoundRow(mentionTable, { id: 'made-up-1', mention })).toBe(false);
    // Nor does it do harm if it got into the database nevertheless.
    const { mentions, records } = await restoredWith(mention, 1);
    expect(await everyMention(mentions, 50)).toHaveLength(12);
    expect(await collected(mentions.all())).toHaveLength(12);
    await mentions.keep(sample(50));
    await mentions.close();
    await records.close();
  });

  test('does not use up the numbers of the mentions that come later', async () => {
    const { mentions } = await restoredWith(madeUp(1, { wmId: highestNumber }), 1);
    expect((await mentions.keep(sample(50))).mention.wmId).toBe(highestNumber);
    expect((await mentions.keep(sample(51))).outcome).toBe('added');
  });
});

describe('a full-text table that is damaged', () => {
  test('is built again by a search, and nothing is missing', async () => {
    const { list, ...store } = await filledStore();
    const { mentions, records, warnings } = await withDamagedWords(store);
    const search = { limit: 50, filter: { text: 'well said' } };
    expect((await mentions.list(search)).items).toEqual(list);
    expect(warnings).toHaveLength(1);
    expect((await mentions.list(search)).items).toEqual(list);
    expect(warnings).toHaveLength(1);
    await expectSound(records);
  });

  test('is built again by a change, which is made', async () => {
    const { list, ...store } = await filledStore();
    const { mentions, records, warnings } = await withDamagedWords(store);
    const ids = list.map(({ id }) => id);
    await mentions.erase(ids.slice(0, 6));
    await mentions.keep(sample(100, { facts: facts('reply', 'Something new.') }));
    expect(await everyMention(mentions, 50)).toHaveLength(7);
    const { items } = await mentions.list({ limit: 50, filter: { text: 'something' } });
    expect(items).toHaveLength(1);
    expect(warnings.length).toBeGreaterThan(0);
    await expectSound(records);
  });

  test('is completed after a restart that came while it was built again', async () => {
    const { records, list, reopened } = await filledStore();
    await records.write(({ run }) => {
      run('DELETE FROM mention_words WHERE rowid > 4');
      run("INSERT INTO mention_state VALUES ('words', '4')");
    });
    const { mentions, records: again } = await reopened();
    expect((await mentions.list({ limit: 50, filter: { text: 'well' } })).items).toEqual(list);
    await expectSound(again);
  });
});

describe('a disk that can’t be written to', () => {
  test('refuses changes, and accepts them when it can be written to again', async () => {
    const { mentions, records } = await newMentionStore();
    const { mention } = await mentions.keep(sample(1));
    const sync = await withSync(() => Promise.reject(systemError('ENOSPC')));
    const full = { code: 'storage_full', status: 507 };
    await expect(mentions.keep(sample(2))).rejects.toMatchObject(full);
    expect(await mentions.get(mention.id)).toEqual(mention);
    sync.mockRestore();
    // The mention may be there already. It is acknowledged only now that it is on disk.
    await mentions.keep(sample(2));
    expect(await everyMention(mentions, 5)).toHaveLength(2);
    await expectSound(records);
  });

  test('makes an answer wait that says that nothing changed', async () => {
    const { mentions } = await newMentionStore();
    await mentions.keep(sample(1));
    let release: () => void = () => undefined;
    const synced = new Promise<void>((resolve) => {
      release = resolve;
    });
    await withSync(() => synced);
    const first = mentions.keep(sample(2));
    await expect.poll(() => mentions.find(sample(2).source, target)).toBeDefined();
    let isAnswered = false;
    const second = mentions.keep(sample(2)).then((kept) => {
      isAnswered = true;
      return kept;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAnswered).toBe(false);
    release();
    expect((await second).outcome).toBe('unchanged');
    expect((await first).outcome).toBe('added');
  });
});

test('a hundred mentions that come together are all there, each with a number of its own', async () => {
  const { mentions, records } = await newMentionStore();
  const incoming = Array.from({ length: 100 }, (_, number) => sample(number % 50));
  const kept = await Promise.all(incoming.map((one) => mentions.keep(one)));
  expect(kept.filter(({ outcome }) => outcome === 'added')).toHaveLength(50);
  const list = await everyMention(mentions, 100);
  expect(new Set(list.map(({ wmId }) => wmId)).size).toBe(50);
  await expectSound(records);
});

describe('a decision about very many mentions', () => {
  test('is made in steps, between which other work runs', async () => {
    const { mentions, records } = await newMentionStore();
    const kept = await mentions.keepAll(Array.from({ length: 1200 }, (_, number) => sample(number)));
    const ids = kept.map(({ mention }) => mention.id);
    const write = vi.spyOn(records, 'write');
    expect((await mentions.decideAll(ids, 'deleted')).changed).toHaveLength(1200);
    expect(write.mock.calls.length).toBeGreaterThanOrEqual(1200 / 500);
    expect((await collected(mentions.all())).every(({ status }) => status === 'deleted')).toBe(true);
  });
});
