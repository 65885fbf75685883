import { isFileAddress, isPostAddress, pathOfAddress, type PageLinks } from './copied-addresses.ts';

/**
 * Which links of a page to check together with the page. `new`: only links that were never checked. `parts`: links that
 * were never checked, and the next and previous page of the same list. `all`: all links.
 */
export type Follow = 'new' | 'parts' | 'all';

/** A request to check an address, by comparing this server's response with the copy in the mailbox. */
export interface Mark {
  readonly follow: Follow;
  /** The number of the change that caused this request. All changes are numbered in order. */
  readonly change: number;
  /**
   * The number of a change: the change that caused this request, or an earlier one. Links that were last checked before
   * that change are checked again.
   */
  readonly since: number;
  /** True if the content at the address probably hasn't changed. */
  readonly isRoutine: boolean;
}

/** The hash and size of a copy in the mailbox at Cloudflare. */
export interface Stamp {
  /** The hash of the copy; empty if a failed call may have changed the copy. */
  readonly hash: string;
  /** The size of the copy's body, in bytes; an upper limit if a failed call may have changed the copy. */
  readonly bytes: number;
  /**
   * The links of the copy. If a failed call may have changed the copy, the links of each version that the mailbox may
   * have. Undefined if they are unknown, because the copy was made in an earlier run.
   */
  readonly links?: readonly PageLinks[] | undefined;
}

/**
 * The result of the latest check of an address. A check compares this server's response with the copy of the address.
 */
interface Looked {
  /** The number of the latest change that began before the response was requested. */
  readonly change: number;
  readonly isCopied: boolean;
  readonly links: PageLinks;
}

interface Known extends Looked {
  /** Which links of the page were checked together with the page. */
  readonly follow: Follow;
}

export type AddressBook = ReturnType<typeof createAddressBook>;

const order: readonly Follow[] = ['new', 'parts', 'all'];
const isLess = (one: Follow, other: Follow) => order.indexOf(one) < order.indexOf(other);

/**
 * Creates the record of the copies in the mailbox at Cloudflare, of the links between pages, and of the addresses to
 * check.
 */
