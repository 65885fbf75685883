import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Copy } from '../../platform/mailbox-protocol.ts';
import { oneAtATime } from '../../storage/one-at-a-time.ts';
import type { AddressBook, Mark, Stamp } from './address-book.ts';
import { copyOf } from './copyable.ts';
import { fixedIn, linksOf, noLinks, type CopiedSite, type PageLinks } from './copied-addresses.ts';
import type { AskSelf, CopyStore } from './copy-store.ts';
import { createRoom } from './room.ts';

interface CopierDeps {
  readonly book: AddressBook;
  readonly store: CopyStore;
  readonly ask: AskSelf;
  readonly site: CopiedSite;
  /** The maximum total size of all copies, in bytes. */
  readonly mostBytes?: number;
  /** Called after each change to the copies in the mailbox at Cloudflare. Must not throw. */
  readonly changed: () => void;
  /**
   * Aborted when this server stops. After that, calls to the mailbox at Cloudflare can only remove content that is no
   * longer public.
   */
  readonly stopping: AbortSignal;
  /** Aborted some time after `stopping`. This also cancels the last removals. */
  readonly ended: AbortSignal;
}

/** This server's current response at an address, as an anonymous visitor sees it. */
interface Found {
  readonly address: string;
  readonly mark: Mark | undefined;
  /** The number of the latest change that began before the response was requested. */
  readonly change: number;
  /** The copy of the response; absent if the address isn't public. */
  readonly copy: Copy | undefined;
  readonly links: PageLinks;
  /** Whether the response says that the content was deleted (410). */
  readonly isGone: boolean;
  /** Whether the response is too large for a copy. */
  readonly isTooLarge: boolean;
}

/** An address whose content is no longer public. */
interface Lost {
  readonly address: string;
  readonly shownOn: readonly string[];
  /** The URLs of the post or file; absent if a page can show the post or file without a link to it. */
  readonly names?: readonly string[] | undefined;
}

const mostInCall = 100;
const mostBytesInCall = 1_000_000;
const mostRemoved = 1000;
const stampsAtOnce = 1000;
/** If calls to store a copy keep failing, its links count as unknown after this number of versions. */
const mostVersions = 4;

/** Thrown when this server can't generate one of its pages. */
export class PageFailed extends Error {}

export type Copier = ReturnType<typeof createCopier>;

/**
 * Creates the copier, which updates the copies in the mailbox at Cloudflare. Its methods reject with the error of a
 * failed call.
 */
