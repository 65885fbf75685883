import type { FuzzRequest } from './request.ts';

/** Something that may not become known. */
export interface Secret {
  readonly name: string;
  readonly text: string;
  /** True where the owner's own window may be told. */
  readonly ownerMayKnow?: boolean;
}

/** What came back for one request. */
export interface Outcome {
  /** Everything that the server sent, decoded as Latin-1. */
  readonly text: string;
  /** The status of each answer; empty where the connection was just closed. */
  readonly statuses: readonly number[];
  /** Ms until the first byte, or until the end where none came. */
  readonly ms: number;
  /** True where the fuzzer gave up waiting. */
  readonly isSilent: boolean;
  /** Why no connection could be made. */
  readonly refused?: string;
}

export interface Finding {
  readonly kind: 'status' | 'silence' | 'leak' | 'log' | 'crash' | 'stall' | 'growth';
  readonly words: string;
  readonly request?: FuzzRequest;
}

interface Limit {
  readonly status: number;
  readonly route: RegExp;
  /** What the answer contains. */
  readonly says?: RegExp;
  readonly reason: string;
}

/** The only answers above 499 that are no fault. Those with 503 must say when to come back (Retry-After). */
const limits: readonly Limit[] = [
  { status: 502, route: /^\/import$/, reason: 'the aggregator refused the token, or was interrupted' },
  { status: 503, route: /^\/webmention$/, reason: 'too many mentions wait' },
  {
    status: 503,
    route: /^\/(auth|token|media|micropub|posts)/,
    says: /can.{1,3}t do this at the moment/,
    reason: 'other programs kept the processor from the thread that reads',
  },
];
/** How the log names the last one. Any other reason is a fault. */
const starved = 'The job has no result: starved.';

/** Returns the statuses of all answers on a connection. A body may end without a line break before the next answer. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
}

function isLimit(request: FuzzRequest, status: number, text: string): boolean {
  return limits.some(
    (limit) =>
      limit.status === status &&
      limit.route.test(request.route) &&
      limit.says?.test(text) !== false &&
      (status !== 503 || /\r\nretry-after: \d+\r\n/i.test(text)),
  );
}

/** A line of a JavaScript stack, which names files of the program. A quotation mark ends it: in JSON a time may follow. */
const stackLine =
  /\bat (?:async )?(?:[\w$.<>[\] ]{1,80} \()?(?:file:\/\/|node:|\/|[A-Z]:\\)[^\s()"]{1,300}:\d+:\d+\)?/;

/** Judges what came back: no fault of the server's, and nothing that is not the visitor's to know. */
export function judgeOutcome(request: FuzzRequest, outcome: Outcome, secrets: readonly Secret[]): Finding[] {
  const findings: Finding[] = [];
  const fault = outcome.statuses.find((status) => status >= 500 && !isLimit(request, status, outcome.text));
  if (fault !== undefined) findings.push({ kind: 'status', words: `The answer is ${fault}.`, request });
  if (outcome.refused !== undefined)
    findings.push({ kind: 'crash', words: `No connection could be made: ${outcome.refused}.`, request });
  if (outcome.isSilent && request.mustAnswer && outcome.statuses.length === 0)
    findings.push({ kind: 'silence', words: `No answer within ${Math.round(outcome.ms)} ms.`, request });
  const sent = request.bytes.toString('latin1');
  for (const { name, text, ownerMayKnow } of secrets) {
    // What the visitor sent may be repeated to them. What belongs to the owner may be told to the owner.
    if (!outcome.text.includes(text) || sent.includes(text)) continue;
    if (request.listener === 'console' && ownerMayKnow === true) continue;
    if (
      request.listener === 'console' &&
      name === 'managementToken' &&
      sent.includes('secrets.managementToken')
    )
      continue;
    findings.push({ kind: 'leak', words: `The answer holds a secret: ${name}.`, request });
  }
  // The support file repeats the log, which only its owner gets.
  const repeatsLog = request.listener === 'console' && request.route === '/api/support.file';
  if (!repeatsLog && stackLine.test(outcome.text))
    findings.push({ kind: 'leak', words: 'The answer holds a stack trace.', request });
  return findings;
}

const errorLevel = 50;

/** Judges what the program wrote to stderr: lines of JSON, none of them an error, none with a secret. */
export function judgeLog(text: string, secrets: readonly Secret[]): Finding[] {
  const findings: Finding[] = [];
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const level = levelOf(line);
    if (level === undefined)
      findings.push({ kind: 'log', words: `This line is no log entry: ${line.slice(0, 500)}` });
    else if (level >= errorLevel && !line.includes(starved))
      findings.push({ kind: 'log', words: `An error was logged: ${line.slice(0, 2000)}` });
    for (const { name, text: secret, ownerMayKnow } of secrets)
      if (ownerMayKnow !== true && line.includes(secret))
        findings.push({ kind: 'leak', words: `The log holds a secret (${name}): ${line.slice(0, 300)}` });
  }
  return findings;
}

function levelOf(line: string): number | undefined {
  try {
    const { level } = JSON.parse(line) as { level?: unknown };
    return typeof level === 'number' ? level : undefined;
  } catch {
    return undefined;
  }
}

/** Ms that are a stall on a quiet computer. */
const stallMs = 1000;
/** On a slower one, a stall is the time that it takes to read so many MB of JSON. */
const stallReadings = 100;

/** One look at whether the server is responsive. */
export interface Pulse {
  /** The longest time, in ms, that the server's main thread was not free; waiting for a processor left out. */
  readonly blocked: number;
  /** How long a harmless request waited for its answer, in ms. */
  readonly answered: number;
  /** Ms of that in which the fuzzer was busy, or something waited for a processor or the disk. */
  readonly contended: number;
  /** Ms of processor time that this computer takes at the moment to read 1 MB of JSON: 10 on a quiet one. */
  readonly reading: number;
}

/**
 * Judges whether the server stalled. A machine with too much to do is no fault of the server's. What is excused of
 * `answered` may be too much; a main thread that stalls is seen in `blocked` too.
 */
export function judgePulse({ blocked, answered, contended, reading }: Pulse): Finding[] {
  const most = Math.max(stallMs, stallReadings * reading);
  if (blocked > most)
    return [
      {
        kind: 'stall',
        words: `The main thread was not free for ${Math.round(blocked)} ms (at most ${Math.round(most)}).`,
      },
    ];
  if (answered - contended > most)
    return [
      {
        kind: 'stall',
        words: `The metadata took ${Math.round(answered)} ms, ${Math.round(contended)} ms of it contention.`,
      },
    ];
  return [];
}