export function createAddressBook() {
  const stamps = new Map<string, Stamp>();
  /**
   * Public addresses that have no copy because of their size. The values are the sizes in bytes; Infinity if the
   * content is too large for any copy.
   */
  const leftOut = new Map<string, number>();
  const looked = new Map<string, Known>();
  const marks = new Map<string, Mark>();
  /** Stores each URL string only once, because pages share most of their links. */
  const texts = new Map<string, string>();
  let change = 0;

  const shared = (urls: readonly string[]) =>
    urls.map((url) => {
      const known = texts.get(url);
      if (known === undefined) texts.set(url, url);
      return known ?? url;
    });

  function mark(
    address: string,
    { follow = 'new', since = change, isRoutine = false }: Partial<Omit<Mark, 'change'>> = {},
  ): void {
    const before = marks.get(address);
    marks.set(address, {
      follow: before && isLess(follow, before.follow) ? before.follow : follow,
      change,
      since: Math.max(since, before?.since ?? 0),
      isRoutine: isRoutine && (before?.isRoutine ?? true),
    });
  }

  /** Returns the addresses with this path, with or without a query, that have a copy or were checked. */
  const at = (path: string): string[] =>
    [...new Set([...stamps.keys(), ...looked.keys()])].filter((one) => pathOfAddress(one) === path);

  return {
    stamps,
    leftOut,
    mark,
    at,
    /** Returns the number of the newest change. */
    change: () => change,
    /** Begins a new change and returns its number. Later marks belong to this change. */
    begin: () => (change += 1),
    markOf: (address: string) => marks.get(address),
    marked: () => marks.keys(),
    /** Returns how many addresses are waiting to be checked. */
    waiting: () => marks.size,
    /** Returns the number of addresses that are waiting to be checked because their content has probably changed. */
    changed: () => [...marks.values()].filter(({ isRoutine }) => !isRoutine).length,

    /** Removes the mark of an address (the request to check it), unless a newer mark has replaced it. */
    settle(address: string, settled: Mark | undefined): void {
      if (marks.get(address) === settled) marks.delete(address);
    },

    /**
     * Records the result of checking an address. Also requests checks of the page's links that the `follow` field of
     * the address's mark selects. Returns the links, in less memory.
     */
    found(address: string, { change: at, isCopied, links }: Looked): PageLinks {
      const { follow = 'new', since = 0, isRoutine = false } = marks.get(address) ?? {};
      const found = {
        ...{ named: shared(links.named), copied: shared(links.copied) },
        ...{ parts: shared(links.parts), files: shared(links.files) },
      };
      looked.set(address, { change: at, isCopied, follow, links: found });
      for (const link of links.copied) {
        const known = looked.get(link);
        const isFollowed = follow === 'all' || (follow === 'parts' && links.parts.includes(link));
        if (known === undefined) mark(link, { follow, since, isRoutine: isRoutine && stamps.has(link) });
        // The linked page may have been checked for another reason, but without its own links.
        else if (isFollowed && (known.change < since || isLess(known.follow, follow)))
          mark(link, { follow, since, isRoutine });
      }
      return found;
    },

    /** Returns whether an address belongs to a page whose links are recorded. */
    isPage: (address: string): boolean => (looked.get(address)?.links.named.length ?? 0) > 0,
    /** Returns the addresses of a large site's partial sitemaps. */
    sitemaps: () => [...looked.keys()].filter((address) => address.startsWith('/sitemap-')),

    /**
     * Returns the pages that link to any of these URLs, and the feeds that refer to a file at any of these URLs. A page
     * counts if its latest check found such a link, or if its copy has one. URLs on this server begin with a slash.
     */
    naming(urls: readonly string[]): string[] {
      const wanted = new Set(urls);
      const isNaming = ({ named, files }: PageLinks) => [...named, ...files].some((url) => wanted.has(url));
      const checked = [...looked].filter(([, { links }]) => isNaming(links));
      const copied = [...stamps].filter(([, { links }]) => links?.some(isNaming));
      return [...new Set([...checked, ...copied].map(([address]) => address))];
    },

    /**
     * Returns the copies at these paths that may show a post or file. `names`: the URLs of the post or file; undefined
     * if a page may show the post or file without a link to it.
     */
    mayShow(paths: readonly string[], names: readonly string[] | undefined): string[] {
      const wanted = new Set(paths);
      const urls = new Set(names);
      const mayNot = ({ named }: PageLinks) => named.length > 0 && !named.some((url) => urls.has(url));
      return [...stamps]
        .filter(([address, { links }]) => {
          if (!wanted.has(pathOfAddress(address))) return false;
          return urls.size === 0 || links?.every(mayNot) !== true;
        })
        .map(([address]) => address);
    },

    /**
     * Returns the addresses that have a copy but are unreachable, and deletes the check results of all unreachable
     * addresses. An address is reachable if links lead to it from `roots`, from posts or from `failed` pages. `roots`:
     * the addresses that need no link. `failed`: pages that can't be generated now, so the links from their latest
     * check are used. If such a page was never checked, all files and all pages of its list are treated as reachable.
     */
    unreachable(roots: readonly string[], failed: readonly string[]): string[] {
      const unknown = failed.filter((address) => !looked.has(address));
      const reached = new Set<string>();
      const next = [...roots, ...failed, ...unknown.flatMap((address) => at(pathOfAddress(address)))];
      if (unknown.length > 0) next.push(...[...stamps.keys()].filter(isFileAddress));
      for (const [address, { isCopied }] of looked)
        if (isCopied && isPostAddress(address)) next.push(address);
      for (let address = next.pop(); address !== undefined; address = next.pop()) {
        if (reached.has(address)) continue;
        reached.add(address);
        next.push(...(looked.get(address)?.links.copied ?? []));
      }
      for (const known of [looked, leftOut])
        for (const address of known.keys()) if (!reached.has(address)) known.delete(address);
      texts.clear(); // frees the memory of unused URLs
      return [...stamps.keys()].filter((address) => !reached.has(address));
    },

    clear(): void {
      change += 1;
      for (const map of [stamps, leftOut, looked, marks, texts]) map.clear();
    },
  };
}
