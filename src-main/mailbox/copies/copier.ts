import { setImmediate as nextTurn } from 'node:timers/promises';
import type { createAskSelf } from '../../http/ask-self.ts';
import type { MailboxClient } from '../../platform/mailbox-client.ts';
import { type Copy, mostCopiesBytes } from '../../platform/mailbox-protocol.ts';
import { oneAtATime } from '../../storage/pacing.ts';
import {
  type CopiedSite,
  copyOf,
  fixedIn,
  isFileAddress,
  linksOf,
  noLinks,
  type PageLinks,
  pathOfAddress,
} from './copied-addresses.ts';

export interface CopierDeps {
  /** The calls about copies. They reject with PorchlightError `mailbox_…`. */
  readonly store: Pick<MailboxClient, 'copies' | 'store' | 'remove'>;
  readonly ask: ReturnType<typeof createAskSelf>;
  readonly site: CopiedSite;
  /** The maximum total size of all copies, in bytes. */
  readonly mostBytes?: number;
  /** Called after each change to the copies in the mailbox at Cloudflare. Must not throw. */
  readonly changed: () => void;
  /** Called with an address that is to be compared again. */
  readonly again: (address: string) => void;
  /**
   * Aborted when this server stops. After that, calls to the mailbox at Cloudflare can only remove content that is no
   * longer public.
   */
  readonly stopping: AbortSignal;
  /** Aborted some time after `stopping`. This also cancels the last removals. */
  readonly ended: AbortSignal;
}

/** A copy in the mailbox at Cloudflare. */
interface Stamp {
  /** The hash of the copy; empty if it isn't known which version the mailbox has. */
  readonly hash: string;
  /** The size of the copy's body, in bytes; an upper limit if a failed call may have changed the copy. */
  readonly bytes: number;
  /** The URLs in the copy; undefined if they are unknown, because this run hasn't compared it yet. */
  readonly named?: readonly string[];
}

/** This server's current response at an address, as an anonymous visitor sees it. */
export interface Found {
  readonly address: string;
  /** How many removals had begun when the response was requested. */
  readonly losses: number;
  /** The copy of the response; absent if the address isn't public. */
  readonly copy: Copy | undefined;
  readonly links: PageLinks;
  /** Whether the response says that the content was deleted (410). */
  readonly isGone: boolean;
  /** Whether the response is too large for a copy. */
  readonly isTooLarge: boolean;
}

export const mostInCall = 100;
export const mostBytesInCall = 1_000_000;
const mostRemoved = 1000;
const stampsAtOnce = 1000;

/** Thrown when this server can't generate one of its pages. */
export class PageFailed extends Error {}

export type Copier = ReturnType<typeof createCopier>;

/**
 * Creates the copier, which updates the copies in the mailbox at Cloudflare. Its methods reject with the error of a
 * failed call.
 */
