import { type Static, Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { RetryLater } from '../http/errors.ts';
import type { Log } from '../platform/log.ts';
import {
  type MailboxClient,
  MailboxRefusal,
  openSealed,
  PassedByError,
  type SealingKeys,
} from './mailbox-client.ts';
import type { SealedItem } from '../platform/mailbox-protocol.ts';
import { jsonIn } from '../storage/json-value.ts';
import { isValid } from '../storage/schema-check.ts';

const visitor = Type.Optional(Type.String({ pattern: '^[0-9a-f.:/]{1,43}$' }));
const KeptRequest = Type.Union([
  closed({ kind: Type.Literal('webmention'), source: Type.String(), target: Type.String(), visitor }),
  closed({ kind: Type.Literal('websub'), fields: Type.Record(Type.String(), Type.String()), visitor }),
]);
type KeptRequest = Static<typeof KeptRequest>;

interface DrainDeps {
  readonly client: Pick<MailboxClient, 'call'>;
  readonly keys: () => Promise<readonly SealingKeys[]>;
  /**
   * Receives a request that reached the mailbox at `arrived` (ms). Resolves once the request is on disk. `known`: the
   * request had already been received. `crowd`: too many requests from its sender are waiting. `full`: too many
   * requests are waiting in total.
   * @throws PorchlightError invalid_request if this server doesn't accept such a request; RetryLater, which means the
   * same as `crowd`; another error if the request can't be saved
   */
  readonly receive: (request: KeptRequest, arrived: number) => Promise<'new' | 'known' | 'crowd' | 'full'>;
  readonly log: Log;
}

/** The result of fetching requests from the mailbox. */
export interface Drained {
  /** The number of new requests. */
  readonly arrived: number;
  /** The number of requests that stay in the mailbox because this server can't accept more at the moment. */
  readonly waiting: number;
  /** The number of requests that stay in the mailbox because none of the keys can decrypt them. */
  readonly unopened: number;
  /** Why fetching ended early: a call to the mailbox failed, or the disk doesn't accept writes. */
  readonly failure?: Error;
}

/**
 * The outcome for an item. `done`: the item can be deleted from the mailbox. `stays`: the item stays in the mailbox.
 * `full`: the item stays, because this server can't accept any request at the moment.
 */
type Taken = 'done' | 'stays' | 'full';

/** The number of items to fetch at a time. The mailbox returns fewer if the items are large. */
const batch = 50;
/**
 * The maximum number of items to fetch, which is more than a mailbox can hold. Without this limit, somebody who
 * controls the Cloudflare account could make the mailbox list items endlessly.
 */
const mostItems = 50_000;
/**
 * How far in the future an arrival time may be, in ms. Some difference is normal, because this computer's clock may
 * differ from Cloudflare's.
 */
const mostAheadMs = 86_400_000;

/**
 * Fetches the requests in the mailbox, oldest first. Deletes a request from the mailbox only once it is on disk here,
 * so nothing is lost if this server is killed. A request that is fetched twice is received only once.
 * @throws PorchlightError if the keys can't be read
 */
export async function drainMailbox(deps: DrainDeps, signal: AbortSignal): Promise<Drained> {
  const { client, log } = deps;
  const keys = await deps.keys();
  const found = { arrived: 0, waiting: 0, unopened: 0 };
  try {
    await drain();
    return found;
  } catch (error) {
    // Return the counts despite the error. The next run won't count these requests as new.
    return { ...found, failure: error instanceof Error ? error : new Error(String(error)) };
  }

  async function drain(): Promise<void> {
    let listed = 0;
    for (let after = 0; ;) {
      const { items, kept } = await client.call('items', { after, limit: batch }, { signal });
      if (items.length === 0) return;
      listed += items.length;
      if (listed > mostItems)
        throw new PorchlightError('mailbox_failed', 'The mailbox returned more than it can hold.', 502);
      const outcomes = await Promise.allSettled(items.map((item) => take(item)));
      const isAt = (at: number, value: Taken) => {
        const outcome = outcomes[at];
        return outcome?.status === 'fulfilled' && outcome.value === value;
      };
      const done = items.filter((_, at) => isAt(at, 'done'));
      if (done.length > 0)
        await client.call('done', { numbers: done.map(({ number }) => number) }, { signal });
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
      // Stop here, because the remaining items would be refused as well, and Cloudflare limits the number of calls.
      if (done.length === 0 && items.some((_, at) => isAt(at, 'full'))) {
        found.waiting = kept - found.unopened;
        return;
      }
      const last = items.at(-1)?.number ?? after;
      if (last <= after)
        throw new PorchlightError('mailbox_failed', 'The mailbox returned an item twice.', 502);
      after = last;
    }
  }

  async function take(item: SealedItem): Promise<Taken> {
    const request = opened(item, keys);
    if (request === undefined) {
      found.unopened += 1;
      return 'stays';
    }
    let isFull = false;
    try {
      const outcome = await deps.receive(request, arrivalOf(item));
      if (outcome === 'new') found.arrived += 1;
      if (outcome === 'new' || outcome === 'known') return 'done';
      isFull = outcome === 'full';
    } catch (error) {
      if (error instanceof PorchlightError && error.code === 'invalid_request') {
        log.info({ err: error }, 'the mailbox kept a request that this server does not accept');
        return 'done';
      }
      if (!(error instanceof RetryLater)) throw error;
    }
    found.waiting += 1;
    return isFull ? 'full' : 'stays';
  }
}

function opened({ sealed }: SealedItem, keys: readonly SealingKeys[]): KeptRequest | undefined {
  const text = openSealed(Buffer.from(sealed, 'base64url'), keys);
  const value = text === undefined ? undefined : jsonIn(text);
  return isValid(KeptRequest, value) ? value : undefined;
}

function arrivalOf({ arrived }: SealedItem): number {
  const at = Date.parse(arrived);
  const now = Date.now();
  return Number.isNaN(at) || at > now + mostAheadMs ? now : at;
}

/**
 * Fetches all requests from the mailbox before the mailbox is removed. Does nothing if the mailbox no longer exists.
 * `isRouted`: returns whether Cloudflare still routes requests to the mailbox.
 * @throws PorchlightError `mailbox_not_empty`, with the reason, if requests would be lost; `cloudflare_…` if Cloudflare
 * can't be reached; any other error if the keys can't be read
 */
export async function emptyMailbox(
  mailbox: { fetchNow(): Promise<Drained>; status(): { readonly kept: number } },
  isRouted: () => Promise<boolean>,
): Promise<void> {
  let waiting: number;
  try {
    ({ waiting } = await mailbox.fetchNow());
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    if (error instanceof PassedByError ? !(await isRouted()) : isGone(error)) return;
    throw notEmpty(mailbox.status().kept, error.message, error);
  }
  if (waiting > 0)
    throw notEmpty(
      waiting,
      'There is no room for more here yet, because too many wait to be checked. Try again later.',
    );
}

/** Returns whether the mailbox no longer exists. A mailbox that refuses a call still exists. */
const isGone = (error: PorchlightError) =>
  error.code === 'mailbox_outdated' && !(error instanceof MailboxRefusal);

function notEmpty(count: number, reason: string, cause?: Error): PorchlightError {
  const keeps =
    count === 0
      ? 'The mailbox may keep something that can’t be fetched now'
      : `The mailbox keeps ${count === 1 ? 'one thing' : `${count} things`} that can’t be fetched now`;
  return new PorchlightError('mailbox_not_empty', `${keeps}. ${reason}`, 409, { cause });
}
