import { expect, test } from 'vitest';
import { blockedSites, createBlockList } from '../../../src-main/mentions/blocked.ts';
import { memoryRecords } from '../../support/memory-records.ts';
import { recordsIn } from '../../support/records-in.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

async function newBlocked() {
  const dir = await temporaryFolder();
  return { open: async () => createBlockList(await recordsIn(dir), blockedSites) };
}

test('a blocked domain covers all under it, however it is spelled, and nothing else', async () => {
  const { open } = await newBlocked();
  const blocked = await open();
  expect(blocked.matches('spam.example')).toBe(false);
  await blocked.add('Spam.Example.');
  await blocked.add('bücher.example');
  await blocked.add('192.0.2.1');
  await blocked.add('[2001:DB8::1]');
  expect(blocked.list()).toEqual(['192.0.2.1', '[2001:db8::1]', 'spam.example', 'xn--bcher-kva.example']);
  const covered = ['spam.example', 'SPAM.example', 'spam.example.', 'a.b.spam.example', 'spam.example:8080'];
  const others = [
    'xn--bcher-kva.example',
    'x.BÜCHER.example',
    '192.0.2.1',
    '192.0.2.1:99',
    '[2001:db8:0::1]:80',
  ];
  for (const host of [...covered, ...others]) expect(blocked.matches(host), host).toBe(true);
  const free = [
    'notspam.example',
    'example',
    'spam.example.org',
    'spam',
    '2.0.2.1',
    '',
    '.',
    'a b',
    'x/spam.example',
  ];
  for (const host of free) expect(blocked.matches(host), host).toBe(false);
});

test('a block survives a restart, is stored once, and can be removed', async () => {
  const { open } = await newBlocked();
  const first = await open();
  expect(await first.add('b.example')).toEqual(['b.example']);
  expect(await first.add('a.example')).toEqual(['a.example', 'b.example']);
  expect(await first.add('B.EXAMPLE')).toEqual(['a.example', 'b.example']);
  const second = await open();
  expect(second.list()).toEqual(['a.example', 'b.example']);
  expect(await second.remove('never.example')).toEqual(['a.example', 'b.example']);
  expect(await second.remove('A.example.')).toEqual(['b.example']);
  expect((await open()).matches('a.example')).toBe(false);
});

test('a block and its removal apply to the next question', async () => {
  const blocked = await (await newBlocked()).open();
  for (let round = 0; round < 3; round += 1) {
    expect(blocked.matches('a.example')).toBe(false);
    await blocked.add('a.example');
    expect(blocked.matches('a.example')).toBe(true);
    await blocked.remove('a.example');
  }
});

test('blocks are read again after the database was replaced', async () => {
  const records = memoryRecords([blockedSites.table]);
  const repaired = memoryRecords([blockedSites.table]);
  await createBlockList(repaired, blockedSites).add('a.example');
  let current = records;
  let openings = 1;
  const blocked = createBlockList(
    {
      rows: (...query) => current.rows(...query),
      write: (...change) => current.write(...change),
      get openings() {
        return openings;
      },
    },
    blockedSites,
  );
  expect(blocked.matches('a.example')).toBe(false);
  [current, openings] = [repaired, 2];
  expect(blocked.matches('a.example')).toBe(true);
});

test('many blocks at once are all kept', async () => {
  const { open } = await newBlocked();
  const blocked = await open();
  await Promise.all(Array.from({ length: 30 }, (_, index) => blocked.add(`s${index}.example`)));
  expect(blocked.list()).toHaveLength(30);
  expect((await open()).list()).toHaveLength(30);
});

test.each(['', ' ', '.', 'a b', 'https://spam.example/', 'me@spam.example', 'a/b', '%', 'x'.repeat(400)])(
  'an invalid domain is refused: %j',
  async (domain) => {
    const blocked = await (await newBlocked()).open();
    await expect(blocked.add(domain)).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
    expect(blocked.list()).toEqual([]);
  },
);
