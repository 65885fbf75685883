import { closeSync, constants, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createStream, type RotatingFileStream } from 'rotating-file-stream';
import { verifiedRoot } from '../storage/held-folders.ts';

export type LogFile = ReturnType<typeof createLogFile>;

interface LogFileOptions {
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
const mostWaitingInFile = 1_000_000;
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
      if (!target || target.writableLength >= mostWaitingInFile) {
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

/** A destination for lines of the log. Never throws or blocks. */
export interface Outlet {
  write(line: string): void;
}

/** The parts of a stream that an outlet uses. */
interface Sink {
  readonly writableLength: number;
  write(text: string): unknown;
  on(event: 'drain' | 'error', listener: () => void): unknown;
}

/** The maximum number of bytes that are kept in memory while the output isn't being read. */
const mostWaiting = 262_144;
/** The interval, in ms, at which a write is retried while the user has stopped the terminal with Ctrl-S. */
const retryMs = 250;

/**
 * Returns an outlet for `stream` with a limited buffer. When the buffer is full, the outlet drops lines until the
 * buffer has been written. Then it logs the number of dropped lines (`missingLines`).
 */
export function createOutlet(stream: Sink, format: (line: string) => string | null): Outlet {
  let dropped = 0;
  let isFull = false;
  let isGone = false;

  function put(line: string): void {
    const text = format(line);
    if (text === null) return;
    try {
      stream.write(text);
    } catch {
      dropped += 1;
    }
  }

  function reportDropped(): void {
    if (dropped === 0) return;
    const count = dropped;
    dropped = 0;
    put(missingLines(count));
  }

  stream.on('drain', () => {
    isFull = false;
    reportDropped();
  });
  // Closing the terminal must not end the program.
  stream.on('error', () => (isGone = true));

  return {
    write(line) {
      if (isGone) return;
      isFull ||= stream.writableLength > mostWaiting;
      if (isFull) {
        dropped += 1;
        return;
      }
      reportDropped();
      put(line);
    },
  };
}

/** Returns a log line that reports that `count` lines could not be written. */
function missingLines(count: number): string {
  const words = count === 1 ? '1 line of the log is' : `${count} lines of the log are`;
  const msg = `${words} missing here, because nothing could be written.`;
  return `${JSON.stringify({ level: 40, time: Date.now(), msg })}\n`;
}

/**
 * Returns this process's stderr as a stream whose writes don't block, except to a terminal on Windows. Node's own
 * stream doesn't block for pipes and sockets, but it blocks while the user has stopped the terminal with Ctrl-S.
 */
export function stderrStream(): Writable {
  return (process.stderr.isTTY ? terminalStream() : undefined) ?? process.stderr;
}

/** Opens the terminal a second time, for non-blocking writes. Returns undefined if that fails. */
function terminalStream(): Writable | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    // Open a new descriptor, because setting O_NONBLOCK on the existing one would also affect the shell.
    const path = process.platform === 'linux' ? '/proc/self/fd/2' : '/dev/tty';
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return unblocked(openSync(path, O_WRONLY | O_NONBLOCK | O_NOCTTY));
  } catch {
    return undefined;
  }
}

/** Returns a stream for a non-blocking descriptor. Retries a write while the descriptor isn't ready (EAGAIN). */
function unblocked(fd: number): Writable {
  function attempt(bytes: Buffer, done: (error?: Error | null) => void): void {
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
      done();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN')
        setTimeout(attempt, retryMs, rest, done).unref();
      else done(error as Error);
    }
  }
  return new Writable({
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) => attempt(chunk, done),
    destroy(error, done) {
      closeSync(fd);
      done(error);
    },
  });
}