export function createCopier(deps: CopierDeps) {
  const { book, store, ask, site, changed, stopping } = deps;
  const whileRunning = { signal: deps.ended };
  const room = createRoom(book, () => fixedIn(site), deps.mostBytes);
  /** Runs calls to the mailbox at Cloudflare one at a time. Otherwise, an earlier call could undo a later removal. */
  const turns = oneAtATime();
  let batch = new Map<string, Found>();
  let bytes = 0;
  /**
   * The number of the latest change that made content private. A response that was requested before this change is
   * never sent to the mailbox at Cloudflare.
   */
  let lostAt = 0;

  /** Requests an address from this server. Returns undefined if another change began during the request. */
  async function find(address: string): Promise<Found | undefined> {
    stopping.throwIfAborted();
    const change = book.change();
    const mark = book.markOf(address);
    const answer = await ask(address, deps.ended);
    const { status } = answer;
    if (status === 429 || status >= 500)
      throw new PageFailed(`This server answered its own request for ${address} with ${status}.`);
    if (book.change() !== change) return undefined;
    const copy = copyOf(address, answer);
    const links = book.found(address, {
      ...{ change, isCopied: copy !== undefined },
      links: copy ? linksOf(address, answer, site) : noLinks,
    });
    const stamp = book.stamps.get(address);
    if (stamp && stamp.hash === copy?.hash) book.stamps.set(address, { ...stamp, links: [links] });
    return { address, mark, change, copy, links, isGone: status === 410, isTooLarge: status === 413 };
  }

  async function findNow(address: string): Promise<Found> {
    for (;;) {
      const found = await find(address);
      if (found) return found;
    }
  }

  const isKnown = ({ address, copy, isTooLarge }: Found) =>
    copy
      ? book.stamps.get(address)?.hash === copy.hash
      : !book.stamps.has(address) && book.leftOut.has(address) === isTooLarge;

  /** Removes the copies of these addresses from the mailbox at Cloudflare. */
  async function removeAll(addresses: readonly string[], isGone: boolean): Promise<void> {
    for (let at = 0; at < addresses.length; at += mostRemoved) {
      const some = addresses.slice(at, at + mostRemoved);
      await store.remove(some, isGone, whileRunning);
      for (const known of [book.stamps, book.leftOut]) for (const address of some) known.delete(address);
    }
    if (addresses.length > 0) changed();
  }

  /**
   * Sends the results of checks to the mailbox at Cloudflare, removals first. `isSure`: whether to send a removal even
   * if the records say that the mailbox has no copy.
   */
  async function send(all: readonly Found[], isSure = false): Promise<void> {
    stopping.throwIfAborted();
    const lost = all.filter(({ address, copy }) => !copy && (isSure || book.stamps.has(address)));
    for (const isGone of [true, false]) {
      const some = lost.filter((found) => found.isGone === isGone);
      await removeAll(
        some.map(({ address }) => address),
        isGone,
      );
    }
    const { fitting, leftOut } = room.choose(
      all.flatMap((found) => (found.copy && !isKnown(found) ? [found.copy] : [])),
    );
    await removeAll(
      [...leftOut.keys()].filter((address) => book.stamps.has(address)),
      false,
    );
    const links = new Map(all.map((found) => [found.address, [found.links]]));
    const linksAt = (address: string) => links.get(address) ?? [];
    for (const part of inCalls(fitting)) {
      stopping.throwIfAborted();
      // Until the call succeeds, it is unknown which version of a copy the mailbox at Cloudflare has.
      for (const { address, body } of part) {
        const { bytes: before, links } = book.stamps.get(address) ?? { bytes: 0, links: [] };
        book.stamps.set(address, {
          ...{ hash: '', bytes: Math.max(body.length, before) },
          links: links && links.length < mostVersions ? [...links, ...linksAt(address)] : undefined,
        });
      }
      await store.store(part, whileRunning);
      for (const { address, hash, body } of part)
        book.stamps.set(address, { hash, bytes: body.length, links: linksAt(address) });
      changed();
    }
    for (const { address, mark, isTooLarge } of all) {
      if (isTooLarge) book.leftOut.set(address, Infinity);
      else book.leftOut.delete(address);
      book.settle(address, mark);
    }
    for (const [address, size] of leftOut) book.leftOut.set(address, size);
    room.offer();
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
   * Updates the copies of these addresses now. If that fails, removes the copies and returns the error.
   * @throws if this server stops. In that case, the copies stay, because without them visitors wouldn't even find a
   * home page
   */
  async function renew(addresses: readonly string[], isSure: boolean): Promise<Error | undefined> {
    const all = [...new Set(addresses)];
    try {
      const found: Found[] = [];
      for (const address of all) {
        found.push(await findNow(address));
        await nextTurn();
      }
      await send(found, isSure);
      return undefined;
    } catch (error) {
      for (const address of all) book.mark(address);
      stopping.throwIfAborted();
      await removeAll(all, false);
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    /** Loads the list of the copies in the mailbox at Cloudflare. */
    load: (): Promise<void> =>
      turns(async () => {
        const found = new Map<string, Stamp>();
        const linksOfCopy = (address: string, hash: string) => {
          const known = book.stamps.get(address);
          return known?.hash === hash ? known.links : undefined;
        };
        let after: string | undefined;
        do {
          const page = await store.copies(after, stampsAtOnce, whileRunning);
          for (const { address, hash, bytes } of page.copies)
            found.set(address, { hash, bytes, links: linksOfCopy(address, hash) });
          after = page.next ?? undefined;
        } while (after !== undefined);
        book.stamps.clear();
        for (const [address, stamp] of found) book.stamps.set(address, stamp);
      }),

    /**
     * Checks an address that is marked for checking. The next `flush` sends the address's copy; it is sent earlier if
     * there are enough copies for a call.
     */
    async look(address: string): Promise<void> {
      const found = await find(address);
      if (found === undefined) return;
      if (isKnown(found)) {
        batch.delete(address);
        book.settle(address, found.mark);
        return;
      }
      const size = found.copy?.body.length ?? 0;
      if (batch.size >= mostInCall || bytes + size > mostBytesInCall) await this.flush();
      batch.set(address, found);
      bytes += size;
    },

    /**
     * Returns whether `flush` has a result to send for an address, and the address wasn't marked again after its check.
     */
    isFound: (address: string): boolean =>
      batch.has(address) && batch.get(address)?.mark === book.markOf(address),

    /**
     * Sends the results of checks to the mailbox at Cloudflare. If the content of an address may have changed since its
     * check, skips the address, which then stays marked for another check.
     */
    flush: (): Promise<void> =>
      turns(async () => {
        const all = [...batch.values()];
        batch = new Map();
        bytes = 0;
        await send(
          all.filter(({ address, mark, change }) => change >= lostAt && mark === book.markOf(address)),
        );
      }),

    /**
     * Removes the copies at these addresses. `isGone`: they are copies of deleted posts. Otherwise, no page links to
     * them.
     */
    remove: (addresses: readonly string[], isGone: boolean): Promise<void> =>
      turns(async () => {
        stopping.throwIfAborted();
        await removeAll(addresses, isGone);
      }),

    /**
     * Removes content from the mailbox at Cloudflare because the content is no longer public. Updates the pages that
     * may show the content, or removes the pages that can't be updated. Once this resolves, nothing in the mailbox
     * shows the content. If this server stops in the meantime, only removes the copies at the content's own addresses,
     * and rejects.
     */
    removeLost(lost: readonly Lost[]): Promise<void> {
      lostAt = book.begin();
      return turns(async () => {
        const own = new Set(lost.flatMap(({ address }) => [address, ...book.at(address)]));
        let error: Error | undefined;
        try {
          error = await renew([...own], true);
          await renew(
            lost.flatMap(({ shownOn, names }) => book.mayShow(shownOn, names)),
            false,
          );
        } catch (failure) {
          if (stopping.aborted) await removeAll([...own], false);
          throw failure;
        }
        // No copy shows the content now, but the mailbox may not know yet which posts were deleted, so the caller must
        // try again.
        if (error !== undefined) throw error;
      });
    },
  };
}
