import type { Common } from '../../http/common.ts';
import { Type, type Static } from 'typebox';
import { closed } from '../../contract/shapes.ts';
import { builtInUrl } from '../../posts/address.ts';
import { hostIsLoopback } from '../../platform/address.ts';
import { scheduleOf } from '../../platform/retry-schedule.ts';
import { siteOfHost } from '../../platform/site-name.ts';
import type { Transaction } from '../../storage/records/group-commit.ts';
import type { Records } from '../../storage/records/records.ts';
import type { WorkQueue } from '../../storage/work/work.ts';
import type { Attempt, NewWork, Outcome } from '../../storage/work/work-kind.ts';
import type { PageReading } from '../receiving/read-source.ts';
import { withCopy, type CrossPosting } from './copies.ts';
import { deliverWebmention, type DeliveryOutcome } from './deliver.ts';
import { asQuery, type Entry, entryOf, unqueuedIn, updateEntry } from './deliveries.ts';
import { overtaken, settledDelivery, withCopyKept, withSource } from './plan.ts';

/** A webmention that is about to be sent. `linked`: whether the source should link to the target now. */
export interface OpenWebmention {
  /** The path of the post on this server. */
  readonly path: string;
  readonly source: string;
  readonly target: string;
  readonly linked: boolean;
}

export interface SendingOptions extends Pick<Common, 'fetch' | 'base' | 'log' | 'allowPrivate'> {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly work: Pick<WorkQueue, 'defineWork'>;
  readonly reading: PageReading;
  /** Returns a post's own URL, given the post's path on this server. */
  readonly urlOf: (path: string) => Promise<string>;
  /** Returns the current path of the post that is or was at a path. */
  readonly currentPath: (path: string) => Promise<string>;
  /**
   * Returns whether the webmentions of the post at a path may be sent now. If not, they wait until `wake` is called.
   */
  readonly mayLeave: (path: string) => boolean;
  /** Returns why a webmention can't be sent yet, as a message for the owner; undefined if it can be sent. */
  readonly notYet: (webmention: OpenWebmention, signal: AbortSignal) => Promise<string | undefined>;
  readonly crossPosting: CrossPosting;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
  /** The maximum number of pages to notify at once (default: 32). */
  readonly concurrency?: number;
  /** Called once the result of an attempt is on disk. Must not throw. */
  readonly changed: (path: string, entry: Entry) => void;
}

/**
 * The default of `concurrency`. Each delivery needs a socket, up to 2 MB for the page, and up to 40 s for the responses
 * from the page and its endpoint.
 */
const mostAtOnce = 32;
const kind = 'send';
const rowsAtOnce = 500;

const Sending = closed({ path: Type.String(), target: Type.String() });
type Sending = Static<typeof Sending>;

const keyOf = ({ path, target }: Sending): string => `${path} ${target}`;

/** Returns the work that notifies a page. It is due now, or when its entry says. */
function workFor(path: string, { target, notBefore, forResponses }: Entry): NewWork<Sending> {
  const { host } = new URL(target);
  return {
    key: keyOf({ path, target }),
    party: siteOfHost(host),
    host,
    payload: { path, target },
    ...(notBefore !== undefined && { due: Date.parse(notBefore), isPlanned: forResponses !== true }),
  };
}

