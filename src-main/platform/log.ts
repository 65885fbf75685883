import { pino } from 'pino';
import type { DestinationStream, Level, Logger } from 'pino';
import type { LogFile } from './log-file.ts';

/** What the rest of the program sees of the logger; Fastify takes it as its `loggerInstance`. */
export type Log = Pick<
  Logger,
  'level' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | 'child'
>;

/** Names of secrets, as properties; compared without case, hyphens and underscores. */
const secretKeys = new Set(
  [
    ['authorization', 'proxyauthorization', 'cookie', 'setcookie', 'password', 'secret'],
    ['code', 'codeverifier', 'token', 'accesstoken', 'refreshtoken'],
    ['ownerkey', 'managementtoken', 'aggregatortoken', 'tunneltoken', 'csrftoken', 'signingkey'],
  ].flat(),
);

/** Secrets in a query string, a form or a fragment: `?token=...`, `code=...&`, `#ownerKey=...`. */
const secretParameters =
  /(^|[?&#\s])((?:code|code_verifier|token|access_token|refresh_token|ownerKey)=)[^&\s"'#]+/gi;
const bearer = /\b(Bearer\s+)[\w.~+/-]{8,}=*/gi;
const hidden = '[redacted]';

/**
 * A logger that writes JSON lines to stderr. stdout belongs to the `--json` protocol of the headless front door.
 * Known secrets are left out wherever they stand: as properties at any depth, in query strings, as bearer tokens in
 * any text. Written synchronously and in this thread: no line is lost at exit, and no worker file has to be found
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
  return `${JSON.stringify(JSON.parse(line), hideSecrets)}\n`;
}

function hideSecrets(this: unknown, key: string, value: unknown): unknown {
  if (isSecret(this, key) && (typeof value === 'string' || (typeof value === 'object' && value !== null))) {
    return hidden;
  }
  if (typeof value !== 'string') return value;
  return value.replace(secretParameters, `$1$2${hidden}`).replace(bearer, `$1${hidden}`);
}

/** An error's `code` names its kind (ECONNREFUSED, fetch_timeout); any other `code` may be one to sign in with. */
function isSecret(holder: unknown, key: string): boolean {
  const isError = typeof holder === 'object' && holder !== null && 'stack' in holder;
  return secretKeys.has(key.toLowerCase().replace(/[-_]/g, '')) && !(isError && key === 'code');
}
