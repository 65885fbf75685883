import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newStore } from '../../support/post-folder.ts';

const damaged = '{ "format": 1, "da';
const now = () => Date.UTC(2026, 10, 21);

test.each(['deleted', 'private'] as const)(
  'a post that is %s stays so when its document is damaged',
  async (how) => {
    const { dir, open, posts } = await newStore();
    const content = {
      type: ['h-entry'],
      properties: { content: ['Secret'] },
      commands: {},
      status: 'published' as const,
      visibility: 'public' as const,
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
