import { mkdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createStream, type RotatingFileStream } from 'rotating-file-stream';
import { verifiedRoot } from '../storage/held-folders.ts';
import { missingLines } from './log-outlet.ts';

/** The log in files: `porchlight.log`, and the ones before it as `.1`, `.2` ... */
export interface LogFile {
  /** Takes a line that ends with a line break. Never throws, and is not waited for. */
  write(line: string): void;
  /** Begins to write into this folder, also what came before. */
  open(dir: string): void;
  /** Writes what waits. Never rejects. */
  close(): Promise<void>;
  /** The newest lines, oldest first. */
  tail(): Promise<string>;
}

export interface LogFileOptions {
  /** Bytes after which a file is put aside, as text such as `2M`. */
  readonly size?: string;
  /** How many are kept beside the current one. */
  readonly kept?: number;
  /** How long a disk that took nothing is left alone, in ms. */
  readonly restMs?: number;
}

const fileName = 'porchlight.log';
/** Lines from before the folder was open. */
const mostEarly = 200;
/** How much may wait in memory for a disk that hangs, in bytes. */
const mostWaiting = 1_000_000;
const tailBytes = 65_536;
const tailLines = 200;

/**
 * Keeps the log on disk, for its owner's eyes only. A disk that is full or cannot be written costs lines of the log and
 * nothing else: they are dropped and counted, and the count is written when the disk works again.
 */
export function createLogFile({ size = '2M', kept = 5, restMs = 60_000 }: LogFileOptions = {}): LogFile {
  const early: string[] = [];
  let folder: string | undefined;
  let stream: RotatingFileStream | undefined;
  let triedAt = -Infinity;
  let dropped = 0;

  function current(): RotatingFileStream | undefined {
    if (stream || folder === undefined || Date.now() - triedAt < restMs) return stream;
    triedAt = Date.now();
    try {
      makeLogs(folder);
      stream = createStream(fileName, { path: folder, size, rotate: kept, mode: 0o600 });
      stream.on('error', () => (stream = undefined)); // it has ended itself; the next line after a rest begins anew
    } catch {
      stream = undefined;
    }
    return stream;
  }

  return {
    write(line) {
      if (folder === undefined) {
        if (early.length < mostEarly) early.push(line);
        return;
      }
      // Not even an open file: it would make the folder again when it is put aside.
      const target = isInPlace(folder) ? current() : undefined;
      if (!target || target.writableLength >= mostWaiting) {
        dropped += 1;
        return;
      }
      if (dropped > 0) target.write(missingLines(dropped));
      dropped = 0;
      target.write(line);
    },

    open(dir) {
      folder = dir;
      for (const line of early.splice(0)) this.write(line);
    },

    async close() {
      const last = stream;
      folder = undefined;
      stream = undefined;
      triedAt = -Infinity;
      if (!last) return;
      await new Promise<void>((resolve) => {
        last.once('close', resolve);
        last.once('error', () => resolve());
        last.end();
      });
    },

    async tail() {
      if (folder === undefined) return '';
      const texts = await Promise.all(
        [`${fileName}.1`, fileName].map((name) => endOf(join(folder ?? '', name))),
      );
      return texts.join('').trimEnd().split('\n').slice(-tailLines).join('\n');
    },
  };
}

function isInPlace(folder: string): boolean {
  try {
    verifiedRoot(folder);
    return true;
  } catch {
    return false;
  }
}

/** Makes the folder of the logs, but not the data folder. */
function makeLogs(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!statSync(folder).isDirectory()) throw error;
  }
}

/** Returns the last whole lines of a file; nothing if it cannot be read. */
async function endOf(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return '';
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    const text = buffer.toString('utf8', 0, bytesRead);
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } catch {
    return '';
  } finally {
    await handle.close();
  }
}
