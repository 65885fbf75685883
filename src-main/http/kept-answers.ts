import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createRecent, type Source, type Versions } from '../storage/caches.ts';
import { isOwnRequest } from './ask-self.ts';
import type { PublicAnswer } from './page.ts';

/** Records the dependencies of a response. The function that builds the response receives this object. */
export interface Making {
  /** The time at which building the response started, in ms. */
  readonly now: number;
  /**
   * Records the data sources that the response depends on. Call this function before reading the sources, so that no
   * change is missed.
   */
  shows(...sources: readonly Source[]): void;
  /** Records a time (ms) after which the response is out of date, even if its data sources haven't changed. */
  until(at: number): void;
}

type Make = (making: Making) => Promise<PublicAnswer | SharedAnswer>;

/**
 * An error response that any number of URLs share, such as the page for missing content. It is cached once for all of
 * them.
 */
export interface SharedAnswer {
  /** The key of the shared response. Contains everything that the response depends on except its data sources. */
  readonly sharedKey: string;
  readonly make: (making: Making) => Promise<PublicAnswer>;
}

export type KeptAnswers = ReturnType<typeof keepAnswers>;

interface KeptAnswersOptions {
  readonly versions: Versions;
  /** Returns the current time in ms. */
  readonly now: () => number;
  /** The maximum total size of the cached responses, in bytes. A single response may use at most a quarter of it. */
  readonly mostBytes?: number;
}

/** The estimated size of a cached response without its body, in bytes. */
const overhead = 6000;
/** The maximum length of the key of a cached response, in characters. */
const longestKey = 800;
/**
 * The maximum age of a cached response, in ms: one day. A response must be built again regularly, because building it
 * marks its pictures as recently used. The least recently used pictures are deleted first.
 */
const dayMs = 86_400_000;
/** The minimum size of a body to compress, in bytes. A smaller body fits into one network packet anyway. */
const leastPacked = 1000;
/** The maximum number of remembered keys that were requested only once. */
const mostOnce = 2000;

interface Made {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body, compressed with gzip. It contains no secret that its length could reveal (BREACH). */
  readonly packed: Buffer | undefined;
}

/** A response that is cached or being built. */
interface Entry {
  readonly made: Promise<Made>;
  /** Returns whether the response is up to date, according to the data sources recorded so far. */
  readonly isCurrent: () => boolean;
}

const pack = promisify(gzip);

/**
 * Creates a sender of responses. It caches a response that is requested repeatedly, until its data changes. Private
 * responses need a separate cache whose keys identify the person or app that may see the response.
 */
export function keepAnswers({ versions, now, mostBytes = 32_000_000 }: KeptAnswersOptions) {
  const kept = createRecent<{ readonly made: Made; readonly isCurrent: () => boolean }>(mostBytes);
  const underWay = new Map<string, Entry>();
  let once = new Set<string>();

  /** Starts to build a response. `isPacked`: whether to also compress the body. */
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
      return 'sharedKey' in answer ? current(answer.sharedKey, answer.make, true) : madeOf(answer, isPacked);
    }

    return {
      made: made(),
      isCurrent() {
        const time = now();
        // If the clock was set back, the response may show posts that are now scheduled for later.
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
   * Builds a response. Caches it only if it was requested before, so that a crawler that reads every page once does not
   * displace the cached pages that people read. `isShared`: whether to cache an error response, too.
   */
  async function makeFor(key: string, make: Make, isShared: boolean): Promise<Made> {
    const isRepeated = kept.get(key) !== undefined || once.has(key);
    const entry = begin(make, isRepeated);
    underWay.set(key, entry);
    try {
      const made = await entry.made;
      if (made.status !== 200 && !isShared) return made;
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

  /** Returns an up-to-date response from the cache or from a build in progress, or builds a new response. */
  function current(key: string, make: Make, isShared = false): Made | Promise<Made> {
    const known = kept.get(key);
    if (known?.isCurrent()) return known.made;
    const other = underWay.get(key);
    return other?.isCurrent() ? other.made : makeFor(key, make, isShared);
  }

  return {
    /**
     * Sends a response. Builds it with `make` unless an up-to-date response is cached under `key`. The key must contain
     * everything that the response depends on except its data sources. A response is never cached under `key` if the key
     * is missing or long, if the response's status isn't 200, or if only this server itself has requested it.
     */
    async send(
      request: FastifyRequest,
      reply: FastifyReply,
      key: string | undefined,
      make: Make,
    ): Promise<FastifyReply> {
      const isNew =
        key === undefined ||
        key.length > longestKey ||
        (isOwnRequest(request) && kept.get(key)?.isCurrent() !== true);
      return sendMade(request, reply, await (isNew ? begin(make, false).made : current(key, make)));
    },
    /** Returns the approximate size of all cached responses, in bytes. */
    bytes: (): number => kept.total,
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
    // The ETag is weak, because it also identifies the compressed body (RFC 9110, 8.8.1).
    ...(headers['cache-control'] !== 'no-store' && { etag: `W/"${tag}"` }),
  };
  const packed = isPacked && status === 200 && body.length >= leastPacked ? await pack(body) : undefined;
  return { status, type, headers: all, body, packed };
}

/** Sends a response, or 304 to a client that already has it (RFC 9110, 13.2.2). */
function sendMade(request: FastifyRequest, reply: FastifyReply, made: Made): FastifyReply {
  const { status, type, headers, body, packed } = made;
  reply.code(status).headers(headers);
  const { 'if-none-match': tags, 'if-modified-since': since } = request.headers;
  const isHad =
    tags === undefined ? isSameMoment(since, headers['last-modified']) : isKnown(tags, headers['etag']);
  if (status === 200 && isHad) return reply.code(304).send();
  reply.type(type);
  if (packed === undefined || !takesGzip(request.headers['accept-encoding'])) return reply.send(body);
  return reply.header('content-encoding', 'gzip').send(packed);
}

/** Returns whether an If-None-Match header contains an ETag, by weak comparison (RFC 9110, 8.8.3.2). */
function isKnown(header: string, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  const known = header.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag.slice('W/'.length)) || known.includes('*');
}

/**
 * Returns whether an If-Modified-Since header repeats Last-Modified. A later date doesn't count: the last modification
 * is that of the newest post, so it becomes earlier when that post is deleted.
 */
const isSameMoment = (header: string | undefined, modified: string | undefined): boolean =>
  modified !== undefined && Date.parse(header ?? '') === Date.parse(modified);

/** Returns whether `Accept-Encoding` names gzip with a weight above 0 (RFC 9110, 12.5.3). */
function takesGzip(header: string | string[] | undefined): boolean {
  return /(?:^|[\s,])gzip(?:\s*;\s*q=(?:1(?:\.0*)?|0?\.0*[1-9]\d*))?\s*(?:,|$)/i.test(String(header ?? ''));
}
