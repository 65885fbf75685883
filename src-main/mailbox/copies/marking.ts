import type { Post } from '../../contract/posts.ts';
import type { AddressBook } from './address-book.ts';
import { countingAddresses, listPaths, namesOf } from './affected.ts';
import { addressOfPath, pathOfAddress } from './copied-addresses.ts';

/** Creates functions that request checks of all addresses that a change affects. `base`: returns the public origin. */
export function createMarking(book: AddressBook, base: () => string) {
  return {
    /**
     * Requests checks of the pages that show a post. `isMoved`: whether the post's position in lists may have changed,
     * which can also move other posts to other pages.
     */
    post(post: Post, isMoved: boolean): void {
      const change = book.begin();
      const own = addressOfPath(post.path);
      for (const address of book.naming(namesOf(post, base()))) book.mark(address);
      for (const path of listPaths(post)) {
        if (isMoved) book.mark(path, { follow: 'parts', since: change });
        // If a page with known links shows the post, the loop above has already marked that page.
        else if (!book.isPage(path)) book.mark(path);
      }
      for (const address of [own, ...countingAddresses, ...book.at(own), ...book.sitemaps()])
        book.mark(address);
    },

    /**
     * Requests checks of the pages that show mentions of the page at `url`, or the number of its mentions. Returns the
     * address of the page at `url` if it is on this server.
     */
    page(url: string): string | undefined {
      const { origin, pathname, href, hash } = new URL(url);
      const isOurs = origin === new URL(base()).origin;
      book.begin();
      const name = isOurs ? pathname : href.slice(0, href.length - hash.length);
      for (const address of [...book.naming([name]), ...(isOurs ? book.at(pathname) : [])])
        book.mark(address);
      return isOurs ? pathname : undefined;
    },

    /** Requests checks of the pages that show a file, and returns their paths. */
    file(address: string): string[] {
      book.begin();
      const showing = book.naming([address]);
      for (const one of showing) book.mark(one);
      return [...new Set(showing.map(pathOfAddress))];
    },
  };
}
