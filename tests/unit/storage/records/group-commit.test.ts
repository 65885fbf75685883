import { beforeEach, expect, test, vi } from 'vitest';
import type { PorchlightError } from '../../../../src-main/contract/error.ts';
import { countCommit } from '../../../../src-main/storage/records/known.ts';
import { GroupCommit } from '../../../../src-main/storage/records/group-commit.ts';
import { recordsFailure } from '../../../../src-main/storage/records/records-failure.ts';
import type { Database, Statement } from '../../../../src-main/storage/sqlite.ts';
import { diskFull } from '../../../../src-main/storage/storage-error.ts';

/** A database that only counts: how many bytes the disk has left, and what was committed. */
let room: number;
let committed: string[];
let isReserveThere: boolean;
/** Syncs the database to disk. */
let sync: () => Promise<void>;

beforeEach(() => {
  [room, committed, isReserveThere, sync] = [100, [], true, () => Promise.resolve()];
});

const full = () => Object.assign(new Error('database or disk is full'), { errcode: 13 });

function commits() {
  let pending: string[] = [];
  let isTransaction = false;
  const exec = (sql: string): void => {
    if (sql === 'BEGIN IMMEDIATE') [pending, isTransaction] = [[], true];
    if (sql === 'ROLLBACK') isTransaction = false;
    if (sql !== 'COMMIT') return;
    if (pending.length > room) throw full();
    room -= pending.length;
    committed.push(...pending);
    isTransaction = false;
  };
  const target = {
    database: { exec, get isTransaction() { return isTransaction; } } as unknown as Database, // prettier-ignore
    prepared: (sql: string) =>
      ({ run: () => (sql === countCommit || pending.push(sql), { changes: 1 }) }) as unknown as Statement,
    known: { commits: 0, endings: 0 },
    sync: () => sync(),
    mustBeHere: () => undefined,
  };
  const syncFailed = vi.fn();
  const group = new GroupCommit({
    target: () => target,
    failure: (error) => recordsFailure('records.sqlite', error),
    syncFailed,
    synced: () => undefined,
    isReopening: () => false,
    mayWrite() {
      if (!isReserveThere) throw diskFull('records.sqlite');
    },
    makeRoom() {
      if (!isReserveThere) return Promise.resolve(false);
      [isReserveThere, sync] = [false, () => Promise.resolve()];
      room += 10;
      return Promise.resolve(true);
    },
  });
  const write = (words: string, ends = false) =>
    group.write(({ run }) => void run(words), ends ? { ends: true } : {});
  return { group, write, syncFailed };
}

const outcomes = async (...all: Promise<unknown>[]) =>
  (await Promise.allSettled(all)).map((one) => (one.status === 'fulfilled' ? 'saved' : (one.reason as { code: string }).code)); // prettier-ignore

test('on a full disk, a group is tried again with its endings only', async () => {
  const { write } = commits();
  room = 0;
  expect(await outcomes(write('a post'), write('a block', true), write('a revocation', true))).toEqual([
    'storage_full',
    'saved',
    'saved',
  ]);
  expect(committed).toEqual(['a block', 'a revocation']);
  // There is room now, but not for other changes.
  expect(await outcomes(write('a post'), write('another block', true))).toEqual(['storage_full', 'saved']);
});

test('without an ending, a full disk leaves the reserve alone', async () => {
  const { write } = commits();
  room = 0;
  expect(await outcomes(write('a post'), write('a file'))).toEqual(['storage_full', 'storage_full']);
  expect(isReserveThere).toBe(true);
});

test('an ending that finds no room even in the reserve is refused, with the advice to turn Porchlight off', async () => {
  const { write } = commits();
  room = -10;
  await expect(write('a block', true)).rejects.toMatchObject({
    code: 'storage_full',
    status: 507,
    message: expect.stringContaining('turn Porchlight off') as string,
  });
  expect(committed).toEqual([]);
});

test('if a sync finds no room, endings are saved once everything could be written again', async () => {
  const { write, syncFailed } = commits();
  sync = () => Promise.reject(full());
  expect(await outcomes(write('a post'), write('a block', true))).toEqual(['storage_full', 'saved']);
  expect(syncFailed).toHaveBeenCalledOnce();
});

test('a failed sync refuses what it covers, and what was committed while it ran', async () => {
  const { group, write, syncFailed } = commits();
  let fail: (error: Error) => void = () => undefined;
  sync = () => new Promise((_, reject) => (fail = reject));
  const refused: string[] = [];
  const long = group.write(({ run }) => {
    run('long');
    // A transaction that takes long leaves the other changes for the next one, which waits for no sync.
    for (const began = performance.now(); performance.now() - began < 15;);
  });
  const ends = [long, write('later')].map((one, index) =>
    one.then(
      () => refused.push(`${index} was saved`),
      (error: unknown) => refused.push(`${index} ${(error as PorchlightError).code}`),
    ),
  );
  await vi.waitUntil(() => committed.length === 2);
  fail(Object.assign(new Error('EIO'), { code: 'EIO' }));
  await vi.waitUntil(() => refused.length === ends.length);
  expect(refused).toEqual(['0 storage_unwritable', '1 storage_unwritable']);
  expect(syncFailed).toHaveBeenCalledOnce();
});
