import path from 'node:path';
import type { FastifyPluginCallback } from 'fastify';
import type { ImportProgress } from '../contract/mention-import.ts';
import type { Profile, Settings } from '../contract/settings.ts';
import type { Activity } from '../owner/activity.ts';
import type { EventHub } from '../owner/event-hub.ts';
import { mentionExportHandlers } from '../owner/mention-export.ts';
import type { MentionActivity } from '../owner/mention-activity.ts';
import { aggregatorTokenName } from '../owner/secret-names.ts';
import { mentionImportHandlers } from '../owner/mention-import.ts';
import { webmentionHandlers } from '../owner/webmentions.ts';
import type { Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';
import type { Pictures } from '../platform/pictures.ts';
import type { Secrets } from '../platform/secrets.ts';
import { watchWaking } from '../platform/waking.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import type { Recovery } from '../storage/recovery.ts';
import { openBlockedDomains } from '../mentions/blocked.ts';
import { importRoutes } from '../webmention/import-routes.ts';
import { createImport } from '../webmention/import/import.ts';
import { isShown, type Mention } from '../mentions/mention.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import { createMentionStore } from '../mentions/mentions-on-disk.ts';
import { ownerRecordOf } from '../mentions/owner-record.ts';
import { ownSites } from '../mentions/own-sites.ts';
import type { PageReading } from '../webmention/page-reading.ts';
import { createMentionPictures, type MentionPictures } from '../webmention/pictures.ts';
import { readingRoutes } from '../webmention/reading-api/routes.ts';
import { createSender, type Sender } from '../webmention/send/send.ts';
import { statusOfImported } from '../webmention/verification.ts';
import { createWebmention } from '../webmention/webmention.ts';

export interface MentioningDeps {
  readonly dataDir: string;
  readonly index: IndexDatabase;
  readonly onRecovered: (recovery: Recovery) => void;
  readonly log: Log;
  readonly clock: Clock;
  readonly hub: EventHub;
  readonly activity: Activity;
  /** Records incoming mentions and failed deliveries in the activity list. */
  readonly arrivals: MentionActivity;
  readonly base: () => string;
  readonly profile: () => Profile;
  readonly settings: () => Settings['webmention'];
  readonly fetch: GuardedFetch;
  readonly reading: PageReading;
  /** Development and tests only: also sends mentions from a loopback address. */
  readonly allowPrivate: boolean;
  readonly pictures: Pictures;
  readonly secrets: Secrets;
  readonly isManagementToken: (text: string) => boolean;
}

/** An aggregator doesn't report deletions, so its mentions are compared in full at this interval, in ms (WI-33). */
const comparedEveryMs = 7 * 86_400_000;

interface MentionedSite {
  readonly isPublicPage: (url: URL) => Promise<boolean>;
}

/** The part of the service that handles webmentions. */
export interface Mentioning {
  readonly routes: readonly FastifyPluginCallback[];
  readonly handlers: ReturnType<typeof webmentionHandlers> &
    ReturnType<typeof mentionImportHandlers> &
    ReturnType<typeof mentionExportHandlers>;
  readonly mentions: MentionStore;
  readonly pictures: MentionPictures;
  readonly sender: Sender;
  /** Adds the site that is mentioned: `isPublicPage` resolves with whether a page of it is public. Call it once. */
  connect(site: MentionedSite): void;
  /** Tries every waiting webmention once, both received ones and those to be sent. */
  processNow(): Promise<void>;
  /**
   * Resumes the work that was pending when the service stopped, and fetches new mentions from the aggregator now and
   * each time the computer wakes.
   */
  start(): Promise<void>;
  /** Does everything that is due, because the computer woke or its network changed. */
  wake(): void;
  stop(): Promise<void>;
}

/** Wires receiving, importing and sending, and forwards their events to each other and to the windows. */
export async function openMentioning(deps: MentioningDeps): Promise<Mentioning> {
  const { dataDir, onRecovered, log, clock, hub, activity, base, profile, settings, fetch, secrets } = deps;
  const dir = path.join(dataDir, 'webmentions');
  let site: MentionedSite | undefined;
  const own = () => ownSites({ base: base(), me: profile().me, hosts: settings().hosts });
  const mentions = createMentionStore({
    dir: path.join(dataDir, 'mentions'),
    ...{ index: deps.index, now: clock, log, onRecovered, ownSites: own },
  });
  const forOwner = (mention: Mention) => ownerRecordOf(mention, own());
  const blocked = await openBlockedDomains({ file: path.join(dir, 'blocked.json'), onRecovered });
  const pictures = createMentionPictures({
    dir,
    fetch,
    pictures: deps.pictures,
    now: clock,
    log,
    onRecovered,
  });

  const sender = createSender({
    dir,
    fetch,
    reading: deps.reading,
    base,
    now: clock,
    log,
    onRecovered,
    allowPrivate: deps.allowPrivate,
    events: {
      changed(delivery) {
        hub.emit('deliveries.changed', { source: delivery.source });
        deps.arrivals.delivered(delivery);
      },
    },
  });

  /** Background work that no request awaits; stop() waits for it. */
  const followUps = new Set<Promise<void>>();
  function follow(work: Promise<unknown>, words: string): void {
    const followed = work
      .then(
        () => undefined,
        (error: unknown) => log.warn({ err: error }, words),
      )
      .finally(() => followUps.delete(followed));
    followUps.add(followed);
  }
  /**
   * A newly shown response changes the page of its post, so the pages that know of the post are notified (Salmention).
   */
  function tellUpstream(mention: Mention): void {
    if (!isShown(mention)) return;
    follow(sender.responseShown(mention), 'nobody could be told of a new response');
  }

  const tell = (event: 'webmention.received' | 'webmention.changed') => (mention: Mention) => {
    hub.emit(event, forOwner(mention));
    tellUpstream(mention);
    const { author, photo = [] } = mention.facts;
    Promise.all([pictures.want([author?.photo ?? '']), pictures.want(photo, 'photo')]).catch(
      (error: unknown) => log.warn({ err: error }, 'pictures of a mention could not be asked for'),
    );
  };
  const changed = tell('webmention.changed');
  const webmention = await createWebmention({
    dir,
    base,
    profile,
    settings,
    store: mentions,
    blocked,
    fetch,
    reading: deps.reading,
    clock,
    log,
    isManagementToken: deps.isManagementToken,
    isPublicPage: async (url) => (await site?.isPublicPage(url)) ?? false,
    events: {
      received(mention) {
        deps.arrivals.received(forOwner(mention));
        tell('webmention.received')(mention);
      },
      changed,
      refused: (why) => deps.arrivals.refused(why),
    },
    onRecovered,
  });

  let progress: ImportProgress | null = null;
  const importer = createImport({
    dir,
    store: mentions,
    fetch,
    aggregatorUrl: () => settings().aggregatorUrl,
    statusOf: (source, isLater) =>
      statusOfImported({ store: mentions, settings, blocked, ownSites: own }, source, isLater),
    now: clock,
    log,
    onRecovered,
    events: {
      progress(state) {
        progress = state;
        hub.emit('import.progress', state);
      },
      compared(words) {
        follow(activity.tell('webmention.compared', words), 'an import could not be written down');
      },
      leftOut(words) {
        follow(activity.tell('webmention.refused', words), 'an import could not be written down');
      },
    },
  });
  let end: () => void = () => undefined;
  const ended = new Promise<null>((resolve) => {
    end = () => resolve(null);
  });

  /** Imports what the aggregator received since the last import, if the owner uses an aggregator. */
  async function catchUp(): Promise<void> {
    if (!settings().catchUp) return;
    // The keychain may wait for somebody to unlock it, but shutdown must not wait for the keychain.
    const token = await Promise.race([secrets.get(aggregatorTokenName), ended]);
    if (token !== null) await importer.run({ token, fullAfterMs: comparedEveryMs });
  }

  /** Does what was due while the computer slept. */
  function woke(): void {
    sender.wake();
    follow(
      Promise.all([pictures.resume(), catchUp()]),
      'what was due while the computer slept could not all be done',
    );
  }
  let unwatch: () => void = () => undefined;

  return {
    routes: [
      ...webmention.routes,
      importRoutes({ isManagementToken: deps.isManagementToken, import: importer }),
      readingRoutes({ store: mentions, base, isManagementToken: deps.isManagementToken, now: clock }),
      pictures.routes,
    ],
    handlers: {
      ...webmentionHandlers({
        mentions,
        blocked,
        webmention,
        sender,
        picture: (url) => pictures.dataUrl(url),
        activity,
        changed,
        forOwner,
      }),
      ...mentionImportHandlers({
        mentions,
        importer,
        progress: () => progress,
        secrets,
        activity,
        forOwner,
      }),
      ...mentionExportHandlers({ mentions, dataDir, clock, activity }),
    },
    mentions,
    pictures,
    sender,
    connect: (mentioned) => void (site = mentioned),

    async processNow() {
      await webmention.processNow();
      sender.wake();
    },

    async start() {
      unwatch = watchWaking({ now: clock, woke });
      webmention.start();
      await sender.start();
      await pictures.resume();
      await catchUp();
    },

    wake: woke,

    async stop() {
      unwatch();
      end();
      await importer.stop();
      await webmention.stop();
      await Promise.all(followUps);
      await sender.stop();
      await pictures.stop();
      await mentions.close();
    },
  };
}
