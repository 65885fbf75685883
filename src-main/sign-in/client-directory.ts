import { PorchlightError } from '../contract/error.ts';
import { RetryLater } from '../http/errors.ts';
import { type Cause, turnOf } from '../platform/cause.ts';
import type { Clock } from '../platform/clock.ts';
import { createFairTurns, TurnRefused } from '../platform/fair-turns.ts';
import type { FetchedResponse, GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';
import { isLoopbackHost } from '../platform/web-address.ts';
import { createRecent } from '../storage/caches.ts';
import { fetchedPage, type FetchedPage } from '../untrusted/pages/fetched-page.ts';
import type { Client } from './authorization-request.ts';
import {
  clientFromDocument,
  clientFromIdOnly,
  type ClientInformation,
  redirectAllowed,
} from './client-information.ts';

/** Reads a client's page (clientFromHtml) off the main thread. Rejects with the errors of ReadingPool.run. */
export type ReadClient = (
  question: { readonly clientId: string; readonly page: FetchedPage },
  cause: Cause,
) => Promise<ClientInformation>;

interface ClientDirectoryOptions {
  readonly fetch: GuardedFetch;
  readonly readClient: ReadClient;
  readonly shrink: Shrink;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /**
   * For development and tests only: fetches the pages of loopback clients too, and accepts JSON documents over http.
   */
  readonly allowPrivate: boolean;
}

const documentLimit = 5 * 1024; // the maximum size in bytes (Client ID Metadata Document, 6.6)
const pageLimit = 512 * 1024;
/** The maximum size of all cached clients, in bytes. */
const mostCached = 12_000_000;
/** The estimated size of a cached client without its texts, in bytes: above all, the logo, which may arrive later. */
const bytesOfOne = 60_000;
const longestCache = 86_400;
/** How long a page may be cached whose headers state no time, in seconds (RFC 9111, 4.2.2). */
const longestGuess = 60;
/** How long client information and logos may be reused after a request page has shown them, in ms. */
const shownForMs = 600_000;
/** How long a refused visitor should wait before trying again, in ms. */
const crowdedMs = 10_000;

/** The result of looking up a client. The logo may still be loading. */
interface Learned {
  readonly information: ClientInformation;
  readonly logo: Promise<string | null>;
  readonly learnedAt: number;
  readonly freshUntil: number;
}

/**
 * A directory that looks up clients by client_id (IndieAuth 4.2). It uses the guarded fetch, and visitors'
 * look-ups take turns. It caches results for as long as the response headers allow. Errors are not cached.
 */
export class ClientDirectory {
  readonly #options: ClientDirectoryOptions;
  readonly #logos: ReturnType<typeof createClientLogos>;
  readonly #cache = createRecent<Learned>(mostCached);
  /** Look-ups in progress, by client_id. */
  readonly #underWay = new Map<string, Promise<Learned>>();
  /** Look-ups that are waiting in the fetch queue, by visitor and client_id. */
  readonly #asked = new Map<string, Promise<Client>>();
  // One visitor never uses more than a quarter of the concurrent fetches.
  readonly #turns = createFairTurns({
    concurrency: 16,
    perParty: 4,
    mostWaiting: 100,
    mostWaitingPerParty: 20,
  });
  readonly #fetchOptions = {
    accept: 'application/json, text/html;q=0.9',
    maxRedirects: 3,
    maxBytes: pageLimit,
    timeoutMs: 6000,
  };

  constructor(options: ClientDirectoryOptions) {
    this.#options = options;
    this.#logos = createClientLogos(this.#options);
  }

  /**
   * Returns the information about a client. Fetches the client's page if necessary. `visitor`: the visitor's network
   * (visitorOf). `redirectUri`: cached information never refuses this URI, because the client may have published it
   * since.
   * @throws PorchlightError `invalid_client` if the client must be refused; RetryLater (429) if too many look-ups are
   * waiting, or if ReadingPool.run refuses to read the page now.
   */
  async lookUp(clientId: string, visitor?: string, redirectUri?: string): Promise<Client> {
    if (isLoopbackHost(new URL(clientId).hostname) && !this.#options.allowPrivate)
      return this.#shown(withoutLogo(clientFromIdOnly(clientId, localWords)));
    const known = this.#cache.get(clientId);
    const isEnough = ({ information, freshUntil }: Learned): boolean =>
      this.#options.clock() < freshUntil &&
      (redirectUri === undefined || redirectAllowed(redirectUri, clientId, information.redirects));
    if (known && isEnough(known)) return this.#shown(known);
    const joined = await this.#joinOther(clientId);
    if (joined) return this.#shown(joined);
    const cause = { visitor, address: clientId };
    const key = `${turnOf(cause)} ${clientId}`;
    const waiting = this.#asked.get(key) ?? this.#take(clientId, cause, key);
    this.#asked.set(key, waiting);
    return waiting;
  }

  /**
   * Returns the same result as lookUp, but may reuse information that is up to ten minutes old. Call this function
   * only after a page has shown the client.
   */
  async lookUpAgain(clientId: string, visitor?: string): Promise<Client> {
    const known = this.#cache.get(clientId);
    return known && this.#isRecent(known) ? this.#shown(known) : this.lookUp(clientId, visitor);
  }

  async #learn(clientId: string, fetched: Promise<FetchedResponse>, cause: Cause): Promise<Learned> {
    const known = this.#cache.get(clientId);
    // Delete the cached information first. Otherwise, it could hide an error of this look-up.
    this.#cache.delete(clientId);
    try {
      const page = await fetched;
      return this.#keep(await this.#read(clientId, page, cause), page, cause, known);
    } catch (error) {
      if (error instanceof RetryLater && known && this.#isRecent(known)) {
        this.#remember(clientId, known);
        return known;
      }
      if (!(error instanceof PorchlightError)) throw error;
      if (error instanceof RetryLater || error.code === 'invalid_client') throw error;
      // Only the owner may see the reason. A visitor who could tell a forbidden address from a closed port could probe
      // the owner's network.
      this.#options.log.info({ err: error, clientId }, 'The page of an app could not be read.');
      return withoutLogo(clientFromIdOnly(clientId, unreadWords, { isUnread: true }));
    }
  }

  async #read(clientId: string, page: FetchedResponse, cause: Cause): Promise<ClientInformation> {
    if (!speaksFor(page.url, clientId))
      throw new PorchlightError('client_unread', 'Its address redirects to another site.');
    if (page.status !== 200)
      throw new PorchlightError('client_unread', `The server answered with status ${page.status}.`);
    const type = (page.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (!/^application\/([\w.+-]+\+)?json$/.test(type)) {
      return this.#options.readClient({ clientId, page: fetchedPage(page) }, cause);
    }
    if (page.redirected)
      throw new PorchlightError(
        'invalid_client',
        'The client_id redirects to another address. The app’s description must be at the client_id itself.',
      );
    if (page.body.byteLength > documentLimit)
      throw new PorchlightError('invalid_client', 'The app’s description is longer than 5 KB.');
    if (!/^https:/i.test(clientId) && !this.#options.allowPrivate) {
      return clientFromIdOnly(
        clientId,
        'This app’s description was sent without https, so Porchlight ignores it.',
      );
    }
    return clientFromDocument(clientId, page.text());
  }

  #keep(
    information: ClientInformation,
    page: FetchedResponse,
    cause: Cause,
    before: Learned | undefined,
  ): Learned {
    const { logoUri } = information;
    const isSameLogo = before && this.#isRecent(before) && before.information.logoUri === logoUri;
    const logo = isSameLogo ? before.logo : this.#logos.fetched(logoUri, cause);
    const freshUntil = this.#options.clock() + cacheSeconds(page.headers, this.#options.clock()) * 1000;
    const learned = { information, logo, learnedAt: this.#options.clock(), freshUntil };
    this.#remember(information.id, learned);
    return learned;
  }

  #remember(clientId: string, learned: Learned): void {
    // Two bytes for each character.
    this.#cache.set(clientId, learned, bytesOfOne + 2 * JSON.stringify(learned.information).length);
  }

  #isRecent({ learnedAt }: Learned): boolean {
    return this.#options.clock() < learnedAt + shownForMs;
  }

  async #shown({ information, logo }: Learned): Promise<Client> {
    return {
      ...information,
      logo: await this.#logos.soon(logo),
    };
  }

  /**
   * Returns the result of a look-up in progress. Returns undefined if there is none. Also returns undefined if the
   * look-up failed with RetryLater, because that error may concern only the visitor who started the look-up.
   */
  async #joinOther(clientId: string): Promise<Learned | undefined> {
    try {
      return await this.#underWay.get(clientId);
    } catch (error) {
      if (error instanceof RetryLater) return undefined;
      throw error;
    }
  }

  /**
   * Waits in the fetch queue, then fetches and reads the client's page. Reading pages has its own queue, so the next
   * fetch can start before this page is read.
   */
  async #inTurn(clientId: string, cause: Cause, key: string): Promise<Learned> {
    for (;;) {
      const begun = await this.#turns.run(turnOf(cause), async () => {
        this.#asked.delete(key);
        // There must be no await between this check and underWay.set, so that concurrent requests share a look-up.
        if (this.#underWay.has(clientId)) return undefined;
        const fetched = this.#options.fetch(clientId, this.#fetchOptions);
        const running = this.#learn(clientId, fetched, cause).finally(() => {
          if (this.#underWay.get(clientId) === running) this.#underWay.delete(clientId);
        });
        this.#underWay.set(clientId, running);
        running.catch(() => undefined); // avoids an unhandled rejection; the error is handled below
        await fetched.catch(() => undefined);
        return { running };
      });
      const learned = await (begun ? begun.running : this.#joinOther(clientId));
      if (learned) return learned;
    }
  }

  /**
   * Adds a look-up to the fetch queue and resolves with its result. Rejects with RetryLater if too many look-ups are
   * waiting.
   */
  #take(clientId: string, cause: Cause, key: string): Promise<Client> {
    return this.#inTurn(clientId, cause, key).then(
      (one) => this.#shown(one),
      (error: unknown) => {
        this.#asked.delete(key);
        throw error instanceof TurnRefused ? new RetryLater(crowdedWords[error.crowd], crowdedMs) : error;
      },
    );
  }
}

