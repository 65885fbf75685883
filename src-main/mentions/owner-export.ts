import type { Common } from '../http/common.ts';
import { open, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { saveStream } from '../storage/file-content.ts';
import { isWithin, verified } from '../storage/held-folders.ts';
import { errorCode, readFailure } from '../storage/storage-error.ts';
import type { MentionStore } from './mention-store.ts';
import type { Mention } from './mention.ts';
import { exportHead, exportJf2 } from './reading-api/records.ts';

export interface MentionExportDeps extends Pick<Common, 'dataDir' | 'clock' | 'activity'> {
  readonly mentions: Pick<MentionStore, 'all'>;
}

/** Creates the handlers that save all mentions as a file. */
export function mentionExportHandlers({ mentions, dataDir, clock, activity }: MentionExportDeps) {
  return {
    'webmentions.exportPlace': async () => {
      const day = new Date(clock()).toISOString().slice(0, 10);
      return { path: join(await usualFolder(), `webmentions-${day}.jf2`) };
    },
    'webmentions.exportTo': async ({ path }) => {
      const saved = await exportMentions({ store: mentions, dataDir, path });
      await activity.record(
        'webmention.exported',
        `You saved ${saved.mentions} ${saved.mentions === 1 ? 'mention' : 'mentions'} as ${saved.path}.`,
      );
      return saved;
    },
  } satisfies Partial<Handlers>;
}

/** Returns the Downloads folder, where people look for saved files; the home folder if there is none. */
async function usualFolder(): Promise<string> {
  const downloads = join(homedir(), 'Downloads');
  const isThere = await stat(downloads).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isThere ? downloads : homedir();
}

interface ExportFileOptions {
  readonly store: Pick<MentionStore, 'all'>;
  /** The data folder. Exports into this folder are refused. */
  readonly dataDir: string;
  readonly path: string;
}

const extensions = ['.jf2', '.json'];

/**
 * Saves every mention in one JF2 file. Overwrites an existing file only if that file is an earlier export. Without this
 * rule, an attacker who controls the window could replace another program's file with text that strangers wrote.
 * @throws PorchlightError `invalid_path`, `file_exists` (409), `storage_…`. After an error, no file has changed.
 */
export async function exportMentions({
  store,
  dataDir,
  path,
}: ExportFileOptions): Promise<{ path: string; mentions: number }> {
  const file = await placeOf(path, dataDir);
  if (!(await mayBeReplaced(file))) {
    throw new PorchlightError(
      'file_exists',
      `"${file}" already exists and is not a Porchlight export. Choose another file name.`,
      409,
    );
  }
  let mentions = 0;
  async function* counted(): AsyncIterable<Mention> {
    for await (const mention of store.all()) {
      mentions += 1;
      yield mention;
    }
  }
  await saveStream(file, exportJf2({ all: counted }));
  return { path: file, mentions };
}

/** Returns the file's real path, with symbolic links resolved. */
async function placeOf(path: string, dataDir: string): Promise<string> {
  const name = basename(path);
  if (path.includes('\0') || !isAbsolute(path)) throw badPath('Enter the full path of the file.');
  if (!extensions.includes(extname(name).toLowerCase()))
    throw badPath('The file name must end in .jf2 or .json.');
  const folder = await realFolder(dirname(path));
  if (isWithin(await verified(dataDir, () => realpath(dataDir)), folder))
    throw badPath('Porchlight keeps its own files in this folder. Choose another folder.');
  return join(folder, name);
}

async function realFolder(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined || !(await stat(real)).isDirectory())
    throw badPath(`The folder "${folder}" does not exist. Create it, or choose another folder.`);
  return real;
}

/**
 * Returns true if an export may be written to a path, because there is no file at the path, or because the file there
 * starts like an export.
 * @throws PorchlightError `storage_unreadable`
 */
async function mayBeReplaced(file: string): Promise<boolean> {
  try {
    // The path may be a pipe. Opening a pipe would block until another program writes to it.
    if (!(await stat(file)).isFile()) return false;
    const found = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await found.read(
        Buffer.alloc(exportHead.length),
        0,
        exportHead.length,
        0,
      );
      return buffer.toString('latin1', 0, bytesRead) === exportHead;
    } finally {
      await found.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw readFailure(file, error);
  }
}

const badPath = (words: string) => new PorchlightError('invalid_path', words);
