import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Type } from 'typebox';
import { closed } from '../contract/shapes.ts';
import { putFile } from '../storage/file-content.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { jsonIn } from '../storage/json-value.ts';
import { unfinishedCopyName } from '../storage/kept-paths.ts';
import { isValid } from '../storage/schema-check.ts';

const Note = closed({ path: Type.String() });

const noteIn = (dataDir: string) => join(dataDir, unfinishedCopyName);

/**
 * Runs `work`, which writes a backup or an export to `path`, and notes the path meanwhile: if the process is killed, the
 * next start removes what `work` has left there.
 */
export async function whileNoted<T>(dataDir: string, path: string, work: () => Promise<T>): Promise<T> {
  // On a full disk, the copy itself can still be made on another one.
  await putFile(noteIn(dataDir), JSON.stringify({ path })).catch(() =>
    rm(`${noteIn(dataDir)}.tmp`, { force: true }).catch(() => undefined),
  );
  try {
    return await work();
  } finally {
    await nodeOperations.remove(noteIn(dataDir)).catch(() => undefined);
  }
}

/**
 * Removes the unfinished backup or export of a process that was killed. Leaves everything else beside it. Never fails: the
 * disk may not be connected. The note then stays for the next start.
 */
export async function removeUnfinishedCopy(dataDir: string): Promise<void> {
  const note: unknown = jsonIn(await readFile(noteIn(dataDir), 'utf8').catch(() => ''));
  if (!isValid(Note, note)) return;
  const [folder, name] = [dirname(note.path), basename(note.path)];
  const isUnfinished = (one: string) => one.startsWith(name) && unfinished.test(one.slice(name.length));
  try {
    for (const one of await readdir(folder))
      if (isUnfinished(one)) await rm(join(folder, one), { recursive: true, force: true });
    await nodeOperations.remove(noteIn(dataDir));
  } catch {
    // Tried again at the next start.
  }
}

/** How writeZip and writeOut name what they haven't finished. */
const unfinished = /^\.[0-9a-f]{8}\.part$/;
