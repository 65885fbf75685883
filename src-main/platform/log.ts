import { pino, type Level, type LogFn, type Logger } from 'pino';
import { isUnreadableCode } from '../contract/error-code.ts';
import { PorchlightError } from '../contract/error.ts';
import type { LogFile } from './log-file.ts';
import { createOutlet, stderrStream, type Outlet } from './log-outlet.ts';
import { hideSecrets } from './log-secrets.ts';
import { logText } from './log-text.ts';

/** The parts of the logger that Porchlight uses. Fastify takes a logger of this type as its `loggerInstance`. */
export type Log = Pick<
  Logger,
  'level' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | 'child'
>;

/**
 * Returns a logger that writes to stderr: text on a terminal, JSON lines elsewhere. stdout is reserved for output that
 * the user requested. Removes secrets (see log-secrets.ts). If nothing reads stderr, drops lines instead of blocking
 * the server.
 */
export function createLog(options: { level: Level | 'silent' }, destination: Outlet = stderr()): Log {
  const isNews = unreadableOnce();
  const hooks = {
    streamWrite: withoutSecrets,
    logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
      const file = unreadableIn(args[0]);
      if (file === undefined) method.apply(this, args);
      else if (isNews(file)) this.error(file.message);
    },
  };
  return pino({ level: options.level, base: null, hooks }, destination);
}

/** Returns the error in a log line's fields if it says that this version can't read a file of the data folder. */
function unreadableIn(fields: unknown): PorchlightError | undefined {
  const { err } = (fields ?? {}) as { readonly err?: unknown };
  return err instanceof PorchlightError && isUnreadableCode(err.code) ? err : undefined;
}

const mostUnreadable = 1_000;

/**
 * Returns a function that returns true for the first error about each file. Every request that needs such a file fails,
 * so one line says what a stack for each request would hide.
 */
function unreadableOnce(): (error: PorchlightError) => boolean {
  const logged = new Set<string>();
  return ({ message }) => {
    if (logged.has(message) || logged.size >= mostUnreadable) return false;
    logged.add(message);
    return true;
  };
}

/** Returns a logger that also writes each line to `file` as JSON. */
export function createKeptLog(options: { level: Level }, file: Pick<LogFile, 'write'>): Log {
  const out = stderr();
  return createLog(options, {
    write(line) {
      out.write(line);
      file.write(line);
    },
  });
}

/** A logger that discards everything, for tests and for parts that run without a log. */
export const silentLog: Log = pino({ level: 'silent' });

const stderr = (): Outlet =>
  createOutlet(stderrStream(), (line) => (process.stderr.isTTY ? logText(line) : line));

/** Removes secrets from a complete log line, including secrets that child loggers and serializers added. */
function withoutSecrets(line: string): string {
  return `${JSON.stringify(hideSecrets(JSON.parse(line)))}\n`;
}
