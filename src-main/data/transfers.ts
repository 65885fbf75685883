import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { archiveUploadBytes } from '../contract/data.ts';
import type { FileTransfers } from '../http/file-transfers.ts';
import { drop, makeDurable, receive, written } from '../media/upload-file.ts';
import type { Log } from '../platform/log.ts';
import { newSecretText, secretHash } from '../platform/secrets.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { transfersName } from '../storage/kept-paths.ts';
import { mustHaveReserve } from '../storage/reserve.ts';
import { writeFailure } from '../storage/storage-error.ts';
import { needRoom } from './backup/copying.ts';

/** How long the owner's browser may take until it asks for a file that is offered, in ms. */
const offeredForMs = 60_000;
const longestName = 100;

interface Offer {
  readonly file: string;
  readonly expiry: NodeJS.Timeout;
  /** Called when all of the file was sent. */
  readonly sent: () => Promise<void>;
}

export type Transfers = ReturnType<typeof createTransfers>;

/**
 * Creates the store of files that pass between the owner's browser and this server: backups and exports on their way to
 * the browser, and archives from it. Each has a folder of its own in the data folder, which no backup contains. It is
 * removed after use, and at the next start.
 */
export function createTransfers({ dataDir, log }: { dataDir: string; log: Log }) {
  const folder = join(dataDir, transfersName);
  /** The files that may be downloaded, by the hash of their id. */
  const offers = new Map<string, Offer>();
  /** The uploaded files, and how many tasks are using each of them. */
  const uploads = new Map<string, number>();

  /** Removes a folder. Only logs a failure, because the next start tries again. */
  const removeFolder = (path: string): Promise<void> =>
    rm(path, { recursive: true, force: true }).catch((error: unknown) =>
      log.warn({ err: error }, 'a file of the owner’s browser was not removed'),
    );
  const remove = (file: string): Promise<void> => removeFolder(dirname(file));

  /** Returns the path for a new file, in a new folder. */
  async function newFile(name: string): Promise<string> {
    const place = join(folder, randomBytes(8).toString('hex'));
    mustHaveReserve(place);
    await nodeOperations.makeFolder(place);
    return join(place, name);
  }

  async function removeUpload(file: string): Promise<void> {
    uploads.delete(file);
    await remove(file);
  }

  async function take(id: string) {
    const key = secretHash(id);
    const offer = offers.get(key);
    if (offer === undefined) return undefined;
    offers.delete(key);
    clearTimeout(offer.expiry);
    const { file, sent } = offer;
    return {
      name: file.slice(dirname(file).length + 1),
      bytes: (await stat(file)).size,
      content: createReadStream(file),
      async ended(isWhole: boolean): Promise<void> {
        try {
          if (isWhole) await sent();
        } catch (error) {
          log.warn({ err: error }, 'a download was not recorded');
        }
        await remove(file);
      },
    };
  }

  async function store({ name, bytes, content }: Parameters<FileTransfers['receive']>[0]) {
    await nodeOperations.makeFolder(folder);
    await needRoom(folder, bytes, roomWords);
    // Otherwise, uploads that the owner didn't use would fill the disk.
    for (const [file, users] of uploads) if (users === 0) await removeUpload(file);
    let incoming = await receive(folder, content, archiveUploadBytes);
    try {
      incoming = await written(folder, incoming);
      await makeDurable(incoming);
      const path = await newFile(safeName(name));
      await nodeOperations.rename(incoming.file, path);
      uploads.set(path, 0);
      return { path };
    } catch (error) {
      throw writeFailure(folder, error);
    } finally {
      await drop(incoming); // a stored file has another path by now, so `drop` doesn't delete it
    }
  }

  return {
    take,
    receive: store,
    newFile,
    remove,

    /** Offers a file to the owner's browser, once within a minute. Returns the id. `sent`: see Offer. */
    offer(file: string, sent: () => Promise<void>): string {
      const id = newSecretText();
      const key = secretHash(id);
      const expiry = setTimeout(() => {
        offers.delete(key);
        void remove(file);
      }, offeredForMs).unref();
      offers.set(key, { file, expiry, sent });
      return id;
    },

    /**
     * Runs `work` with the file at `path`. If the owner has uploaded it, removes it afterwards unless it is needed again.
     * A failure leaves it, because the owner may try again. `isLast`: returns whether nothing more follows a result.
     */
    async using<T>(
      path: string,
      work: () => Promise<T>,
      isLast: (result: T) => boolean = () => true,
    ): Promise<T> {
      const count = (change: number) => {
        const users = uploads.get(path);
        if (users !== undefined) uploads.set(path, users + change);
      };
      count(1);
      let isOver = false;
      try {
        const result = await work();
        isOver = isLast(result);
        return result;
      } finally {
        count(-1);
        if (isOver && uploads.get(path) === 0) await removeUpload(path);
      }
    },

    /** Returns whether a path is that of an uploaded file, also of one that is gone. */
    isUpload: (path: string): boolean => path.startsWith(folder + sep),

    /** Removes what an earlier run of the server left. Call it before the first transfer. */
    sweep: (): Promise<void> => removeFolder(folder),
  } satisfies FileTransfers & Record<string, unknown>;
}

/** Returns a name that every disk takes, with the ending of the given one, by which archives are recognized. */
function safeName(name: string): string {
  const safe = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._ -]/gu, '-')
    .replace(/^[. ]+|[. ]+$/g, '');
  return Array.from(safe).slice(-longestName).join('') || 'file';
}

const roomWords = (megabytes: number) =>
  `The disk with your data needs ${megabytes} MB of free space for this file. Free some space, then try again.`;
