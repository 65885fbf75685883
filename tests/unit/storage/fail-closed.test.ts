import { appendFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMentionStore } from '../../../src-main/mentions/mentions-on-disk.ts';
import { mentionTablesIn } from '../../support/mention-folder.ts';
import { newStore } from '../../support/post-folder.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const damaged = '{ "format": 1, "da';
const onRecovered = () => undefined;
const now = () => Date.UTC(2026, 10, 21);

test.each(['deleted', 'private'] as const)(
  'a post that is %s stays so when its document is damaged',
  async (how) => {
    const { dir, open, posts } = await newStore();
    const content = {
      ...{ type: ['h-entry'], properties: { content: ['Secret'] }, commands: {} },
      ...{ status: 'published' as const, visibility: 'public' as const },
    };
    const { path } = await posts.create(content, { slug: 'secret', now: now() });
    if (how === 'deleted') await posts.setDeleted(path, true, now());
    else await posts.change(path, (before) => ({ ...before, visibility: 'private' }), { now: now() });
    await writeFile(join(dir, '2026', '11', 'secret.json'), damaged);
    const again = await open().get(path);
    expect(again?.deletedAt === null && again.visibility === 'public').toBe(false);
    expect(again).toBeDefined();
  },
);

test('a deleted mention is not shown again when the line that deleted it is damaged', async () => {
  const dir = await temporaryFolder();
  const options = { dir, now, log: { warn: () => undefined }, onRecovered };
  const open = () => createMentionStore({ ...options, index: mentionTablesIn() });
  const [source, target] = ['https://a.example/1', 'https://ada.example/page'];
  const mentions = open();
  const parsed = new Date(now()).toISOString();
  const { mention } = await mentions.keep({
    source,
    target,
    facts: { type: 'mention', property: 'mention-of' },
    status: 'approved',
    parsed,
  });
  await mentions.setStatus(mention.id, 'deleted', 'owner');
  const file = join(dir, '2026', '11.jsonl');
  await truncate(file, (await stat(file)).size - 20);
  await appendFile(file, '\n');
  expect(await open().get(mention.id)).toMatchObject({ status: 'held' });
  // Once mended, it stays so.
  expect(await open().get(mention.id)).toMatchObject({ status: 'held' });
});
