import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { newSecretText } from './secrets.ts';
import { errorCode } from '../storage/storage-error.ts';

/**
 * The name of the socket in a data folder. Through this socket, the `porchlight` command reaches the server that uses
 * the folder.
 */
const socketName = 'porchlight.sock';
/**
 * The name of a file that contains the socket's path and key, if the socket cannot be in the data folder itself. Only the
 * owner can read it.
 */
const placeName = 'porchlight.sock.place';
const pipePrefix = '\\\\.\\pipe\\porchlight-';
/**
 * The maximum length of a socket's path (`sun_path`) in bytes, without the final NUL. See unix(7) on Linux, and unix(4)
 * on the BSDs.
 */
const longestPath = process.platform === 'linux' ? 107 : 103;

/**
 * Chooses a path for a data folder's socket, and removes any earlier socket. Returns the path, and a function that
 * removes the socket. The path is in the data folder, or in a separate private folder if the data folder's path is too
 * long for a socket. On Windows, the socket is a named pipe with a random name, so that no other user can create the
 * pipe first. Every program on the computer can find and open it, so it also needs a key, which is beside its name in a
 * file. Call this function only in the process that has locked the data folder.
 */
export async function makeSocketPlace(dataDir: string) {
  const inFolder = join(resolve(dataDir), socketName);
  const note = join(dataDir, placeName);
  await Promise.all([inFolder, note].map((file) => rm(file, { force: true })));
  if (process.platform !== 'win32' && Buffer.byteLength(inFolder) <= longestPath) {
    return {
      path: inFolder,
      key: undefined,
      remove: () => rm(inFolder, { force: true }).catch(() => undefined),
    };
  }
  const { path, folder } = await elsewhere(dataDir);
  const key = newSecretText();
  await writeFile(note, `${path}\n${key}\n`, { mode: 0o600, flag: 'wx' });
  return {
    path,
    key,
    /** Removes the socket's files from the disk. Never rejects. */
    async remove(): Promise<void> {
      await rm(note, { force: true }).catch(() => undefined);
      if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}

async function elsewhere(dataDir: string): Promise<{ path: string; folder?: string }> {
  if (process.platform === 'win32') {
    const hash = createHash('sha256').update(resolve(dataDir).toLowerCase()).digest('hex').slice(0, 16);
    return { path: `${pipePrefix}${hash}-${randomBytes(16).toString('hex')}` };
  }
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-sock-'));
  return { path: join(folder, socketName), folder };
}

/**
 * The path of a socket and the key that it needs, or the reason why there is no usable socket. 'not yours' means that another user could have
 * created the socket.
 */
export type FoundSocket = { readonly path: string; readonly key?: string } | 'none' | 'not yours';

/** Finds the socket of a data folder. Rejects if the folder is not readable (EACCES). */
export async function findSocket(dataDir: string): Promise<FoundSocket> {
  const inFolder = join(resolve(dataDir), socketName);
  if (process.platform !== 'win32' && (await isSocket(inFolder))) return yours(inFolder);
  const note = await orUndefined(readFile(join(dataDir, placeName), 'utf8'));
  const [place = '', key = ''] = note?.split('\n') ?? [];
  if (process.platform === 'win32') return place.startsWith(pipePrefix) ? { path: place, key } : 'none';
  if (!isAbsolute(place) || !(await isSocket(place))) return 'none';
  // Check who owns the folder. If Porchlight's temporary folder was deleted, any user can create another folder with
  // the same name.
  const folder = await yours(dirname(place));
  return typeof folder === 'object' ? { path: place, key } : folder;
}

async function isSocket(path: string): Promise<boolean> {
  return (await orUndefined(lstat(path)))?.isSocket() ?? false;
}

/**
 * Returns the path if this user owns the file or folder there, and no other user can access it. Otherwise returns 'not
 * yours'. Root may also use other users' files.
 */
async function yours(path: string): Promise<FoundSocket> {
  const found = await lstat(path);
  const uid = process.getuid?.();
  const isMine = found.uid === uid || uid === 0;
  return isMine && !found.isSymbolicLink() && (found.mode & 0o077) === 0 ? { path } : 'not yours';
}

async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
