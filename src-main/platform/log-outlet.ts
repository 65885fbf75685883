import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/** Where lines of the log go. Never throws, never blocks, and is not waited for. */
export interface Outlet {
  write(line: string): void;
}

/** What an outlet needs of a stream. */
interface Sink {
  readonly writableLength: number;
  write(text: string): unknown;
  on(event: 'drain' | 'error', listener: () => void): unknown;
}

/** How much may wait in memory for a reader that stopped, in bytes. */
const mostWaiting = 262_144;
/** How often a terminal that was stopped is tried again, in ms. */
const retryMs = 250;

/**
 * Returns an outlet for `stream` that keeps a bounded number of bytes. When they are used up, it drops lines until all
 * that waited is written, and then writes how many it dropped (`missingLines`).
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

  function tellDropped(): void {
    if (dropped === 0) return;
    const count = dropped;
    dropped = 0;
    put(missingLines(count));
  }

  stream.on('drain', () => {
    isFull = false;
    tellDropped();
  });
  // A terminal that was closed must not end the program.
  stream.on('error', () => (isGone = true));

  return {
    write(line) {
      if (isGone) return;
      isFull ||= stream.writableLength > mostWaiting;
      if (isFull) {
        dropped += 1;
        return;
      }
      tellDropped();
      put(line);
    },
  };
}

/** Returns the line of the log that stands for `count` lines that could not be written. */
export function missingLines(count: number): string {
  const words = count === 1 ? '1 line of the log is' : `${count} lines of the log are`;
  const msg = `${words} missing here, because nothing could be written.`;
  return `${JSON.stringify({ level: 40, time: Date.now(), msg })}\n`;
}

/**
 * Returns this process's stderr as a stream whose writes never block. Node's own stream does that for pipes and sockets
 * but waits for a terminal, which its user can stop with Ctrl-S.
 */
export function stderrStream(): Writable {
  return (process.stderr.isTTY ? terminalStream() : undefined) ?? process.stderr;
}

/** Returns undefined if the terminal cannot be opened once more. */
function terminalStream(): Writable | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    // Opened anew, because O_NONBLOCK on the shared descriptor would also change it for the shell.
    const path = process.platform === 'linux' ? '/proc/self/fd/2' : '/dev/tty';
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return unblocked(openSync(path, O_WRONLY | O_NONBLOCK | O_NOCTTY));
  } catch {
    return undefined;
  }
}

/** Returns a stream for a descriptor that answers EAGAIN instead of waiting. */
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