const localWords = 'This app has a localhost address, so Porchlight cannot check who made it.';
/** The message is the same for every reason, so that it doesn't tell visitors which addresses respond. */
const unreadWords = 'Porchlight could not read this app’s page, so it knows only the app’s address.';
const crowdedWords = {
  party: 'You have opened too many sign-ins at once. Wait a moment and try again.',
  all: 'Porchlight is looking up too many apps at the moment. Try again in a minute.',
};

function withoutLogo(information: ClientInformation): Learned {
  return { information, logo: Promise.resolve(null), learnedAt: 0, freshUntil: 0 };
}

/**
 * Returns whether a page may describe a client that redirected to it. The page must be on the client's own origin or,
 * for an http client_id, on the same host over https. Otherwise, a client could redirect to another app's page and
 * appear under that app's name.
 */
function speaksFor(pageUrl: string, clientId: string): boolean {
  const [page, client] = [new URL(pageUrl), new URL(clientId)];
  const isUpgrade = page.protocol === 'https:' && client.protocol === 'http:' && client.port === '';
  return page.origin === client.origin || (isUpgrade && page.host === client.host);
}

/**
 * Returns how long a page may be cached, in seconds, by a cache that all visitors share (RFC 9111, 4.2): at most a day.
 * If the headers state no time, that is a tenth of the page's age, and at most a minute, so that an app's developer sees
 * a change soon. `now`: ms since the epoch.
 */
