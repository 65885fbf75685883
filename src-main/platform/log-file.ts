import { mkdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createStream, type RotatingFileStream } from 'rotating-file-stream';
import { verifiedRoot } from '../storage/held-folders.ts';
import { missingLines } from './log-outlet.ts';

export type LogFile = ReturnType<typeof createLogFile>;

export interface LogFileOptions {
  /** The size at which a file is rotated, as text such as `2M`. */
  readonly size?: string;
  /** How many rotated files are kept beside the current file. */
  readonly kept?: number;
  /** How long to wait after a disk error before the log is opened again, in ms. */
  readonly restMs?: number;
}

const fileName = 'porchlight.log';
/** The maximum number of lines that are kept in memory until the log's folder is open. */
const mostEarly = 200;
/** The maximum number of bytes that are kept in memory while the disk hangs. */
const mostWaiting = 1_000_000;
const tailBytes = 65_536;
const tailLines = 200;

/**
 * Stores the log on disk (`porchlight.log`, and older files as `.1`, `.2` ...), readable only by its owner. If the disk
 * is full or not writable, drops and counts lines without failing. Writes the number of dropped lines when the disk
 * works again.
 */
export function createLogFile({ size = '2M', kept = 5, restMs = 60_000 }: LogFileOptions = {}) {
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
      // An error closes this stream. The next line after `restMs` opens a new one.
      stream.on('error', () => (stream = undefined));
    } catch {
      stream = undefined;
    }
    return stream;
  }

  return {
    /** Queues a line, which must end with a line break. Never throws or blocks. */
    write(line: string): void {
      if (folder === undefined) {
        if (early.length < mostEarly) early.push(line);
        return;
      }
      // Don't write to a moved folder even if the file is still open, because log rotation would recreate the folder at
      // its old path.
      const target = isInPlace(folder) ? current() : undefined;
      if (!target || target.writableLength >= mostWaiting) {
        dropped += 1;
        return;
      }
      if (dropped > 0) target.write(missingLines(dropped));
      dropped = 0;
      target.write(line);
    },

    /** Starts writing to a folder, beginning with the lines that were logged before this call. */
    open(dir: string): void {
      folder = dir;
      for (const line of early.splice(0)) this.write(line);
    },

    /** Writes the queued lines and closes the file. Never rejects. */
    async close(): Promise<void> {
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

    /** Returns the newest lines, in the order in which they were logged. */
    async tail(): Promise<string> {
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

/** Creates the folder for logs. Fails if the data folder above it doesn't exist. */
function makeLogs(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!statSync(folder).isDirectory()) throw error;
  }
}

/** Returns the last complete lines of a file; an empty string if it cannot be read. */
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
