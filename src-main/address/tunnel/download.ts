import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ErrorCode, PorchlightError } from '../../contract/error.ts';
import { nodeOperations, renamePatiently } from '../../storage/file-operations.ts';
import { mustHaveReserve } from '../../storage/reserve.ts';
import { errorCode, isDiskFull } from '../../storage/storage-error.ts';
import { cloudflaredVersion, type CloudflaredAsset } from './cloudflared.ts';
import type { ResponseHeaders } from '../../platform/fetched-response.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import { unpackTar } from '../../platform/other-programs.ts';

export interface Download {
  /** The folder for the tunnel's files. */
  readonly folder: string;
  readonly fetch: GuardedFetch;
  /** The base URL of the downloads; ends with a slash. */
  readonly origin: string;
  readonly asset: CloudflaredAsset;
  readonly signal: AbortSignal;
  /** Reports the bytes received so far, and the total number of bytes if the server sent it. */
  readonly onProgress: (received: number, total: number | null) => void;
}

const downloadLimits = { maxBytes: 150_000_000, timeoutMs: 60 * 60_000, maxRedirects: 5 };
/** How long a connection may deliver no data before it is aborted, in ms. */
const stallMs = 30_000;

/** Returns the path of the downloaded program. */
export function downloadedCloudflared(folder: string): string {
  return join(folder, `cloudflared-${cloudflaredVersion}${process.platform === 'win32' ? '.exe' : ''}`);
}

/**
 * Downloads cloudflared and returns its path. An interrupted download is kept, and the next attempt resumes it. Only a
 * file that matches the release's checksum is installed.
 * @throws PorchlightError `download_interrupted` if trying again may help, otherwise `download_failed`.
 */
export async function downloadCloudflared(download: Download): Promise<string> {
  const { folder, asset } = download;
  const part = join(folder, `${asset.name}.part`);
  const program = downloadedCloudflared(folder);
  try {
    mustHaveReserve(part);
    await nodeOperations.makeFolder(folder);
    if ((await checksumOf(part)) !== asset.sha256) await fetchRest(part, download);
    if ((await checksumOf(part)) !== asset.sha256) {
      await throwAway(part);
      throw failed(
        'The downloaded file isn’t the one that Cloudflare published, so Porchlight discarded it. Try again later, or from another network.',
      );
    }
    await install(part, program, asset.packed);
    await removeOthers(folder, program);
    return program;
  } catch (error) {
    throw inWords(error);
  }
}

async function fetchRest(
  part: string,
  { fetch, origin, asset, signal, onProgress }: Download,
): Promise<void> {
  const have = await sizeOf(part);
  const tag = have === 0 ? null : await readFile(tagOf(part), 'utf8').catch(() => null);
  const resumes = have > 0 && tag !== null;
  const stalled = new AbortController();
  const stall = setTimeout(() => stalled.abort(), stallMs);
  try {
    await fetch(new URL(asset.name, origin).href, {
      isUnnamed: true,
      ...downloadLimits,
      ...(resumes && { headers: { range: `bytes=${have}-`, 'if-range': tag } }),
      signal: AbortSignal.any([signal, stalled.signal]),
      async into(chunks, { status, headers }) {
        const goesOn = status === 206 && resumes && beginsAt(headers, have);
        if (status !== 200 && !goesOn) {
          // If the server cannot resume the download, the partial file is useless.
          if (resumes && status < 500) await throwAway(part);
          throw refused(status, resumes);
        }
        const from = goesOn ? have : 0;
        if (!goesOn) await keepTag(part, headers.get('etag'));
        const length = headers.get('content-length');
        const total = length === null ? null : from + Number(length);
        let received = from;
        onProgress(received, total);
        const counted = async function* (source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
          for await (const chunk of source) {
            stall.refresh();
            received += chunk.length;
            onProgress(received, total);
            yield chunk;
          }
        };
        const file = createWriteStream(part, {
          flags: goesOn ? 'r+' : 'w',
          start: from,
          mode: 0o600,
          flush: true,
        });
        await pipeline(chunks, counted, file);
      },
    });
  } finally {
    clearTimeout(stall);
  }
}

const tagOf = (part: string) => `${part}.etag`;

/**
 * Stores the ETag of a partial download if the ETag is strong. Only a strong ETag guarantees identical bytes (RFC 9110
 * section 13.1.5).
 */
async function keepTag(part: string, tag: string | null): Promise<void> {
  if (tag !== null && /^"[\x21\x23-\x7e]*"$/.test(tag)) await writeFile(tagOf(part), tag, { mode: 0o600 });
  else await rm(tagOf(part), { force: true });
}

function beginsAt(headers: ResponseHeaders, offset: number): boolean {
  return headers.get('content-range')?.startsWith(`bytes ${offset}-`) === true;
}

async function throwAway(part: string): Promise<void> {
  await rm(part, { force: true });
  await rm(tagOf(part), { force: true });
}

async function sizeOf(file: string): Promise<number> {
  return await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Returns the SHA-256 of a file, in hex; null if the file doesn't exist. */
async function checksumOf(file: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  return hash.digest('hex');
}

/** Installs the program with a rename, so that its path never holds an incomplete file. */
async function install(part: string, program: string, packed: boolean): Promise<void> {
  if (packed) {
    const folder = await mkdtemp(`${program}-`);
    try {
      await unpackTar(part, folder, 'cloudflared');
      await takePlace(join(folder, 'cloudflared'), program);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    await rm(part);
  } else await takePlace(part, program);
  await rm(tagOf(part), { force: true });
}

async function takePlace(file: string, program: string): Promise<void> {
  await chmod(file, 0o700);
  await renamePatiently(file, program);
  await nodeOperations.syncFolder(join(program, '..'));
}

/** Removes the programs of earlier releases and their partial downloads. */
async function removeOthers(folder: string, program: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith('cloudflared-') && path !== program) await rm(path, { recursive: true, force: true });
  }
}

function refused(status: number, resumes: boolean): PorchlightError {
  const words = `The server responded with status ${status}.`;
  return status >= 500 || status === 429 || resumes ? interrupted(words) : failed(words);
}

const ours: readonly ErrorCode[] = ['download_failed', 'download_interrupted'];

function inWords(error: unknown): PorchlightError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof PorchlightError && ours.includes(cause.code)) return cause;
  const code = errorCode(cause);
  if (code === 'ENOSPC' || code === 'EDQUOT' || isDiskFull(cause))
    return failed('The disk is full: Free some space, then try again.', error);
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return failed('Porchlight can’t write to the data folder.', error);
  if (error instanceof PorchlightError) return interrupted(error.message, error);
  return failed(error instanceof Error ? error.message : String(error), error);
}

const failure = (code: ErrorCode) => (why: string, cause?: unknown) =>
  new PorchlightError(code, `cloudflared could not be downloaded. ${why}`, 502, { cause });
const interrupted = failure('download_interrupted');
const failed = failure('download_failed');
