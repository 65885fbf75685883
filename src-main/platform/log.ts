import { pino } from 'pino';
import type { DestinationStream, Level, Logger } from 'pino';
import type { LogFile } from './log-file.ts';
import { hideSecrets } from './log-secrets.ts';
import { logText } from './log-text.ts';

/** What the rest of the program sees of the logger; Fastify takes it as its `loggerInstance`. */
export type Log = Pick<
  Logger,
  'level' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | 'child'
>;

/**
 * Returns a logger that writes to stderr: text on a terminal, JSON lines elsewhere. stdout is for what was asked for.
 * Secrets are left out wherever they are (see log-secrets.ts). It writes synchronously and in this thread, so that no
 * line is lost at exit and no worker file has to be found beside a bundle.
 */
export function createLog(options: { level: Level | 'silent' }, destination = stderr()): Log {
  return pino({ level: options.level, base: null, hooks: { streamWrite: withoutSecrets } }, destination);
}

/** Returns the same logger, which also writes each line to `file` as JSON. */
export function createKeptLog(options: { level: Level }, file: Pick<LogFile, 'write'>): Log {
  const out = stderr();
  return createLog(options, {
    write(line) {
      out.write(line);
      file.write(line);
    },
  });
}

/** Logs nothing: for tests, and for parts that run without a log. */
export const silentLog: Log = pino({ level: 'silent' });

function stderr(): DestinationStream {
  const out = pino.destination({ fd: 2, sync: true });
  let isGone = false;
  // A closed terminal must not end the program, and lines for it must not pile up.
  out.on('error', () => (isGone = true));
  return {
    write(line) {
      const text = process.stderr.isTTY ? logText(line) : line;
      if (!isGone && text !== null) out.write(text);
    },
  };
}

/** Works on the finished line, so that it covers what child loggers and serializers add. */
function withoutSecrets(line: string): string {
  return `${JSON.stringify(hideSecrets(JSON.parse(line)))}\n`;
}