/** Creates the part of the sender that notifies the pages. The queue decides when (see WorkKind). */
export function createSending(options: SendingOptions) {
  const { records, fetch, reading, base, urlOf, currentPath, mayLeave, notYet, crossPosting, now, log } =
    options;
  const { allowPrivate, changed } = options;

  const work = options.work.defineWork({
    kind,
    payload: Sending,
    run,
    retries: scheduleOf('delivery'),
    hostRests: scheduleOf('deliveryHost'),
    total: options.concurrency ?? mostAtOnce,
  });
  let address: string | undefined;

  /** Returns whether other servers can reach a URL. Receivers must be able to read the source. */
  const isReachable = (source: string) => allowPrivate || !hostIsLoopback(new URL(source).hostname);

  /**
   * Returns the source of a webmention: the URL from which the page was notified before, or else the post's own URL.
   * `home`: the source, if it is on the owner's own site; otherwise absent.
   */
  async function sourceOf(path: string, entry: Entry): Promise<{ source: string; home?: string }> {
    const builtIn = builtInUrl(base(), path);
    const source = entry.notified ? (entry.from ?? builtIn) : await urlOf(path);
    return { source, ...(source !== builtIn && { home: source }) };
  }

  async function run({ payload, signal }: Attempt<Sending>): Promise<Outcome<Sending>> {
    const { path, target } = payload;
    const entry = entryOf(asQuery(records), path, target);
    if (entry?.state !== 'waiting') return { kind: 'done' };
    const { source, home } = await sourceOf(path, entry);
    const current = await currentPath(path);
    if (!mayLeave(current) || !isReachable(source)) return { kind: 'held' };
    const { linked, copy: known } = entry;
    const result = await send({ path, source, target, linked }, signal);
    // The delivery probably failed because this server is closing, so the receiver isn't at fault.
    const isCut = signal.aborted && result.kind === 'failed';
    const { outcome, copy } = isCut
      ? { outcome: result }
      : await withCopy(crossPosting, { path: current, target, linked, known }, result);

    const also = (transaction: Transaction, isCurrent: boolean, isOver: boolean): void => {
      const before = entryOf(transaction, path, target);
      if (before === undefined) return;
      const next =
        isCurrent && before.state === 'waiting'
          ? settledDelivery(before, outcome, { isOver, now: now() })
          : overtaken(before, outcome);
      const noted = { ...withSource(next, before, home), ...(copy !== undefined && { copy }) };
      const after = isCurrent || copy === undefined ? noted : withCopyKept(noted, now());
      updateEntry(transaction, path, after);
      if (isCurrent && isOver && after.state === 'waiting') work.addIn(transaction, workFor(path, after));
      if (isCurrent || after.state !== before.state) transaction.after(() => changed(path, after));
    };
    if (outcome.kind !== 'failed') return { kind: 'done', also };
    const { words, mayPass, notBefore } = outcome;
    return { kind: 'failed', words, mayPass, notBefore, restsHost: notBefore !== undefined, also };
  }

  async function send(webmention: OpenWebmention, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { source, target } = webmention;
    const failed = { kind: 'failed', refused: false, mayKnow: false } as const;
    try {
      const words = await notYet(webmention, signal);
      if (words !== undefined) return { ...failed, words, mayPass: true };
      return await deliverWebmention({ fetch, reading, source, target, signal, now });
    } catch (error) {
      log.error({ err: error, target }, 'A webmention could not be sent.');
      return { ...failed, words: 'This page could not be read.', mayPass: false };
    }
  }

  return {
    /** Adds the work that notifies pages of the post at a path, in the transaction that plans it. */
    addIn: (transaction: Transaction, path: string, entries: readonly Entry[]) =>
      work.addIn(transaction, ...entries.map((entry) => workFor(path, entry))),
    cancelIn: (transaction: Transaction, path: string, targets: readonly string[]) =>
      work.cancelIn(transaction, ...targets.map((target) => keyOf({ path, target }))),

    /** Adds the work for pages that are to be notified but not in the queue, because they come from a backup. */
    async addMissing(): Promise<void> {
      for (let isRest = true; isRest;) {
        const found = unqueuedIn(asQuery(records), kind, rowsAtOnce);
        if (found.length > 0) await work.add(...found.map(({ path, entry }) => workFor(path, entry)));
        isRest = found.length === rowsAtOnce;
      }
    },

    wake: () => work.wake(),

    /** If the public origin has changed, sends what waits for one that other servers can reach. */
    checkAddress(): void {
      const isSame = base() === address;
      address = base();
      if (!isSame) work.wake();
    },

    /** Returns whether a page is being notified right now of the latest change to its entry. */
    isUnderWay: (path: string, target: string) => work.isUnderWay(keyOf({ path, target })),
  };
}
