import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';

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
export function missingLines(count: number): string {
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
