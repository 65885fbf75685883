import { createHash, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { MediaFile } from '../../src-main/media/media-store.ts';
import path from 'node:path';
import { mediaTable } from '../../src-main/media/media-rows.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { createMediaStore } from '../../src-main/media/media-on-disk.ts';
import { openRecords } from '../../src-main/storage/records/records.ts';
import { createVersions } from '../../src-main/storage/caches.ts';

// A process of its own, for tests to kill:
//   media-writer.ts DIR   adds files of 1 KB to 2 MB to DIR/media without end and deletes some. Prints a line for each
//   acknowledged action.

/** What was acknowledged: the file, what its content comes to, and whether it was deleted again. */
export interface AcknowledgedFile {
  file: MediaFile;
  hash: string;
  deleted: boolean;
}

/** A line that is out before the next statement, whatever kills this process then. */
const say = (acknowledged: AcknowledgedFile) => writeSync(1, `${JSON.stringify(acknowledged)}\n`);

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536)
    yield await Promise.resolve(bytes.subarray(at, at + 65_536));
}

async function writeWithoutEnd(dir: string): Promise<never> {
  const store = createMediaStore({
    dir: path.join(dir, 'media'),
    records: await openRecords({ dir, tables: [mediaTable], log: silentLog }),
    versions: createVersions(),
    limitBytes: () => 3_000_000,
    removeMetadata: () => false,
    pictures: {
      measure: () => Promise.resolve(null),
      thumbnail: () => Promise.resolve(null),
      jpeg: () => Promise.resolve(null),
    },
    now: () => Date.now(),
  });

  async function liveOneFile(number: number): Promise<void> {
    const size = Math.round(1000 * 2000 ** Math.random());
    const bytes = Buffer.from(
      randomBytes(Math.ceil(size / 2))
        .toString('hex')
        .slice(0, size),
    );
    const hash = createHash('sha256').update(bytes).digest('hex');
    const file = await store.add(inPieces(bytes), {
      name: `Number ${number}`,
      copyOf: `https://a.example/${number}`,
    });
    say({ file, hash, deleted: false });
    if (number % 4 !== 0) return;
    await store.delete(file.path);
    say({ file, hash, deleted: true });
  }

  for (let burst = 1; ; burst += 1) {
    await Promise.all(Array.from({ length: 1 + (burst % 3) }, (_, index) => liveOneFile(burst + index)));
  }
}

const [dir] = process.argv.slice(2);
if (dir !== undefined) await writeWithoutEnd(dir);
