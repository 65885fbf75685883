import { Readable } from 'node:stream';
import type { MentionRecord } from '../contract/webmentions.ts';
import { isShown, recordOf, type Mention } from '../mentions/mention.ts';
import type { MentionStore } from '../mentions/mention-store.ts';

/** Returns a mention's public record. It lacks the status, because the owner's decisions are private. */
function publicRecordOf(mention: Mention): Partial<MentionRecord> {
  return Object.fromEntries(Object.entries(recordOf(mention)).filter(([name]) => name !== 'status'));
}

/**
 * How many listings stay in memory, and the maximum length of each, in UTF-16 units. A listing is created again when
 * its mentions change.
 */
const mostReady = 16;
const longestReady = 1024 * 1024;

/**
 * Creates a function that lists the approved mentions of the page at `url`, oldest first, as `{"<url>": [record,
 * ...]}`. The list includes the mentions of the page's other URLs (`urlsOf`). If `url` has a fragment, the function
 * lists only mentions of exactly that target.
 */
export function createPublicListing(
  store: Pick<MentionStore, 'ofPage'>,
  urlsOf: (url: string) => Promise<readonly string[]>,
): (url: string) => Promise<Readable> {
  // The cache holds only weak references to the mentions, because mentions need much more memory than the text of their
  // listing.
  const ready = new Map<
    string,
    { lists: readonly WeakRef<readonly Mention[]>[]; pieces: readonly string[] }
  >();

  async function* keeping(url: string, lists: readonly (readonly Mention[])[]): AsyncGenerator<string> {
    const mentions = lists.length === 1 ? lists.flat() : lists.flat().sort(byArrival);
    const shown = mentions.filter((one) => isShown(one) && (!url.includes('#') || one.target === url));
    const pieces: string[] = [];
    let length = 0;
    for await (const piece of jsonPieces([[url, shown]], publicRecordOf)) {
      length += piece.length;
      if (length <= longestReady) pieces.push(piece);
      yield piece;
    }
    if (length > longestReady) return;
    ready.delete(url);
    ready.set(url, { lists: lists.map((list) => new WeakRef(list)), pieces });
    for (const oldest of ready.keys()) if (ready.size > mostReady) ready.delete(oldest);
  }

  return async (url) => {
    const urls = url.includes('#') ? [url] : await urlsOf(url);
    const lists = await Promise.all(urls.map((one) => store.ofPage(one)));
    const known = ready.get(url);
    // The store returns a new array after a change, so the same arrays mean that no mention has changed.
    const isKnown =
      known?.lists.length === lists.length && lists.every((list, at) => known.lists[at]?.deref() === list);
    const pieces = isKnown ? known.pieces : keeping(url, lists);
    return Readable.from(pieces);
  };
}

const byArrival = (a: Mention, b: Mention) =>
  Date.parse(a.received) - Date.parse(b.received) || (a.id < b.id ? -1 : 1);

/**
 * Lists every received mention with its status, grouped by target. Keeps the mentions of only one page in memory at a
 * time.
 */
export function wholeListing(store: MentionStore): Readable {
  return Readable.from(jsonPieces(byTarget(store), recordOf));
}

async function* byTarget(store: MentionStore): AsyncGenerator<[string, Mention[]]> {
  for (const { target } of await store.pages()) {
    const groups = new Map<string, Mention[]>();
    for (const mention of await store.ofPageOnce(target)) {
      const group = groups.get(mention.target);
      if (group) group.push(mention);
      else groups.set(mention.target, [mention]);
    }
    yield* groups;
  }
}

type Groups = Iterable<[string, readonly Mention[]]> | AsyncIterable<[string, readonly Mention[]]>;

/** The number of characters to pass on at a time. */
const pieceLength = 65_536;

/**
 * Yields groups of mentions as one JSON object, piece by piece, because the complete object may be too long for a
 * string.
 */
async function* jsonPieces(groups: Groups, told: (mention: Mention) => unknown): AsyncGenerator<string> {
  let piece = '{';
  let isFirst = true;
  for await (const [name, mentions] of groups) {
    piece += `${isFirst ? '' : ','}${JSON.stringify(name)}:[`;
    isFirst = false;
    for (const [index, mention] of mentions.entries()) {
      piece += (index === 0 ? '' : ',') + JSON.stringify(told(mention));
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
    piece += ']';
  }
  yield `${piece}}`;
}
