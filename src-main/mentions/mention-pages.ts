import { addressOfPage, oneSpelling, type PageFinder } from '../posts/address.ts';

/** Finds the page to which a mention belongs. */
export interface MentionPages extends Pick<PageFinder, 'pageAt'> {
  /** Returns the public origin of this server. */
  readonly base: () => string;
  /** Returns the address of a target; see addressOfPage. An address is returned unchanged. */
  readonly addressOf: (target: string) => string;
  /** Returns the id of the page that a target leads to, whatever the spelling of the target. */
  readonly pageOf: (target: string) => string;
  /** Returns the URL of a page. `page`: its id. */
  readonly urlOf: (page: string) => string;
  /** Returns the title of the post that a target leads to; undefined if it leads to no post (see PageFinder.titleOf). */
  readonly titleOf: (target: string) => string | undefined;
}

/** Creates the rule by which mentions are assigned to pages. `base`: returns the public origin of this server. */
export function mentionPages(base: () => string, finder: PageFinder = noFinder): MentionPages {
  const addressOf = (target: string) => addressOfPage(base(), target);
  return {
    base,
    addressOf,
    pageOf: (target) => finder.pageAt(addressOf(target)),
    pageAt: (address) => finder.pageAt(address),
    // The id of a page of the built-in site is a path.
    urlOf: (page) => finder.homeUrl(page) ?? (page.startsWith('/') ? base() + oneSpelling(page) : page),
    titleOf: (target) => finder.titleOf(finder.pageAt(addressOf(target))),
  };
}

/** Knows no posts: each address is a page of its own. */
const noFinder: PageFinder = {
  pageAt: (address) => address,
  homeUrl: () => undefined,
  titleOf: () => undefined,
};
