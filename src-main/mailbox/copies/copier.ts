import { setImmediate as nextTurn } from 'node:timers/promises';
import type { createAskSelf } from '../../http/ask-self.ts';
import { type Copy, mostCopiesBytes } from '../../platform/mailbox-protocol.ts';
import { oneAtATime } from '../../storage/pacing.ts';
import type { MailboxClient } from '../mailbox-client.ts';
import {
  type CopiedSite,
  copyOf,
  fixedIn,
  isFileAddress,
  linksOf,
  pathOfAddress,
} from './copied-addresses.ts';

export interface CopierOptions {
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
}

/** This server's current response at an address, as an anonymous visitor sees it. */
export interface Found {
  readonly address: string;
  /** How many removals had begun when the response was requested. */
  readonly losses: number;
  /** The copy of the response; absent if the address isn't public. */
  readonly copy: Copy | undefined;
  /** The addresses to which the response leads. */
  readonly links: readonly string[];
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

/** Updates the copies in the mailbox at Cloudflare. Its methods reject with the error of a failed call. */
export class Copier {
  readonly stamps = new Map<string, Stamp>();
  /**
   * Public addresses that have no copy because of their size. The values are the sizes in bytes; Infinity if the
   * content is too large for any copy.
   */
  readonly leftOut = new Map<string, number>();
  /** The addresses that the mailbox at Cloudflare knows as deleted. */
  readonly gone = new Set<string>();
  readonly #options: CopierOptions;
  /** Runs calls to the mailbox at Cloudflare one at a time. Otherwise, an earlier call could undo a later removal. */
  readonly #inTurn = oneAtATime();
  #losses = 0;

  constructor(options: CopierOptions) {
    this.#options = options;
  }

  /**
   * How many removals have begun. A response that was requested before the latest one may show what is removed, so it
   * is never sent to the mailbox at Cloudflare.
   */
  get losses(): number {
    return this.#losses;
  }

  /** Requests an address from this server. @throws PageFailed */
  async find(address: string): Promise<Found> {
    const { stopping, ended, ask, site } = this.#options;
    stopping.throwIfAborted();
    const losses = this.#losses;
    const answer = await ask(address, ended);
    const { status } = answer;
    if (status === 429 || status >= 500)
      throw new PageFailed(`This server answered its own request for ${address} with ${status}.`);
    const copy = copyOf(address, answer);
    const links = copy ? linksOf(address, answer, site) : [];
    return { address, losses, copy, links, isGone: status === 410, isTooLarge: status === 413 };
  }

  /** Returns whether the mailbox at Cloudflare has what this server responds. */
  isKnown({ address, copy, isGone, isTooLarge }: Found): boolean {
    const { stamps, leftOut, gone } = this;
    if (copy) return stamps.get(address)?.hash === copy.hash;
    return !stamps.has(address) && leftOut.has(address) === isTooLarge && (!isGone || gone.has(address));
  }

  /** Returns the addresses with this path, with or without a query, that have a copy. */
  at(path: string): string[] {
    return [...this.stamps.keys()].filter((one) => pathOfAddress(one) === path);
  }

