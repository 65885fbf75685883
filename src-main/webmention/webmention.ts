import { join } from 'node:path';
import type { FastifyPluginCallback } from 'fastify';
import type { Settings } from '../contract/settings.ts';
import type { ProcessCounts } from '../contract/webmentions.ts';
import type { Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';
import type { Recovery } from '../storage/recovery.ts';
import { watchConnection } from './connection.ts';
import { managementRoutes } from './management-routes.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import { ownSites, type OwnSiteRules } from '../mentions/own-sites.ts';
import type { PageReading } from './page-reading.ts';
import { openQueue } from './queue.ts';
import { createSourceReader } from './read-source.ts';
import { receiverRoutes } from './receiver-routes.ts';
import type { MentionEvents } from './verification.ts';
import { createWorker } from './worker.ts';

export interface WebmentionDeps {
  /** The webmentions folder, in which the queue is stored. */
  readonly dir: string;
  /** The public origin, without a trailing slash. */
  readonly base: () => string;
  /** Returns which sites are the owner's. */
  readonly owned: () => OwnSiteRules;
  /** Returns the URLs of the page at a URL, as far as everybody may know them; that URL first. */
  readonly urlsOf: (url: string) => Promise<readonly string[]>;
  readonly settings: () => Settings['webmention'];
  readonly store: MentionStore;
  /** The sites from which the owner accepts nothing. */
  readonly blocked: { matches(host: string): boolean };
  readonly fetch: GuardedFetch;
  readonly reading: PageReading;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns whether a text is the owner's management token; compares in constant time. */
  readonly isManagementToken: (text: string) => boolean;
  /** Returns whether a page of the built-in site is public. */
  readonly isPublicPage: (url: URL) => Promise<boolean>;
  readonly events: MentionEvents;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
}

export interface Webmention {
  readonly routes: FastifyPluginCallback[];
  /** Processes every waiting mention; resolves with the results. */
  processNow(): Promise<ProcessCounts>;
  /** Returns how many mentions are waiting to be verified. */
  waiting(): number;
  /** Starts to process the queue in the background. */
  start(): void;
  /** Stops processing; resolves once every mention that was acknowledged is on disk. */
  stop(): Promise<void>;
}

/**
 * Creates the Webmention receiver (W3C Webmention 3.2) with its queue. It doesn't listen yet: add `routes` to the
 * public app.
 * @throws PorchlightError if the queue cannot be opened: see openQueue.
 */
export async function createWebmention(deps: WebmentionDeps): Promise<Webmention> {
  const { dir, base, owned, store, events, log, clock, onRecovered } = deps;
  const queue = await openQueue({ file: join(dir, 'queue.jsonl'), clock, onRecovered });
  const connection = watchConnection(deps.fetch);
  const reader = createSourceReader({ fetch: connection.fetch, reading: deps.reading, log });
  const worker = createWorker({
    ...deps,
    ownSites: () => ownSites(owned()),
    queue,
    reader,
    online: () => connection.online(),
  });

  return {
    routes: [
      receiverRoutes({
        base,
        owned,
        isPublicPage: deps.isPublicPage,
        blocked: deps.blocked,
        queue,
        wake: () => worker.wake(),
        refused: (why) => events.refused(why),
      }),
      managementRoutes({
        store,
        urlsOf: deps.urlsOf,
        isManagementToken: deps.isManagementToken,
        processNow: (options) => worker.processNow(options),
        deleted: (mention) => events.changed(mention),
      }),
    ],
    processNow: () => worker.processNow(),
    waiting: () => queue.size,
    start: () => worker.start(),
    stop: () => worker.stop().finally(() => queue.close()),
  };
}
