import type { Common } from '../../http/common.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Records } from '../../storage/records/records.ts';
import type { WorkQueue } from '../../storage/work/work.ts';
import { managementRoutes } from './management-routes.ts';
import type { Blocks } from '../blocked.ts';
import type { MentionStore } from '../mention-store.ts';
import type { MayDisclose } from '../shown-mentions.ts';
import { ownSites, type OwnSiteRules } from '../own-sites.ts';
import { type PageReading, sourceReader } from './read-source.ts';
import { checkMention, receiverRoutes } from './receiver-routes.ts';
import type { MentionEvents } from './verification.ts';
import { MentionWorker } from './worker.ts';

export interface WebmentionDeps extends Pick<Common, 'base' | 'fetch' | 'clock' | 'log'> {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly work: Pick<WorkQueue, 'defineWork'>;
  /** Called for each mention that somebody sends. */
  readonly reached?: () => void;
  /** Returns the rules that determine which sites belong to the owner. */
  readonly owned: () => OwnSiteRules;
  readonly mayDisclose: MayDisclose;
  readonly settings: () => Settings['webmention'];
  readonly store: MentionStore;
  readonly blocks: Pick<Blocks, 'covers'>;
  readonly reading: PageReading;
  /** Returns whether a string is the owner's management token; compares in constant time. */
  readonly isManagementToken: (text: string) => boolean;
  /** Returns who pays for a token with which an app may read the public mentions of all pages; see read_mentions. */
  readonly readerOf: (token: string) => Promise<string | undefined>;
  /** Returns whether a public post is or was at a URL on the owner's own site; see TargetRules. */
  readonly isPost: (url: URL) => Promise<boolean>;
  /** Returns whether a page of the built-in site is public. */
  readonly isPublicPage: (url: URL) => Promise<boolean>;
  readonly events: MentionEvents;
}

/** A mention that the mailbox kept. */
interface KeptMention {
  readonly source: string;
  readonly target: string;
  /** When the mention reached the mailbox, in ms. */
  readonly arrived: number;
  /** The network of its sender, if known. */
  readonly visitor?: string;
}

export type Webmention = ReturnType<typeof createWebmention>;

/**
 * Creates the Webmention receiver (W3C Webmention 3.2) with its queue. To receive mentions, add `routes` to the public
 * app. Mentions are checked while the queue of work runs.
 */
export function createWebmention(deps: WebmentionDeps) {
  const { base, owned, store, events, log } = deps;
  const worker = new MentionWorker({
    ...deps,
    ownSites: () => ownSites(owned()),
    readSource: sourceReader(deps.fetch, deps.reading, log),
  });
  const { pageOf } = store.pageRules;
  const rules = {
    owned,
    pageOf,
    isPost: deps.isPost,
    isPublicPage: deps.isPublicPage,
    blocks: deps.blocks,
  };

  return {
    routes: [
      receiverRoutes({ ...rules, base, queue: worker.queue, refused: (why) => events.refused(why) }),
      managementRoutes({
        store,
        mayDisclose: deps.mayDisclose,
        isManagementToken: deps.isManagementToken,
        readerOf: deps.readerOf,
        processNow: (options) => worker.processNow(options),
        deleted: (mention) => events.changed(mention),
      }),
    ],
    /**
     * Receives a mention that the mailbox kept. Resolves once the mention is on disk, or once it was refused. Results:
     * `new`; `known` if the queue already has the mention; `crowd` if too many mentions from the source's site or from
     * the sender are waiting; `full` if the queue is full, or has no space for mentions from unknown senders.
     * @throws PorchlightError invalid_request if this server doesn't accept the mention
     */
    async receiveKept({
      source,
      target,
      arrived,
      visitor,
    }: KeptMention): Promise<'new' | 'known' | 'crowd' | 'full'> {
      await checkMention(rules, source, target);
      const receipt = await worker.queue.receive({ source, target, visitor, arrived });
      if (receipt.kind === 'full') {
        const isOfAll = receipt.of === 'all' || (receipt.of === 'visitor' && visitor === undefined);
        return isOfAll ? 'full' : 'crowd';
      }
      return receipt.isKnown ? 'known' : 'new';
    },
    /** Processes every waiting mention; resolves with the results. */
    processNow: () => worker.processNow(),
    /** Returns how many mentions are waiting to be verified. */
    waiting: () => worker.waiting(),
    /** Adds the work for waiting mentions that have none, as after a restore. */
    resume: () => worker.queue.resume(),
  };
}