  /** Loads the list of the copies in the mailbox at Cloudflare. */
  load(): Promise<void> {
    const { store, ended } = this.#options;
    return this.#inTurn(async () => {
      const listed = new Map<string, Stamp>();
      let after: string | undefined;
      do {
        const page = await store.copies(after, stampsAtOnce, { signal: ended });
        for (const { address, hash, bytes } of page.copies) listed.set(address, { hash, bytes });
        after = page.next ?? undefined;
      } while (after !== undefined);
      this.stamps.clear();
      for (const [address, stamp] of listed) this.stamps.set(address, stamp);
    });
  }

  /** Sends responses to the mailbox at Cloudflare, unless they may show what was removed after they were requested. */
  send(all: readonly Found[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const { address, losses } of all) if (losses < this.#losses) this.#options.again(address);
      await this.#send(all.filter((one) => one.losses === this.#losses));
    });
  }

  /** Removes the copies of these addresses. */
  remove(addresses: readonly string[]): Promise<void> {
    return this.#inTurn(() => this.#removeCopies(addresses));
  }

  /** Removes the copies except those of these addresses, because no page leads to them. */
  keepOnly(addresses: ReadonlySet<string>): Promise<void> {
    return this.#inTurn(async () => {
      this.#options.stopping.throwIfAborted();
      const lost = [...this.stamps.keys()].filter((address) => !addresses.has(address));
      await this.#removeCopies(lost);
      for (const address of this.leftOut.keys())
        if (!addresses.has(address)) this.leftOut.delete(address);
        else if (lost.length > 0) this.#options.again(address); // there may be room now
    });
  }

  /**
   * Updates or removes the copies at these addresses, because some of their content is no longer public. If this server
   * stops in the meantime, only removes the copies, and rejects.
   */
  removeLost(addresses: readonly string[]): Promise<void> {
    this.#losses += 1;
    return this.#inTurn(async () => {
      const own = [...new Set(addresses.flatMap((address) => [address, ...this.at(address)]))];
      try {
        const all: Found[] = [];
        for (const address of own) {
          all.push(await this.find(address));
          await nextTurn();
        }
        await this.#send(all);
      } catch (error) {
        own.forEach(this.#options.again);
        // No copy shows the content then, but the mailbox may not know yet which posts were deleted, so the caller must
        // try again.
        await this.#removeCopies(own);
        throw error;
      }
    });
  }

  clear(): void {
    this.#losses += 1;
    for (const known of [this.stamps, this.leftOut, this.gone]) known.clear();
  }

  /** Removes the copies of these addresses from the mailbox at Cloudflare. */
  async #removeAll(addresses: readonly string[], isGone: boolean): Promise<void> {
    const { store, ended, changed } = this.#options;
    const { stamps, leftOut, gone } = this;
    for (let at = 0; at < addresses.length; at += mostRemoved) {
      const some = addresses.slice(at, at + mostRemoved);
      await store.remove(some, isGone, { signal: ended });
      for (const known of [stamps, leftOut, gone]) for (const address of some) known.delete(address);
      if (isGone) for (const address of some) gone.add(address);
    }
    if (addresses.length > 0) changed();
  }

  #removeCopies(addresses: readonly string[]): Promise<void> {
    return this.#removeAll(
      addresses.filter((address) => this.stamps.has(address)),
      false,
    );
  }

  /** Sends responses to the mailbox at Cloudflare, removals first. */
  async #send(all: readonly Found[]): Promise<void> {
    const { store, site, mostBytes, changed, stopping, ended } = this.#options;
    const { stamps, leftOut, gone } = this;
    stopping.throwIfAborted();
    const addressesOf = (some: readonly Found[]) => some.map(({ address }) => address);
    await this.#removeAll(addressesOf(all.filter((one) => one.isGone && !this.isKnown(one))), true);
    await this.#removeCopies(addressesOf(all.filter(({ copy }) => copy === undefined)));
    const news = all.flatMap((one) => (one.copy && !this.isKnown(one) ? [one.copy] : []));
    const chosen = chooseCopies(news, stamps, fixedIn(site), mostBytes);
    await this.#removeCopies([...chosen.leftOut.keys()]);
    for (const part of inCalls(chosen.fitting)) {
      stopping.throwIfAborted();
      // Until the call succeeds, it is unknown which version of a copy the mailbox at Cloudflare has.
      for (const { address, body } of part)
        stamps.set(address, { hash: '', bytes: Math.max(body.length, stamps.get(address)?.bytes ?? 0) });
      await store.store(part, { signal: ended });
      for (const { address, hash, body } of part) {
        stamps.set(address, { hash, bytes: body.length });
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
