import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { postTables } from '../../src-main/micropub/post-index.ts';
import { createPostStore } from '../../src-main/micropub/posts-on-disk.ts';
import { nodeOperations } from '../../src-main/storage/file-operations.ts';
import { indexName, openIndex } from '../../src-main/storage/index/index-database.ts';

const months = 50;
const atOnce = 16;
const words = 'The light on the porch is on and the kettle is on too, come in and stay for a while. ';

/** Files `count` notes in a data folder, spread over fifty months, as the app files them, but without waiting for the disk. */
export async function fillWithPosts(dataDir: string, count: number): Promise<void> {
  const operations = {
    ...nodeOperations,
    write: (file: string, text: string) => writeFile(file, text, { mode: 0o600 }),
    rename,
    remove: (file: string) => rm(file, { force: true }),
    syncFolder: () => Promise.resolve(),
  };
  const index = openIndex(path.join(dataDir, indexName), [postTables]);
  const posts = createPostStore({ dir: path.join(dataDir, 'posts'), index, operations });
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const number = next++;
      // Month after month: only a few of them stay open.
      const month = Math.floor((number / count) * months);
      const at = Date.UTC(2022, 8 + month, 1 + (number % 28), number % 24, number % 60);
      await posts.create(
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
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  await posts.close();
  index.close();
}
