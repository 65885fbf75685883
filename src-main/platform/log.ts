import { type Level, levels, type LogFn, type Logger, pino } from 'pino';
import { isDiskCode, isUnreadableCode, PorchlightError } from '../contract/error.ts';
import { createOutlet, type LogFile, type Outlet, stderrStream } from './log-file.ts';
import { plainLine } from './plain-line.ts';
import { withoutSecrets } from './redaction.ts';

/** The parts of the logger that Porchlight uses. Fastify takes a logger of this type as its `loggerInstance`. */
export type Log = Pick<
  Logger,
  'level' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | 'child'
>;

/**
 * Returns a logger that writes to stderr: text on a terminal, JSON lines elsewhere. stdout is reserved for output that
 * the user requested. Removes secrets (see redaction.ts). If nothing reads stderr, drops lines instead of blocking
 * the server.
 */
export function createLog(options: { level: Level | 'silent' }, destination: Outlet = stderr()): Log {
  const isNews = refusedOnce();
  const hooks = {
    // Complete lines, so this includes what child loggers and serializers added.
    streamWrite: (line: string) => `${JSON.stringify(withoutSecrets(JSON.parse(line)))}\n`,
    logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
      const refusal = refusalIn(args[0]);
      if (refusal === undefined) method.apply(this, args);
      else if (isNews(refusal)) this.error(refusal.message);
    },
  };
  return pino({ level: options.level, base: null, hooks }, destination);
}

/**
 * Returns the error in a log line's fields if it says that this version can't read a file of the data folder, or that
 * nothing can be saved in the folder.
 */
function refusalIn(fields: unknown): PorchlightError | undefined {
  const { err } = (fields ?? {}) as { readonly err?: unknown };
  if (!(err instanceof PorchlightError)) return undefined;
  return isUnreadableCode(err.code) || isDiskCode(err.code) ? err : undefined;
}

const mostUnreadable = 1_000;
/** How long one line about the disk stands for all of them, in ms. */
const diskLineMs = 10_000;

/**
 * Returns a function that returns true for the first error about each unreadable file, and for one error about the disk
 * in 10 s. Every request fails that needs them, so one line says what a stack for each request would hide.
 */
function refusedOnce(): (error: PorchlightError) => boolean {
  const logged = new Set<string>();
  let diskLineAt = -Infinity;
  return ({ code, message }) => {
    if (isDiskCode(code)) {
      if (performance.now() - diskLineAt < diskLineMs) return false;
      diskLineAt = performance.now();
      return true;
    }
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