export function createCopier({ store, ask, site, changed, again, stopping, ...deps }: CopierDeps) {
  const whileRunning = { signal: deps.ended };
  const stamps = new Map<string, Stamp>();
  /**
   * Public addresses that have no copy because of their size. The values are the sizes in bytes; Infinity if the
   * content is too large for any copy.
   */
  const leftOut = new Map<string, number>();
  /** The addresses that the mailbox at Cloudflare knows as deleted. */
  const gone = new Set<string>();
  /** Stores each URL string only once, because pages share most of their links. */
  const texts = new Map<string, string>();
  /** Runs calls to the mailbox at Cloudflare one at a time. Otherwise, an earlier call could undo a later removal. */
  const turns = oneAtATime();
  /**
   * How many removals have begun. A response that was requested before the latest one may show what is removed, so it
   * is never sent to the mailbox at Cloudflare.
   */
  let losses = 0;

  function shared(url: string): string {
    const known = texts.get(url) ?? url;
    texts.set(known, known);
    return known;
  }

  /** Requests an address from this server. @throws PageFailed */
  async function find(address: string): Promise<Found> {
    stopping.throwIfAborted();
    const before = losses;
    const answer = await ask(address, deps.ended);
    const { status } = answer;
    if (status === 429 || status >= 500)
      throw new PageFailed(`This server answered its own request for ${address} with ${status}.`);
    const copy = copyOf(address, answer);
    const { named, copied } = copy ? linksOf(address, answer, site) : noLinks;
    const links = { named: named.map(shared), copied };
    const stamp = stamps.get(address);
    if (stamp && stamp.hash === copy?.hash) stamps.set(address, { ...stamp, named: links.named });
    return { address, losses: before, copy, links, isGone: status === 410, isTooLarge: status === 413 };
  }

  /** Returns whether the mailbox at Cloudflare has what this server responds. */
  function isKnown({ address, copy, isGone, isTooLarge }: Found): boolean {
    if (copy) return stamps.get(address)?.hash === copy.hash;
    return !stamps.has(address) && leftOut.has(address) === isTooLarge && (!isGone || gone.has(address));
  }

  /** Removes the copies of these addresses from the mailbox at Cloudflare. */
  async function removeAll(addresses: readonly string[], isGone: boolean): Promise<void> {
    for (let at = 0; at < addresses.length; at += mostRemoved) {
      const some = addresses.slice(at, at + mostRemoved);
      await store.remove(some, isGone, whileRunning);
      for (const known of [stamps, leftOut, gone]) for (const address of some) known.delete(address);
      if (isGone) for (const address of some) gone.add(address);
    }
    if (addresses.length > 0) changed();
  }

  const removeCopies = (addresses: readonly string[]) =>
    removeAll(
      addresses.filter((address) => stamps.has(address)),
      false,
    );

  /** Sends responses to the mailbox at Cloudflare, removals first. */
  async function send(all: readonly Found[]): Promise<void> {
    stopping.throwIfAborted();
    const addressesOf = (some: readonly Found[]) => some.map(({ address }) => address);
    await removeAll(addressesOf(all.filter((one) => one.isGone && !isKnown(one))), true);
    await removeCopies(addressesOf(all.filter(({ copy }) => copy === undefined)));
    const news = all.flatMap((one) => (one.copy && !isKnown(one) ? [one.copy] : []));
    const chosen = chooseCopies(news, stamps, fixedIn(site), deps.mostBytes);
    await removeCopies([...chosen.leftOut.keys()]);
    const named = new Map(all.map(({ address, links }) => [address, links.named]));
    for (const part of inCalls(chosen.fitting)) {
      stopping.throwIfAborted();
      // Until the call succeeds, it is unknown which version of a copy the mailbox at Cloudflare has.
      for (const { address, body } of part)
        stamps.set(address, { hash: '', bytes: Math.max(body.length, stamps.get(address)?.bytes ?? 0) });
      await store.store(part, whileRunning);
      for (const { address, hash, body } of part) {
        stamps.set(address, { hash, bytes: body.length, named: named.get(address) ?? [] });
        gone.delete(address);
      }
      changed();
    }
    for (const { address, isTooLarge } of all) {
      if (isTooLarge) leftOut.set(address, Infinity);
      else leftOut.delete(address);
    }
    for (const [address, size] of chosen.leftOut) leftOut.set(address, size);
  }

  /**
   * Updates the copies of these addresses now. If that fails, removes the copies and returns the error.
   * @throws if this server stops. In that case, the copies stay, because without them visitors wouldn't even find a
   * home page
   */
  async function renew(addresses: readonly string[]): Promise<Error | undefined> {
    try {
      const all: Found[] = [];
      for (const address of addresses) {
        all.push(await find(address));
        await nextTurn();
      }
      await send(all);
      return undefined;
    } catch (error) {
      addresses.forEach(again);
      stopping.throwIfAborted();
      await removeCopies(addresses);
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Returns the addresses with this path, with or without a query, that have a copy. */
  const at = (path: string): string[] => [...stamps.keys()].filter((one) => pathOfAddress(one) === path);

  /** Returns the copies that may show what has one of these names (see `comparableUrl`), as far as this run knows them. */
  function naming(names: readonly string[]): string[] {
    const searched = new Set(names);
    const isNaming = ({ hash, named }: Stamp) => hash === '' || named?.some((name) => searched.has(name));
    return searched.size === 0
      ? []
      : [...stamps].filter(([, one]) => isNaming(one)).map(([address]) => address);
  }

  return {
    stamps,
    leftOut,
    gone,
    find,
    isKnown,
    at,
    naming,

    /** Loads the list of the copies in the mailbox at Cloudflare. */
    load: (): Promise<void> =>
      turns(async () => {
        const listed = new Map<string, Stamp>();
        let after: string | undefined;
        do {
          const page = await store.copies(after, stampsAtOnce, whileRunning);
          for (const { address, hash, bytes } of page.copies) {
            const known = stamps.get(address);
            // A copy that this run neither made nor compared may show anything.
            const unknown = { hash: stamps.size === 0 ? hash : '', bytes };
            listed.set(address, known?.hash === hash ? known : unknown);
          }
          after = page.next ?? undefined;
        } while (after !== undefined);
        stamps.clear();
        for (const [address, stamp] of listed) stamps.set(address, stamp);
      }),

    /** Sends responses to the mailbox at Cloudflare, unless they may show what was removed after they were requested. */
    send: (all: readonly Found[]): Promise<void> =>
      turns(async () => {
        for (const { address, losses: before } of all) if (before < losses) again(address);
        await send(all.filter((one) => one.losses === losses));
      }),

    /** Removes the copies except those of these addresses, because no page leads to them. */
    keepOnly: (addresses: ReadonlySet<string>): Promise<void> =>
      turns(async () => {
        stopping.throwIfAborted();
        const lost = [...stamps.keys()].filter((address) => !addresses.has(address));
        await removeCopies(lost);
        for (const address of leftOut.keys())
          if (!addresses.has(address)) leftOut.delete(address);
          else if (lost.length > 0) again(address); // there may be room now
        texts.clear(); // frees the memory of unused URLs
      }),

    /**
     * Removes content from the mailbox at Cloudflare because the content is no longer public. Updates the pages that
     * name the content, or removes the pages that can't be updated. If this server stops in the meantime, only removes
     * the copies at the content's own addresses, and rejects. `names`: see `comparableUrl`.
     */
    removeLost(addresses: readonly string[], names: readonly string[]): Promise<void> {
      losses += 1;
      return turns(async () => {
        const own = [...new Set(addresses.flatMap((address) => [address, ...at(address)]))];
        let error: Error | undefined;
        try {
          error = await renew(own);
          await renew(naming(names).filter((address) => !own.includes(address)));
        } catch (failure) {
          if (stopping.aborted) await removeCopies(own);
          throw failure;
        }
        // No copy shows the content now, but the mailbox may not know yet which posts were deleted, so the caller must
        // try again.
        if (error !== undefined) throw error;
      });
    },

    clear(): void {
      losses += 1;
      for (const known of [stamps, leftOut, gone, texts]) known.clear();
    },
  };
}

/** Divides copies into batches, one per call. */
function inCalls(copies: readonly Copy[]): Copy[][] {
  const calls: Copy[][] = [];
  let size = Infinity;
  for (const copy of copies) {
    const last = calls.at(-1);
    size += copy.body.length;
    if (last === undefined || last.length >= mostInCall || size > mostBytesInCall) {
      calls.push([copy]);
      size = copy.body.length;
    } else last.push(copy);
  }
  return calls;
}

/**
 * Decides which of these new copies to store, so that the total size of all copies stays below the limit of the mailbox
 * at Cloudflare. If space is short, the largest pictures and files are left out first, then the largest pages and feeds.
 * `stored`: the sizes of the copies in the mailbox. `last`: the addresses to leave out last. Returns in `leftOut` the
 * addresses that must have no copy, with the sizes of their content in bytes. The caller must remove their existing
 * copies before it stores new copies.
 */
export function chooseCopies(
  copies: readonly Copy[],
  stored: ReadonlyMap<string, { readonly bytes: number }>,
  last: readonly string[],
  most = mostCopiesBytes,
): { fitting: Copy[]; leftOut: ReadonlyMap<string, number> } {
  const sizes = new Map([...stored].map(([address, { bytes }]) => [address, bytes]));
  for (const { address, body } of copies) sizes.set(address, body.length);
  const rankOf = (address: string) => (last.includes(address) ? 2 : isFileAddress(address) ? 0 : 1);
  const leftOut = new Map<string, number>();
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const leastImportant =
    bytes > most
      ? [...sizes].sort(([a, size], [b, other]) => rankOf(a) - rankOf(b) || other - size || (a < b ? -1 : 1))
      : [];
  for (const [address, size] of leastImportant) {
    if (bytes <= most) break;
    leftOut.set(address, size);
    bytes -= size;
  }
  const growth = ({ address, body }: Copy) => body.length - (stored.get(address)?.bytes ?? 0);
  // Copies that are smaller than the copies they replace are stored first, so that the total never exceeds the limit.
  const fitting = copies.filter(({ address }) => !leftOut.has(address)).sort((a, b) => growth(a) - growth(b));
  return { fitting, leftOut };
}
