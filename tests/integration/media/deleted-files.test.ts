import { appendFile, cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkMedia } from '../../../src-main/media/check-media.ts';
import { filesDeletedHere, keepFilesDeleted } from '../../../src-main/media/deleted-files.ts';
import { month, newMediaStore, streamOf } from '../../support/media-folder.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

test.each([
  ['is whole', '', []],
  ['was cut off', '{"path":"/media/2026', [{ recoveredFrom: 'rest' }]],
  ['was cut off and is longer than any of ours', 'x'.repeat(3_000_000), [{ recoveredFrom: 'rest' }]],
])(
  'a restore does not bring back deleted files, even if the last line of the backup %s',
  async (_what, tail, reports) => {
    const { dir: here, store } = await newMediaStore();
    const files = [
      await store.add(streamOf('a'), { name: 'a' }),
      await store.add(streamOf('b'), { name: 'b' }),
    ];
    const there = join(await temporaryFolder(), 'media');
    await cp(here, there, { recursive: true });
    await appendFile(join(there, month, 'index.jsonl'), tail);
    await store.delete(files[0]!.path);

    const deleted = [];
    for await (const place of filesDeletedHere(here, there)) deleted.push(place);
    expect(deleted).toEqual([{ month, file: files[0]!.path.split('/').at(-1) }]);
    await keepFilesDeleted(here, there);
    for await (const place of filesDeletedHere(here, there)) throw new Error(place.file);
    await keepFilesDeleted(here, there);

    const restored = await newMediaStore({ dir: there });
    expect(await restored.store.list({ limit: 10 })).toEqual({ items: [files[1]] });
    expect(await restored.store.isDeleted(files[0]!.path)).toBe(true);
    expect(restored.recoveries).toMatchObject(reports);
    expect(await checkMedia(there)).toEqual({ files: 1, problems: [] });
    expect(await readFile(restored.store.fileOf(files[1]!), 'utf8')).toBe('b');
  },
);
