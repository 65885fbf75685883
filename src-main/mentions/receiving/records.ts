import { Readable } from 'node:stream';
import type { MentionRecord } from '../../contract/webmentions.ts';
import { isShown, recordOf, type Mention } from '../mention.ts';
import type { MentionStore } from '../mention-store.ts';
import { mentionsAt, type MayTell } from '../shown-mentions.ts';

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
 * ...]}`. See mentionsAt.
 */
export function createPublicListing(
  store: Pick<MentionStore, 'ofPage' | 'recordsOf' | 'pageRules'>,
  mayTell: MayTell,
): (url: string) => Promise<Readable> {
  // The cache holds only weak references to the mentions, because mentions need much more memory than the text of their
  // listing.
  const ready = new Map<string, { mentions: WeakRef<readonly Mention[]>; pieces: readonly string[] }>();

  async function* keeping(url: string, mentions: readonly Mention[]): AsyncGenerator<string> {
    const shown = mentions.filter(isShown);
    const pieces: string[] = [];
    let length = 0;
    for await (const piece of jsonPieces([[url, shown]], publicRecordOf)) {
      length += piece.length;
      if (length <= longestReady) pieces.push(piece);
      yield piece;
    }
    if (length > longestReady) return;
    ready.delete(url);
    ready.set(url, { mentions: new WeakRef(mentions), pieces });
    for (const oldest of ready.keys()) if (ready.size > mostReady) ready.delete(oldest);
  }

  return async (url) => {
    const mentions = await mentionsAt(store, mayTell, url);
    const known = ready.get(url);
    // The store returns a new array after a change, so the same array means that no mention has changed.
    const pieces = known?.mentions.deref() === mentions ? known.pieces : keeping(url, mentions);
    return Readable.from(pieces);
  };
}

/**
 * Lists every received mention with its status, even if a source links to several spellings of a page's URL, grouped by target. Keeps the mentions of only one page in memory at a
 * time.
 */
export function wholeListing(store: MentionStore): Readable {
  return Readable.from(jsonPieces(byTarget(store), recordOf));
}

async function* byTarget(store: MentionStore): AsyncGenerator<[string, Mention[]]> {
  for (const page of await store.pageIds()) {
    const groups = new Map<string, Mention[]>();
    for (const mention of await store.recordsOf(page)) {
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
