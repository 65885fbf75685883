import { type Level, levels, type LogFn, type Logger, pino } from 'pino';
import { isUnreadableCode, PorchlightError } from '../contract/error.ts';
import { createOutlet, type LogFile, type Outlet, stderrStream } from './log-file.ts';
import { plainLine } from './plain-line.ts';

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

/**
 * A message that Fastify logs for each listener. On a terminal it is redundant, because stdout already shows the URLs.
 */
const listening = /^Server listening at /;

/**
 * Formats a JSON log line as text for a terminal: local time, level, message, and the other fields as `key=value`. An
 * error's stack follows, indented; of an error that is a refusal, such as a site that can't be reached, only the message.
 * Returns null for a line that is redundant on a terminal. Replaces terminal control
 * characters with spaces, because strangers may have written the text.
 */
export function logText(line: string): string | null {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  if (typeof msg === 'string' && listening.test(msg)) return null;
  const parts = [
    typeof time === 'number' ? clockTime(new Date(time)) : undefined,
    (levels.labels[Number(level)] ?? String(level)).toUpperCase().padEnd(5),
    plainLine(typeof msg === 'string' ? msg : ''),
    ...Object.entries(rest).map(([key, value]) => `${plainLine(key)}=${plainLine(JSON.stringify(value))}`),
  ];
  const first = parts.filter((part) => part !== undefined && part !== '').join(' ');
  return [first, ...errorLines(err)].map((one) => `${one}\n`).join('');
}

function errorLines(err: unknown): string[] {
  if (typeof err !== 'object' || err === null) return [];
  const { stack, message, status, detail } = err as Record<string, unknown>;
  // The stack of a PorchlightError below 500 helps nobody: the cause isn't in Porchlight. The log file keeps it.
  const isRefusal = typeof status === 'number' && status < 500;
  const text = isRefusal ? (detail ?? message) : typeof stack === 'string' && stack !== '' ? stack : message;
  return typeof text === 'string' ? text.split('\n').map((one) => `  ${plainLine(one).trim()}`) : [];
}

