import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openMailboxKeys, restoredKeys } from '../../../src-main/mailbox/keys.ts';
import { keepForLater, readSecrets, takeRestored } from '../../../src-main/data/restore-desk.ts';
import {
  mailboxKeysName,
  openSecretsFile,
  type Secrets,
  secretsFileIn,
} from '../../../src-main/platform/secrets.ts';

async function secretsIn() {
  const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-mailbox-keys-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return openSecretsFile({ file: secretsFileIn(folder) });
}

test('keys are created once, and survive a restart', async () => {
  const secrets = await secretsIn();
  const keys = await openMailboxKeys(secrets).readOrCreate();
  expect(await openMailboxKeys(secrets).readOrCreate()).toEqual(keys);
});

test('a change of keys keeps the newest old ones for opening, and none that sign', async () => {
  const keys = openMailboxKeys(await secretsIn());
  const before = [await keys.readOrCreate()];
  for (let change = 0; change < 3; change += 1) before.unshift(await keys.rotate());
  const [now] = before;
  expect(now?.sealing).toEqual(before.slice(0, 3).map(({ sealing }) => sealing[0]));
  expect(new Set(before.map(({ callKey }) => callKey)).size).toBe(4);
});

describe('after a restore of older keys', () => {
  /** Restores the first keys after two changes of keys. The mailbox may have sealed requests for each of them. */
  async function restored(between: (secrets: Secrets) => Promise<void> = () => Promise.resolve()) {
    const secrets = await secretsIn();
    const keys = openMailboxKeys(secrets);
    const [first, backup] = [await keys.readOrCreate(), await readSecrets(secrets)];
    const [second, third] = [await keys.rotate(), await keys.rotate()];
    const names = await keepForLater(secrets, backup, new Set(['secrets.mailboxKeys']));
    await between(secrets);
    await takeRestored(secrets, names, restoredKeys);
    const pairs = [first, third, second].map(({ sealing }) => sealing[0]);
    return { first, pairs, secrets };
  }

  test('items that were sealed for newer keys can still be opened', async () => {
    const { first, pairs, secrets } = await restored();
    expect(await openMailboxKeys(secrets).read()).toEqual({ ...first, sealing: pairs });
    const next = await openMailboxKeys(secrets).rotate();
    expect(next.sealing.slice(1)).toEqual(pairs.slice(0, 2));
  });

  test('also if Porchlight was killed while it took them', async () => {
    const { first, pairs, secrets } = await restored(async (all) => {
      const killed = { ...all, delete: () => Promise.reject(new Error('Killed.')) };
      await expect(takeRestored(killed, [mailboxKeysName], restoredKeys)).rejects.toThrow('Killed.');
    });
    expect(await openMailboxKeys(secrets).read()).toEqual({ ...first, sealing: pairs });
  });

  test.each([
    ['damaged', '{"callKey":"cut'],
    ['missing', null],
  ])('keys of this computer that are %s don’t prevent it', async (_name, text) => {
    const { first, secrets } = await restored(async (all) => {
      if (text === null) await all.delete(mailboxKeysName);
      else await all.set(mailboxKeysName, text);
    });
    expect(await openMailboxKeys(secrets).read()).toEqual(first);
  });
});

test.each(['{"callKey":"cut', '{}', 'null'])('damaged keys (%s) are named, and replaced', async (text) => {
  const secrets = await secretsIn();
  await secrets.set(mailboxKeysName, text);
  const keys = openMailboxKeys(secrets);
  await expect(keys.read()).rejects.toMatchObject({ code: 'mailbox_outdated' });
  const fresh = await keys.readOrCreate();
  expect(await openMailboxKeys(secrets).read()).toEqual(fresh);
});

test('keys that can’t be read at the moment are not replaced', async () => {
  const secrets = await secretsIn();
  await openMailboxKeys(secrets).readOrCreate();
  const stored = await secrets.get(mailboxKeysName);
  const locked = openMailboxKeys({ ...secrets, get: () => Promise.reject(new Error('It is locked.')) });
  await expect(locked.readOrCreate()).rejects.toThrow('It is locked.');
  expect(await secrets.get(mailboxKeysName)).toBe(stored);
});
