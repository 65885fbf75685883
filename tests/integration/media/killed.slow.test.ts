import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { checkMedia } from '../../../src-main/media/check-media.ts';
import { bundleProgram, killRounds as rounds } from '../../support/writer-program.ts';
import type { AcknowledgedFile } from '../../support/media-writer.ts';
import { newMediaStore } from '../../support/media-folder.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const lanes = 2;
/** A folder lives through this many kills: what one leaves, the next must find in order. */
const killsOfAFolder = 10;

/** Lets a writer work in `dir`, kills it at a random moment and answers the last it acknowledged of each file. */
async function writeUntilKilled(writer: string, dir: string): Promise<AcknowledgedFile[]> {
  const child = spawn(process.execPath, [writer, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const last = new Map<string, AcknowledgedFile>();
  let until = 1 + Math.floor(Math.random() * 8);
  for await (const line of createInterface({ input: child.stdout })) {
    const acknowledged = JSON.parse(line) as AcknowledgedFile;
    last.set(acknowledged.file.path, acknowledged);
    // Anywhere in the writes that follow: between two system calls, or in one.
    if (--until === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 12);
  }
  const [, signal] = (await closed) as [number | null, NodeJS.Signals | null];
  expect(signal).toBe('SIGKILL');
  return [...last.values()];
}

test(
  `files survive ${rounds} kills at random moments: each acknowledged file is complete and listed`,
  { timeout: 240_000 },
  async () => {
    const writer = await bundleProgram('media-writer', await temporaryFolder());
    let seen = 0;

    async function round(dir: string, before: AcknowledgedFile[]): Promise<AcknowledgedFile[]> {
      const acknowledged = [...before, ...(await writeUntilKilled(writer, dir))];
      const { store, open, records } = await newMediaStore({ dataDir: dir });
      const { items } = await store.list({ limit: 10_000 });
      const listed = new Map(items.map((file) => [file.path, file]));
      expect(listed.size).toBe(items.length);
      for (const { file, hash, deleted } of acknowledged) {
        const { path } = file;
        // It may have been deleted before that could be told.
        if (deleted || (!listed.has(path) && (await store.isDeleted(path)) && mayBeDeleted(file.name))) {
          expect([listed.has(path), await store.isDeleted(path)], path).toEqual([false, true]);
          continue;
        }
        expect(listed.get(path), path).toEqual(file);
        const bytes = await readFile(store.fileOf(file));
        expect(createHash('sha256').update(bytes).digest('hex'), path).toBe(hash);
      }
      // What was not acknowledged in time may be there, but only whole.
      for (const file of items) expect((await readFile(store.fileOf(file))).length).toBe(file.bytes);
      expect(await checkMedia(dir)).toEqual({ files: items.length, problems: [] });
      expect(await open().list({ limit: 10_000 })).toEqual({ items });
      expect(await readdir(join(dir, 'media', 'incoming'))).toEqual([]);
      await records.close();
      seen += acknowledged.length - before.length;
      return acknowledged;
    }

    async function lane(): Promise<void> {
      let dir = '';
      let acknowledged: AcknowledgedFile[] = [];
      for (let kills = 0; kills < rounds / lanes; kills += 1) {
        if (kills % killsOfAFolder === 0) [dir, acknowledged] = [await temporaryFolder(), []];
        acknowledged = await round(dir, acknowledged);
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(seen).toBeGreaterThan(rounds);
  },
);

/** The writer deletes every fourth. */
const mayBeDeleted = (name: string) => Number(/\d+/.exec(name)?.[0]) % 4 === 0;
