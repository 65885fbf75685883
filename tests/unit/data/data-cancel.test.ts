import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { cancelData, createDataDesk, waitingFor } from '../../../src-main/data/data-desk.ts';
import { createEventHub } from '../../../src-main/contract/contract.ts';
import { forgetQuietly } from '../../../src-main/data/restore-desk.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import type { Secrets } from '../../../src-main/platform/secrets.ts';
import { prepareMove } from '../../../src-main/data/backup/move.ts';
import { stagedFolder, writePending } from '../../../src-main/data/backup/pending.ts';
import { noRecords, quietWork, readTree, writeTree } from '../../support/backup-scene.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const closed = () => Promise.reject(new PorchlightError('keychain_unavailable', 'It is closed.', 503));
const closedKeychain: Secrets = {
  kind: 'keychain',
  get: closed,
  set: closed,
  delete: closed,
  close: () => Promise.resolve(),
};

/** A weekly copy is under way, or nothing. */
async function scene({ isBusy = true } = {}) {
  const home = await temporaryFolder();
  const [dataDir, placeFile] = [join(home, 'data'), join(home, 'place.json')];
  await writeTree(dataDir, { 'settings.json': 'mine' });
  const desk = createDataDesk({ hub: createEventHub(), now: () => 0 });
  if (isBusy) {
    const ended = (signal: AbortSignal) =>
      new Promise<string>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new PorchlightError('cancelled', 'Cancelled.', 409))),
      );
    desk.run('weekly', ({ signal }) => ended(signal), String).catch(() => undefined);
  }
  const discarded: string[] = [];
  const restore = { discard: () => Promise.resolve(void discarded.push('restore')) };
  const deps = { dataDir, placeFile, desk, restore, secrets: closedKeychain, log: silentLog };
  return { home, dataDir, placeFile, desk, deps, discarded, waiting: () => waitingFor(dataDir, placeFile) };
}

async function aRestoreWaits(dataDir: string): Promise<void> {
  await mkdir(stagedFolder(dataDir));
  await writePending(dataDir, {
    step: 'ready',
    staged: stagedFolder(dataDir),
    kept: `${dataDir}.before`,
    me: null,
    madeAt: '2026-11-14T09:30:00.000Z',
    access: 'here',
    accept: [],
    secrets: [],
  });
}

describe('cancelling', () => {
  test('what waits ends no work, and is done though the keychain is closed', async () => {
    const { dataDir, desk, deps, waiting } = await scene();
    await aRestoreWaits(dataDir);
    await cancelData(deps, { what: 'waiting' });
    expect(await waiting()).toBeNull();
    expect(desk.busy).toBe(true);
    await desk.close();
  });

  test('what waits discards a backup that was checked', async () => {
    const { deps, discarded, desk } = await scene({ isBusy: false });
    await desk.run(
      'restore',
      () => Promise.resolve(),
      () => 'The backup was checked.',
    );
    await cancelData(deps, { what: 'waiting' });
    expect([discarded, desk.progress]).toEqual([['restore'], null]);
  });

  test('a move that waits removes the copy', async () => {
    const { home, dataDir, placeFile, deps, waiting } = await scene();
    const target = join(home, 'moved');
    await prepareMove({ dataDir, target, placeFile, now: 0, records: noRecords, work: quietWork() });
    await cancelData(deps, { what: 'waiting' });
    expect([await waiting(), await readTree(target)]).toEqual([null, {}]);
  });

  test('work that has just ended does not give up what waits', async () => {
    const { dataDir, deps, waiting } = await scene({ isBusy: false });
    await aRestoreWaits(dataDir);
    await cancelData(deps, { what: 'work' });
    expect(await waiting()).toMatchObject({ task: 'restore' });
  });

  test('cancelling a waiting restore, if there is none, leaves alone the backup that is being unpacked', async () => {
    const { dataDir, deps } = await scene();
    await writeTree(stagedFolder(dataDir), { 'settings.json': 'unpacked' });
    await cancelData(deps, { what: 'waiting' });
    expect(Object.keys(await readTree(stagedFolder(dataDir)))).toEqual(['settings.json']);
  });

  test('without a word ends the work first, then gives up what waits', async () => {
    const { dataDir, desk, deps, waiting } = await scene();
    await aRestoreWaits(dataDir);
    await cancelData(deps, {});
    expect([desk.busy, (await waiting())?.task]).toEqual([false, 'restore']);
    await cancelData(deps, {});
    expect(await waiting()).toBeNull();
  });
});

test('secrets that can’t be forgotten hide no other error', async () => {
  await expect(forgetQuietly(closedKeychain, silentLog)).resolves.toBeUndefined();
});
