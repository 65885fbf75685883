import { pino } from 'pino';
import type { DestinationStream, Level, Logger } from 'pino';
import type { LogFile } from './log-file.ts';
import { hideSecrets } from './log-secrets.ts';

/** What the rest of the program sees of the logger; Fastify takes it as its `loggerInstance`. */
export type Log = Pick<
  Logger,
  'level' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | 'child'
>;

/**
 * A logger that writes JSON lines to stderr. stdout belongs to the `--json` protocol of the headless front door.
 * Secrets are left out wherever they stand (see log-secrets.ts). Written synchronously and in this thread: no line is lost at exit, and no worker file has to be found
 * beside a bundle.
 */
export function createLog(options: { level: Level | 'silent' }, destination = stderr()): Log {
  return pino({ level: options.level, base: null, hooks: { streamWrite: withoutSecrets } }, destination);
}

/** The same, which also goes to `file`. */
export function createKeptLog(options: { level: Level }, file: Pick<LogFile, 'write'>): Log {
  const out = stderr();
  return createLog(options, {
    write(line) {
      out.write(line);
      file.write(line);
    },
  });
}

/** For tests and for parts that run without a voice. */
export const silentLog: Log = pino({ level: 'silent' });

function stderr(): DestinationStream {
  const out = pino.destination({ fd: 2, sync: true });
  let isGone = false;
  // A terminal that was closed, or none at all, must end nothing; nor is kept what it does not take.
  out.on('error', () => (isGone = true));
  return {
    write(line) {
      if (!isGone) out.write(line);
    },
  };
}

/** Looks at the finished line, so that it sees what child loggers and serializers put in as well. */
function withoutSecrets(line: string): string {
  return `${JSON.stringify(hideSecrets(JSON.parse(line)))}\n`;
}
