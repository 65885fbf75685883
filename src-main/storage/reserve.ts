import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDiskCode, PorchlightError } from '../contract/error.ts';
import { renamePatiently } from './file-operations.ts';
import { verifiedToWrite } from './held-folders.ts';
import { reserveName } from './kept-paths.ts';
import { diskFull, isDiskFull, systemWriteFailure } from './storage-error.ts';

/** The size of the reserve, in bytes: room for some hundred revocations, blocks and deletions. */
const reserveBytes = 4 * 1024 * 1024;
/** The reserve is made only if the disk has this many times its size left. */
const roomFactor = 2;
/** How many bytes are written at a time. */
const pieceBytes = 256 * 1024;

/** The reserves of the data folders that this process uses, by the full path of the folder. */
const reserves = new Map<string, Reserve>();

export type Reserve = ReturnType<typeof openReserve>;

/**
 * Opens the reserve of a data folder: a file that a full disk gives back for what ends something (revocations, blocks,
 * hidings and deletions). It holds random bytes, so that no file system can store it in less room. Once it was given
 * back, nothing but endings is written until there is room to make it again: an empty file says so to a later start.
 * `released`: called with the reason when it was given back.
 */
export function openReserve(dir: string, released: (reason: PorchlightError) => void) {
  const file = join(dir, reserveName);
  const unfinished = `${file}.new`;
  let size = statSync(file, { throwIfNoEntry: false })?.size;
  let making: Promise<void> | undefined;
  let releasing: Promise<boolean> | undefined;
  const isWhole = () => size === reserveBytes;

  async function write(): Promise<void> {
    const room = await statfs(dir).then(({ bavail, bsize }) => bavail * bsize, () => Infinity); // prettier-ignore
    if (room < reserveBytes * roomFactor) throw diskFull();
    await verifiedToWrite(file, async () => {
      try {
        const handle = await open(unfinished, 'w', 0o600);
        try {
          for (let written = 0; written < reserveBytes; written += pieceBytes) {
            await handle.writeFile(randomBytes(pieceBytes));
            await nextTurn();
          }
          await handle.sync();
        } finally {
          await handle.close();
        }
        await renamePatiently(unfinished, file);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw systemWriteFailure(file, error);
      }
    });
    size = reserveBytes;
  }

  async function empty(): Promise<boolean> {
    // If a reserve can't be made right now, its unfinished file is removed, which is room, too.
    if (making && (await making.then(() => false, () => true))) return true; // prettier-ignore
    if (!isWhole()) return false;
    try {
      await verifiedToWrite(file, async () => {
        const handle = await open(file, 'r+');
        try {
          await handle.truncate(0);
          await handle.sync();
        } finally {
          await handle.close();
        }
      });
    } catch {
      return false; // Whoever needs the room reports why nothing can be written.
    }
    size = 0;
    released(diskFull());
    return true;
  }

  const reserve = {
    /** Whether the reserve was given back, and couldn't be made again so far. */
    get isReleased(): boolean {
      return size !== undefined && !isWhole();
    },

    /**
     * Makes the reserve if it is missing or was given back.
     * @throws PorchlightError `storage_full`, `storage_unwritable`, `storage_gone`
     */
    make(): Promise<void> {
      if (isWhole()) return Promise.resolve();
      return (making ??= write().finally(() => (making = undefined)));
    },

    /** Gives the reserve back. Resolves with whether there is more room now. */
    release: (): Promise<boolean> => (releasing ??= empty().finally(() => (releasing = undefined))),

    /** Stops using the reserve. Resolves once nothing writes it. */
    async close(): Promise<void> {
      if (reserves.get(resolve(dir)) === reserve) reserves.delete(resolve(dir));
      await making?.catch(() => undefined);
    },
  };
  reserves.set(resolve(dir), reserve);
  return reserve;
}

/** Returns the open reserve of the data folder that contains `path`. */
function reserveAt(path: string): Reserve | undefined {
  const full = resolve(path);
  for (const [root, reserve] of reserves) if (full.startsWith(root + sep)) return reserve;
  return undefined;
}

/**
 * Refuses to write at a path while the reserve of its data folder is given back, because the room belongs to endings.
 * Call it before writing anything that ends nothing.
 * @throws PorchlightError `storage_full`
 */
export function mustHaveReserve(path: string): void {
  if (reserveAt(path)?.isReleased === true) throw diskFull();
}

/** Gives the reserve of the data folder that contains `path` back. Resolves with whether there is more room now. */
export const releaseReserve = async (path: string): Promise<boolean> =>
  (await reserveAt(path)?.release()) ?? false;

/**
 * Runs `work`, which ends something by writing at `path`. If the disk is full, gives the reserve back and runs it again.
 * @throws the errors of `work`; see `endingRefused`
 */
export async function withReserve<T>(path: string, work: () => Promise<T>): Promise<T> {
  const reserve = reserveAt(path);
  const wasReleased = reserve?.isReleased ?? true;
  try {
    return await work();
  } catch (error) {
    const mayHelp = reserve !== undefined && isDiskFull(error);
    // Another ending may have given it back in the meantime.
    if (mayHelp && ((!wasReleased && reserve.isReleased) || (await reserve.release())))
      return withReserve(path, work);
    throw endingRefused(error);
  }
}

/** Returns the error for an ending that can't be saved. If nothing can be written, it says how to end it all the same. */
export function endingRefused(error: unknown): unknown {
  if (!(error instanceof PorchlightError) || !isDiskCode(error.code)) return error;
  return new PorchlightError(error.code, `${error.message} ${turnOffWords}`, 507, { cause: error });
}

const turnOffWords =
  'Nothing has changed. If it can’t stay public until this can be saved, turn Porchlight off.';