function cacheSeconds(headers: FetchedResponse['headers'], now: number): number {
  const rules = headers.get('cache-control') ?? '';
  if (/\b(?:no-store|no-cache|private)\b/i.test(rules) || headers.get('vary')?.includes('*') === true)
    return 0;
  const [shared, usual] = ['s-maxage', 'max-age'].map((name) => statedSeconds(rules, name));
  const [date = now, expires, changed] = ['date', 'expires', 'last-modified'].map((name) => {
    const text = headers.get(name);
    return text === null ? undefined : Date.parse(text);
  });
  const sent = Number.isNaN(date) ? now : date;
  const stated = shared ?? usual ?? (expires === undefined ? undefined : (expires - sent) / 1000);
  const guessed = changed === undefined ? longestGuess : Math.min(longestGuess, (sent - changed) / 10_000);
  // A date that can't be read is in the past (RFC 9111, 5.3). Caches on the way have used up the `Age`.
  const left = (stated ?? guessed) - Number(/^\d+$/.exec(headers.get('age') ?? '')?.[0] ?? 0);
  return left > 0 ? Math.min(left, longestCache) : 0;
}

/** Returns the seconds that a directive of Cache-Control states: 0 if it states none, undefined if it is missing. */
function statedSeconds(rules: string, name: string): number | undefined {
  const found = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*"?(\\d*)`, 'i').exec(rules);
  return found === null ? undefined : Number(found[1]);
}

/**
 * Returns a small version of an image as a data: URL; null if the image cannot be read. `from`: the visitor who caused
 * the look-up, and the client_id.
 */
export type Shrink = (bytes: Uint8Array, from: Cause) => Promise<string | null>;

const longestWaitMs = 800;

/** Returns functions that fetch clients' logos in the background, so that no sign-in waits long for a logo. */
function createClientLogos({ fetch, shrink, log }: ClientDirectoryOptions) {
  const turns = createFairTurns({ concurrency: 8, perParty: 2, mostWaiting: 50, mostWaitingPerParty: 10 });

  async function fetchLogo(logoUri: string, cause: Cause): Promise<string | null> {
    // The logo may be on another host, such as a CDN. The guarded fetch checks the address of each host.
    const picture = await fetch(logoUri, {
      accept: 'image/*',
      maxRedirects: 3,
      maxBytes: 1024 * 1024,
      timeoutMs: 3000,
    });
    return picture.status === 200 ? shrink(picture.body, cause) : null;
  }

  return {
    /**
     * Resolves with a logo as a data: URL (Client ID Metadata Document, 6.5), or with null if the logo cannot be
     * fetched. Never rejects.
     */
    async fetched(logoUri: string | null, cause: Cause): Promise<string | null> {
      if (logoUri === null) return null;
      try {
        return await turns.run(turnOf(cause), () => fetchLogo(logoUri, cause));
      } catch (error) {
        // A missing logo is not an error.
        if (!(error instanceof PorchlightError || error instanceof TurnRefused))
          log.warn({ err: error, logoUri }, 'The picture of an app could not be fetched.');
        return null;
      }
    },

    /** Resolves with the logo if it arrives within 0.8 s, or else with null. */
    soon: (logo: Promise<string | null>): Promise<string | null> =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(null), longestWaitMs);
        void logo.then((arrived) => {
          clearTimeout(timer);
          resolve(arrived);
        });
      }),
  };
}
