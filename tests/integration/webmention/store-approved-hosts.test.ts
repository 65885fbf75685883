import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newMentionStore } from '../../support/mention-folder.ts';
import { sample } from '../../support/mention-samples.ts';
import { watchedOperations } from '../../support/storage-folder.ts';

const from = (host: string, month: number) =>
  sample(month, {
    source: `https://${host}/${month}`,
    received: new Date(Date.UTC(2020, month, 1)).toISOString(),
  });

test('a host is known once the owner approved a mention of it by hand, and as long as one is', async () => {
  const { mentions, open } = await newMentionStore();
  const { mention } = await mentions.keep(from('ada.example', 1));
  await mentions.keep(from('bo.example', 2));
  expect(mention.status).toBe('approved');
  expect(await mentions.wasApproved('ada.example')).toBe(false);

  await mentions.setStatus(mention.id, 'approved', 'owner');
  expect(await mentions.wasApproved('ada.example')).toBe(true);
  expect(await mentions.wasApproved('bo.example')).toBe(false);
  expect(await open().wasApproved('ada.example')).toBe(true);

  await mentions.setStatus(mention.id, 'hidden', 'owner');
  expect(await mentions.wasApproved('ada.example')).toBe(false);
});

test('what is known of hosts is made anew where the index is gone', async () => {
  const { dir, mentions, open } = await newMentionStore();
  const { mention } = await mentions.keep(from('ada.example', 1));
  await mentions.setStatus(mention.id, 'approved', 'owner');
  await rm(join(dir, 'index'), { recursive: true });
  expect(await open().wasApproved('ada.example')).toBe(true);
});

test('lines from before a line said whose choice a status was are made anew from the documents', async () => {
  const { dir, mentions, open } = await newMentionStore();
  const { mention } = await mentions.keep(from('ada.example', 1));
  await mentions.keep(from('bo.example', 1));
  await mentions.setStatus(mention.id, 'approved', 'owner');
  const file = join(dir, 'index', '2020-02.jsonl');
  const lines = (await readFile(file, 'utf8')).replaceAll(/,"chosen":(true|false)/g, '');
  expect(lines).not.toContain('chosen');
  await writeFile(file, lines);

  const after = open();
  expect(await after.wasApproved('ada.example')).toBe(true);
  expect(await after.wasApproved('bo.example')).toBe(false);
  expect(await readFile(file, 'utf8')).toContain('"chosen":true');
});

test('whether a host is known is asked of the index alone: no document is read', async () => {
  const operations = watchedOperations();
  const { mentions, open } = await newMentionStore(operations);
  await mentions.keepAll(Array.from({ length: 30 }, (_, month) => from(`site-${month}.example`, month)));
  const again = open();
  operations.calls.length = 0;
  expect(await again.wasApproved('stranger.example')).toBe(false);
  expect(await again.wasApproved('site-7.example')).toBe(false);
  expect(operations.calls).toEqual([]);
});
