import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { recordTables } from '../../src-main/app/tables.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { copyPath } from '../../src-main/posts/file-copies.ts';
import { createFileReading } from '../../src-main/posts/file-reading.ts';
import { postChanges } from '../../src-main/posts/post-changes.ts';
import { emptyPostDocument, newPost, postFormat } from '../../src-main/posts/post-document.ts';
import { postPath } from '../../src-main/posts/post-path.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { openRecords } from '../../src-main/storage/records/records.ts';

const months = 50;
const words = 'The light on the porch is on and the kettle is on too, come in and stay for a while. ';

/**
 * Stores `count` notes in a data folder, spread over fifty months: writes their files without waiting for the disk, and
 * has the app read them. Returns the path of the newest.
 */
export async function fillWithPosts(dataDir: string, count: number): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const records = await openRecords({ dir: dataDir, tables: recordTables, log: silentLog });
  const dir = join(dataDir, 'posts');
  let newest = '';
  for (let number = 0; number < count; number += 1) {
    const month = Math.floor((number / count) * months);
    const at = Date.UTC(2022, 8 + month, 1 + (number % 28), number % 24, number % 60);
    const published = new Date(at).toISOString();
    const post = newPost(
      {
        type: ['h-entry'],
        properties: {
          content: [words.repeat(1 + (number % 4))],
          category: [`topic-${number % 40}`],
          published: [published],
        },
        commands: {},
        status: 'published',
        visibility: 'public',
      },
      at,
    );
    const place = { month: published.slice(0, 7).replace('-', '/'), slug: `note-${number}` };
    const file = copyPath(dir, place);
    await mkdir(dirname(file), { recursive: true });
    const document = { format: postFormat.format, ...emptyPostDocument, post };
    await writeFile(file, JSON.stringify(document), { mode: 0o600 });
    newest = postPath(place);
  }
  const changes = postChanges({ records, versions: createVersions(), log: silentLog });
  const reading = createFileReading({
    dir,
    base: () => 'https://porch.example',
    records,
    changes,
    copies: { addIn: () => undefined, isWaiting: () => false },
    log: silentLog,
    changed: () => undefined,
  });
  await reading.open();
  await records.close();
  return newest;
}
