import PQueue from 'p-queue';
import { PorchlightError } from '../contract/error.ts';
import { pageOf } from '../http/strangers/web-page.ts';
import type { Clock } from '../platform/clock.ts';
import type { FetchedResponse, GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Client } from './authorization-request.ts';
import {
  clientFromDocument,
  clientFromHtml,
  clientFromIdOnly,
  type ClientInformation,
} from './client-information.ts';
import { isLoopbackHost } from './web-address.ts';

export interface ClientDirectory {
  /** What is known of a client, fetched where it may be. @throws PorchlightError `invalid_client` where it must be refused. */
  readonly lookUp: (clientId: string) => Promise<Client>;
  /** The same, but what was learned within the last ten minutes will do: for the step after a page that showed it. */
  readonly lookUpAgain: (clientId: string) => Promise<Client>;
}

export interface ClientDirectoryOptions {
  readonly fetch: GuardedFetch;
  /** Makes a small data: URL of a picture; null where it can not. */
  readonly shrink: (bytes: Uint8Array) => Promise<string | null>;
  readonly clock: Clock;
  /** Development and tests: loopback clients are fetched, and their JSON counts over http. */
  readonly allowPrivate: boolean;
}

const documentLimit = 5 * 1024; // Client ID Metadata Document, 6.6
const pageLimit = 512 * 1024;
const logoLimit = 1024 * 1024;
const fetchTimeoutMs = 6000;
const logoTimeoutMs = 3000;
/** More than these wait only where somebody makes them. */
const mostQueued = 100;
const mostCached = 200;
const longestCache = 86_400;
/** How long what a page showed holds for the button on it. */
const shownForMs = 600_000;

/**
 * Learns who a client is from its client_id (IndieAuth 4.2): through the guarded fetch, a few at a time, cached as
 * long as its headers allow. Faults are not cached.
 */
export function createClientDirectory(options: ClientDirectoryOptions): ClientDirectory {
  const { fetch, shrink, clock, allowPrivate } = options;
  const cache = new Map<string, { client: Client; learnedAt: number; freshUntil: number }>();
  const underWay = new Map<string, Promise<Client>>();
  const queue = new PQueue({ concurrency: 16 });

  async function learn(clientId: string): Promise<Client> {
    const url = new URL(clientId);
    if (isLoopbackHost(url.hostname) && !allowPrivate) {
      return {
        ...clientFromIdOnly(
          clientId,
          'This app runs on the computer that asks, so nothing could be learned of it.',
        ),
        logo: null,
      };
    }
    let page: FetchedResponse;
    try {
      page = await fetch(clientId, {
        accept: 'application/json, text/html;q=0.9',
        maxRedirects: 3,
        maxBytes: pageLimit,
        timeoutMs: fetchTimeoutMs,
      });
    } catch (error) {
      if (error instanceof PorchlightError) return unreadable(clientId);
      throw error;
    }
    if (page.status !== 200) return unreadable(clientId);
    const information = read(clientId, page);
    const client = { ...information, logo: await logoOf(information) };
    keep(clientId, client, page);
    return client;
  }

  function read(clientId: string, page: FetchedResponse): ClientInformation {
    const type = (page.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (!/^application\/([\w.+-]+\+)?json$/.test(type)) {
      return clientFromHtml(clientId, pageOf(page));
    }
    if (page.redirected)
      throw new PorchlightError(
        'invalid_client',
        'The app’s description is not at its client_id, but behind a redirect.',
      );
    if (page.body.byteLength > documentLimit)
      throw new PorchlightError('invalid_client', 'The app’s description is longer than 5 KB.');
    if (!/^https:/i.test(clientId) && !allowPrivate) {
      return clientFromIdOnly(
        clientId,
        'This app’s description came over an open connection, so it does not count.',
      );
    }
    return clientFromDocument(clientId, page.text());
  }

  /** Shown from our own copy (Client ID Metadata Document, 6.5). An app without a picture is no fault. */
  async function logoOf({ logoUri }: ClientInformation): Promise<string | null> {
    if (logoUri === null) return null;
    try {
      const picture = await fetch(logoUri, {
        accept: 'image/*',
        maxRedirects: 3,
        maxBytes: logoLimit,
        timeoutMs: logoTimeoutMs,
      });
      return picture.status === 200 ? await shrink(picture.body) : null;
    } catch (error) {
      if (error instanceof PorchlightError) return null;
      throw error;
    }
  }

  function keep(clientId: string, client: Client, page: FetchedResponse): void {
    if (cache.size >= mostCached) cache.delete(cache.keys().next().value ?? '');
    const seconds = cacheSeconds(page.headers.get('cache-control'));
    cache.set(clientId, { client, learnedAt: clock(), freshUntil: clock() + seconds * 1000 });
  }

  async function lookUp(clientId: string): Promise<Client> {
    const known = cache.get(clientId);
    if (known && clock() < known.freshUntil) return known.client;
    cache.delete(clientId); // whatever is learned now: what was known before must not cover up a fault
    if (queue.size >= mostQueued && !underWay.has(clientId))
      throw new PorchlightError(
        'temporarily_unavailable',
        'Too many apps are being looked up just now. Try again in a minute.',
        429,
      );
    const running = underWay.get(clientId) ?? queue.add(() => learn(clientId));
    underWay.set(clientId, running);
    try {
      return await running;
    } finally {
      underWay.delete(clientId);
    }
  }

  return {
    lookUp,
    async lookUpAgain(clientId) {
      const known = cache.get(clientId);
      return known && clock() < known.learnedAt + shownForMs ? known.client : lookUp(clientId);
    },
  };
}

function unreadable(clientId: string): Client {
  return {
    ...clientFromIdOnly(
      clientId,
      'The app’s address could not be read, so only the address itself is known.',
    ),
    logo: null,
  };
}

/** How long a page says it may be kept (RFC 9111, 5.2), a day at most; 0 where it does not say. */
function cacheSeconds(header: string | null): number {
  if (header === null || /\bno-(store|cache)\b/i.test(header)) return 0;
  const age = /\bmax-age\s*=\s*"?(\d+)/i.exec(header)?.[1];
  return Math.min(Number(age ?? 0), longestCache);
}
