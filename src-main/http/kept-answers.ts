import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createRecent } from '../storage/recent.ts';
import type { Source, Versions } from '../storage/versions.ts';
import type { PublicAnswer } from './public-answer.ts';

/** What the code that makes an answer is told, and where it notes what the answer depends on. */
export interface Making {
  /** The time in ms at which the making began. */
  readonly now: number;
  /** Notes sources that the answer shows. Call it before reading them, so that no change is missed. */
  shows(...sources: readonly Source[]): void;
  /** Notes a time (ms) at which the answer changes without a change to its sources. */
  until(at: number): void;
}

type Make = (making: Making) => Promise<PublicAnswer>;

/** Sends public answers, and keeps those that are requested repeatedly in memory until they change. */
export interface KeptAnswers {
  /**
   * Sends an answer, which it makes unless a current one is kept under `key`. The key names everything but the sources
   * that the answer depends on. Without a key, or with a long one, an answer is never kept. Only answers with status
   * 200 are kept.
   */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string | undefined,
    make: Make,
  ): Promise<FastifyReply>;
  /** How many bytes all kept answers use, roughly. */
  bytes(): number;
}

interface KeptAnswersOptions {
  readonly versions: Versions;
  /** Returns the current time in ms. */
  readonly now: () => number;
  /** The most bytes for all kept answers together. A single answer may use a quarter of that. */
  readonly mostBytes?: number;
}

/** Added to the size of an answer for its headers, its key and its list of sources, in bytes. */
const overhead = 6000;
/** The longest key of an answer that is kept, in characters. */
const longestKey = 800;
/** An answer is made again after a day, because that notes that the pictures in it are still used. In ms. */
const dayMs = 86_400_000;
/** Shorter texts fit into one packet and aren't compressed. In bytes. */
const leastPacked = 1000;
/** How many keys to remember that were requested only once. */
const mostOnce = 2000;

interface Made {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body as gzip. It contains no secret, so its length can't give one away (BREACH). */
  readonly packed: Buffer | undefined;
}

/** An answer that is kept or being made. */
interface Entry {
  readonly made: Promise<Made>;
  /** Returns whether nothing has changed since the answer was made, as far as its sources are known by now. */
  readonly isCurrent: () => boolean;
}

const pack = promisify(gzip);

export function keepAnswers({ versions, now, mostBytes = 32_000_000 }: KeptAnswersOptions): KeptAnswers {
  const kept = createRecent<{ readonly made: Made; readonly isCurrent: () => boolean }>(mostBytes);
  const underWay = new Map<string, Entry>();
  let once = new Set<string>();

  /** Begins to make an answer, also compressed if `isPacked`. */
  function begin(make: Make, isPacked: boolean): Entry {
    const began = now();
    let end = began + dayMs;
    let compared = versions.newest;
    const shown = new Map<Source, number>();

    async function made(): Promise<Made> {
      const answer = await make({
        now: began,
        shows(...sources) {
          for (const source of sources) if (!shown.has(source)) shown.set(source, versions.of(source));
        },
        until: (at) => void (end = Math.min(end, at)),
      });
      return madeOf(answer, isPacked);
    }

    return {
      made: made(),
      isCurrent() {
        const time = now();
        // If the clock is set back, scheduled posts disappear again.
        if (time < began || time >= end) return false;
        if (compared === versions.newest) return true;
        const newest = versions.newest;
        for (const [source, version] of shown) if (versions.of(source) !== version) return false;
        compared = newest;
        return true;
      },
    };
  }

  /**
   * Makes an answer. Keeps it only if it was requested before, so a crawler that reads every page once does not displace
   * what others read.
   */
  async function makeFor(key: string, make: Make): Promise<Made> {
    const isRepeated = kept.get(key) !== undefined || once.has(key);
    const entry = begin(make, isRepeated);
    underWay.set(key, entry);
    try {
      const made = await entry.made;
      if (made.status !== 200) return made;
      const bytes = overhead + made.body.length + (made.packed?.length ?? 0);
      if (!isRepeated) {
        if (once.size >= mostOnce) once = new Set();
        once.add(key);
      } else if (bytes <= mostBytes / 4 && entry.isCurrent()) {
        once.delete(key);
        kept.set(key, { made, isCurrent: entry.isCurrent }, bytes);
      }
      return made;
    } finally {
      if (underWay.get(key) === entry) underWay.delete(key);
    }
  }

  /** Returns the current answer: the kept one, one that is being made, or a new one. */
  function current(key: string, make: Make): Made | Promise<Made> {
    const known = kept.get(key);
    if (known?.isCurrent()) return known.made;
    const other = underWay.get(key);
    return other?.isCurrent() ? other.made : makeFor(key, make);
  }

  return {
    async send(request, reply, key, make) {
      return sendMade(
        request,
        reply,
        await (key === undefined || key.length > longestKey ? begin(make, false).made : current(key, make)),
      );
    },
    bytes: () => kept.total,
  };
}

async function madeOf(answer: PublicAnswer, isPacked: boolean): Promise<Made> {
  const { status = 200, type, headers = {}, text } = answer;
  const body = Buffer.from(text);
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 27);
  const all = {
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
    ...headers,
    // The tag is weak because it also stands for the compressed body (RFC 9110, 8.8.1).
    ...(headers['cache-control'] !== 'no-store' && { etag: `W/"${tag}"` }),
  };
  const packed = isPacked && status === 200 && body.length >= leastPacked ? await pack(body) : undefined;
  return { status, type, headers: all, body, packed };
}

/** Sends an answer, or 304 to a client that already has it (RFC 9110, 13.1.2). */
function sendMade(request: FastifyRequest, reply: FastifyReply, made: Made): FastifyReply {
  const { status, type, headers, body, packed } = made;
  reply.code(status).headers(headers);
  if (status === 200 && isKnown(request.headers['if-none-match'], headers['etag']))
    return reply.code(304).send();
  reply.type(type);
  if (packed === undefined || !takesGzip(request.headers['accept-encoding'])) return reply.send(body);
  return reply.header('content-encoding', 'gzip').send(packed);
}

/** Compares ETags weakly (RFC 9110, 8.8.3.2). */
function isKnown(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined || etag === undefined) return false;
  const known = header.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag.slice('W/'.length)) || known.includes('*');
}

/** Returns whether `Accept-Encoding` contains gzip, and not with the weight 0 (RFC 9110, 12.5.3). */
function takesGzip(header: string | string[] | undefined): boolean {
  return /(?:^|[\s,])gzip(?:\s*;\s*q=(?:1(?:\.0*)?|0?\.0*[1-9]\d*))?\s*(?:,|$)/i.test(String(header ?? ''));
}