function clockTime(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/**
 * Names of properties and parameters that contain secrets, in the form used for comparison: lower case, without hyphens
 * and underscores.
 */
const clearNames = new Set(
  (
    'secret clientsecret codeverifier password passwd passphrase token accesstoken refreshtoken idtoken apitoken ' +
    'csrftoken managementtoken aggregatortoken tunneltoken ownerkey apikey xapikey signingkey privatekey secretkey'
  ).split(' '),
);
/** Names of headers that contain secrets. A header's value extends to the end of the line. */
const headerNames = new Set(['authorization', 'proxyauthorization', 'cookie', 'setcookie']);
const passwordNames = new Set(['password', 'passwd', 'passphrase']);
/**
 * Names of secrets that are also ordinary words ("status code=404"). In a URL's query, their values always count as
 * secrets. Elsewhere, such a value counts as a secret only if it looks random.
 */
const ambiguousNames = new Set(['code', 'key', 'state', 'proof']);

const hidden = '[redacted]';
/**
 * Matches a name and the `=` or `:` after it, with or without quotes. The limit on the name's length prevents quadratic
 * time on long texts.
 */
const pairStart = /(?<![\w%.~-])([\w%.~-]{1,64})(\\*["'`]?\s{0,3}[:=]\s{0,3})/g;
const bearer = /\b(Bearer\s+)[\w.~+/-]{8,}=*/gi;
const jsonWebToken = /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g;
const userInfo = /(:\/\/[^\s/?#:@]{0,256}:)[^\s/?#@]{1,256}@/g;
/**
 * The number of characters of a value that are examined to decide whether the value is a secret. The limit prevents
 * quadratic time on a long text from a stranger.
 */
const mostChecked = 256;
/**
 * The maximum number of levels of percent-encoding to decode. There can be several levels, because a URL can contain
 * another URL.
 */
const mostEncoded = 5;

/**
 * Returns a copy of a JSON value without its secrets: those in properties whose names are known to hold secrets, and
 * those inside strings and property names. When in doubt, hides a value unless it is an ordinary word.
 */
function hideSecrets(value: unknown): unknown {
  if (typeof value === 'string') return hideInText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(hideSecrets);
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      hideInText(key),
      isSecretProperty(value, key, one) ? hidden : hideSecrets(one),
    ]),
  );
}

function isSecretProperty(holder: object, key: string, value: unknown): boolean {
  const isText = typeof value === 'string';
  if (!isText && (typeof value !== 'object' || value === null)) return false;
  const name = plainName(key);
  // The `code` of an error is its type (ECONNREFUSED, fetch_timeout). Any other `code` may be a sign-in code.
  if (name === 'code') return !('stack' in holder);
  if (ambiguousNames.has(name)) return isText && isRandom(value);
  return clearNames.has(name) || headerNames.has(name);
}

function hideInText(text: string, timesDecoded = 0): string {
  const clean = hidePairs(text)
    .replace(bearer, `$1${hidden}`)
    .replace(jsonWebToken, hidden)
    .replace(userInfo, `$1${hidden}@`);
  if (timesDecoded === mostEncoded || !clean.includes('%')) return clean;
  return clean.replace(/\S+/g, (run) => hideEncoded(run, timesDecoded));
}

/**
 * Hides secrets in percent-encoded text, such as a URL inside a URL. Text that contains a secret is returned decoded.
 */
function hideEncoded(run: string, timesDecoded: number): string {
  const decoded = decode(run);
  if (decoded === run) return run;
  const clean = hideInText(decoded, timesDecoded + 1);
  return clean === decoded ? run : clean;
}

function hidePairs(text: string): string {
  let clean = '';
  let done = 0;
  for (const match of text.matchAll(pairStart)) {
    if (match.index < done) continue;
    const [start, end] = secretAfter(text, match);
    if (start === end) continue;
    clean += text.slice(done, start) + hidden;
    done = end;
  }
  return clean + text.slice(done);
}

/**
 * Returns the start and end of the secret in a name-value pair. Start and end are equal if the pair contains no secret.
 */
function secretAfter(text: string, match: RegExpExecArray): readonly [number, number] {
  const [whole, run = '', sign = ''] = match;
  const start = match.index + whole.length;
  const nothing = [start, start] as const;
  const [before, name] = nameIn(run, text[match.index - 1]);
  if (!clearNames.has(name) && !headerNames.has(name) && !ambiguousNames.has(name)) return nothing;

  const quoted = quotedAt(text, start);
  if (quoted) {
    const isSecret =
      !ambiguousNames.has(name) || isRandom(text.slice(quoted[0], Math.min(quoted[1], start + mostChecked)));
    return isSecret ? quoted : nothing;
  }
  if (headerNames.has(name)) return [start, endOf(/[\r\n]/g, text, start)];
  const value = /^[^&\s"'#<>]*&?/.exec(text.slice(start, start + mostChecked))?.[0] ?? '';
  return isSecretValue(name, { before, sign, value }) ? [start, endOf(/[&\s"'#<>]/g, text, start)] : nothing;
}

/** Returns whether an unquoted value is a secret. `value`: the beginning of the value, including a following `&`. */
function isSecretValue(
  name: string,
  { before, sign, value }: { readonly before: string; readonly sign: string; readonly value: string },
): boolean {
  if (/^(?:null|undefined|true|false)?[),;}\]&]*$/.test(value)) return false;
  if (passwordNames.has(name)) return true;
  const isAssigned = sign.includes('=');
  if (clearNames.has(name) && isAssigned) return true;
  if (isAssigned && (/[?&#;]/.test(before) || value.endsWith('&'))) return true;
  return isRandom(value.replace(/[),:;.\]}&]+$/, ''));
}

/** Returns the name at the end of `run`, and the character before the name. */
function nameIn(run: string, before = ''): readonly [before: string, name: string] {
  // In JSON inside JSON, a line break before the name is written as two characters, a backslash and a letter.
  const text = before === '\\' ? run.replace(/^[bfnrt]/, '') : run;
  const [, separator = '', name = ''] = /([^\w-]?)([\w-]+)$/.exec(decode(text)) ?? [];
  return [separator === '' ? before : separator, plainName(name)];
}

const plainName = (name: string) => name.toLowerCase().replace(/[-_]/g, '');

/**
 * Returns the start and end of the quoted text at `start`; undefined if there is none. Also supports JSON inside JSON,
 * where the quotes are preceded by backslashes.
 */
function quotedAt(text: string, start: number): readonly [number, number] | undefined {
  const opening = /(\\*)(["'`])/y;
  opening.lastIndex = start;
  const [whole = '', backslashes = '', quote = ''] = opening.exec(text) ?? [];
  if (whole === '') return undefined;
  const from = start + whole.length;
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let first = at;
    while (first > from && text[first - 1] === '\\') first -= 1;
    if (at - first <= backslashes.length) return [from, first];
  }
  return [from, text.length];
}

/** Returns the index of the first match at or after `start`; the length of the text if nothing matches. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(text)?.index ?? text.length;
}

/** Returns whether text looks random, like a key or token. Returns false for words, numbers, slugs and ERROR_CODES. */
function isRandom(text: string): boolean {
  if (!/^[\w.~+=%-][\w.~+/=%-]{15,}$/.test(text) || /^[A-Z\d]+(?:_[A-Z\d]+)+$/.test(text)) return false;
  const hasBothCases = /[a-z]/.test(text) && /[A-Z]/.test(text);
  const runs = text.match(/[a-z\d]{16,}/gi) ?? [];
  return hasBothCases || runs.some((run) => /[a-z]/i.test(run) && /\d/.test(run));
}

/** Decodes one level of percent-encoding. Bytes that are not UTF-8 stay encoded. */
function decode(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
}

export type Background = ReturnType<typeof inBackground>;

/**
 * Returns a function to call with each promise that no caller awaits. If the promise rejects, the function logs the
 * error, with `words` as the message.
 */
export function inBackground(log: Pick<Log, 'warn'>) {
  const underWay = new Set<Promise<unknown>>();
  const run = (work: Promise<unknown>, words = 'in the background'): void => {
    const done: Promise<unknown> = work
      .catch((error: unknown) => log.warn({ err: error }, words))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
  return Object.assign(run, {
    /** Resolves when no background work is running. Never rejects. */
    async finished(): Promise<void> {
      // Repeat, because running work may start more background work.
      while (underWay.size > 0) await Promise.all(underWay);
    },
  });
}
