import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postTables } from '../../src-main/posts/post-index.ts';
import { createPostStore } from '../../src-main/posts/posts-on-disk.ts';
import { nodeOperations } from '../../src-main/storage/file-operations.ts';
import { indexName, openIndex } from '../../src-main/storage/index/index-database.ts';

const months = 50;
const atOnce = 16;
const words = 'The light on the porch is on and the kettle is on too, come in and stay for a while. ';

/**
 * Stores `count` notes in a data folder, spread over fifty months, as the app does, but without waiting for the disk.
 * Returns the path of the newest.
 */
export async function fillWithPosts(dataDir: string, count: number): Promise<string> {
  const operations = {
    ...nodeOperations,
    write: (file: string, text: string) => writeFile(file, text, { mode: 0o600 }),
    rename,
    remove: (file: string) => rm(file, { force: true }),
    syncFolder: () => Promise.resolve(),
  };
  const index = openIndex(join(dataDir, indexName), [postTables]);
  const posts = createPostStore({ dir: join(dataDir, 'posts'), index, operations });
  let next = 0;
  let newest = '';
  const lane = async (): Promise<void> => {
    while (next < count) {
      const number = next++;
      // Month after month, so that only a few of them stay open.
      const month = Math.floor((number / count) * months);
      const at = Date.UTC(2022, 8 + month, 1 + (number % 28), number % 24, number % 60);
      const { path } = await posts.create(
        {
          type: ['h-entry'],
          properties: {
            content: [words.repeat(1 + (number % 4))],
            category: [`topic-${number % 40}`],
            published: [new Date(at).toISOString()],
          },
          commands: {},
          status: 'published',
          visibility: 'public',
        },
        { slug: `note-${number}`, now: at },
      );
      if (number === count - 1) newest = path;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  await posts.close();
  index.close();
  return newest;
}
