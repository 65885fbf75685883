import { pino } from 'pino';
import type { Level, Logger } from 'pino';
import type { LogFile } from './log-file.ts';
import { createOutlet, stderrStream, type Outlet } from './log-outlet.ts';
import { hideSecrets } from './log-secrets.ts';
import { logText } from './log-text.ts';

/** What the rest of the program sees of the logger; Fastify takes it as its `loggerInstance`. */
export type Log = Pick<
  Logger,
  'level' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | 'child'
>;

/**
 * Returns a logger that writes to stderr: text on a terminal, JSON lines elsewhere. stdout is for what was asked for.
 * Secrets are left out wherever they are (see log-secrets.ts). A stderr that nobody reads costs lines of the log, and
 * never time: the server must not wait for it.
 */
export function createLog(options: { level: Level | 'silent' }, destination: Outlet = stderr()): Log {
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

const stderr = (): Outlet =>
  createOutlet(stderrStream(), (line) => (process.stderr.isTTY ? logText(line) : line));

/** Works on the finished line, so that it covers what child loggers and serializers add. */
function withoutSecrets(line: string): string {
  return `${JSON.stringify(hideSecrets(JSON.parse(line)))}\n`;
}
