import { linkedAt } from './exact-link.ts';
import { addressesOf, asItem, isSameAddress, itemValues, type Item } from './item.ts';
import { pageLinks } from './page-links.ts';
import { respondsTo } from './response-type.ts';
import { isRecord, own } from '../../../storage/json-value.ts';

/** The main object of a page, and the h-feed that contains it, if any. */
export interface Primary {
  readonly entry: Item;
  readonly feed?: Item;
}

export interface Surroundings {
  /** The source URL as the sender gave it. */
  readonly source: string;
  /** The page's final URL. */
  readonly url: string;
  readonly target: string;
}

const mostEntries = 500;
const deepest = 10;
const otherKinds = ['h-event', 'h-review', 'h-recipe', 'h-cite'];

/**
 * Returns the primary object of a source: the object whose id is the source's fragment, or else the entry whose URL is
 * the page's URL, or else the only entry, or else the first entry that responds to the target, or else the first that
 * links to the target, or else the first outside a feed. Returns undefined if there is none of these.
 */
export function primaryEntry(items: readonly unknown[], page: Surroundings): Primary | undefined {
  const entries = found(items, ['h-entry']);
  const candidates = entries.length > 0 ? entries : found(items, otherKinds);
  const fragment = fragmentOf(page.url) || fragmentOf(page.source);
  const isAt = (entry: Item, ignoreFragment: boolean): boolean =>
    itemValues(entry, 'url')
      .flatMap(addressesOf)
      .some((url) => [page.source, page.url].some((own) => isSameAddress(url, own, ignoreFragment)));
  return (
    (fragment === '' ? undefined : candidates.find(({ entry }) => entry.id === fragment)) ??
    candidates.find(({ entry }) => isAt(entry, false)) ??
    candidates.find(({ entry }) => isAt(entry, true)) ??
    (candidates.length === 1 ? candidates[0] : undefined) ??
    candidates.find(({ entry }) => respondsTo(entry, page.target)) ??
    candidates.find(({ entry }) => links(entry, page)) ??
    candidates.find(({ feed }) => feed === undefined)
  );
}

/** Returns the objects of the given kinds that are not nested in another such object. */
function found(items: readonly unknown[], kinds: readonly string[]): Primary[] {
  const primaries: Primary[] = [];
  const look = (values: readonly unknown[], feed: Item | undefined, depth: number): void => {
    for (const item of values.map(asItem)) {
      if (!item || primaries.length >= mostEntries) continue;
      if (kinds.some((kind) => item.type.includes(kind)))
        primaries.push({ entry: item, ...(feed && { feed }) });
      else if (depth < deepest) look(item.children, item.type.includes('h-feed') ? item : feed, depth + 1);
    }
  };
  look(items, undefined, 0);
  return primaries;
}

function links(entry: Item, { target, url }: Surroundings): boolean {
  return itemValues(entry, 'content').some((content) => {
    const html = isRecord(content) ? own(content, 'html') : undefined;
    return typeof html === 'string' && linkedAt(pageLinks(html, url), target) !== undefined;
  });
}

function fragmentOf(address: string): string {
  const hash = URL.canParse(address) ? new URL(address).hash.slice(1) : '';
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}
