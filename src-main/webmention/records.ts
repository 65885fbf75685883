import { Readable } from 'node:stream';
import type { MentionRecord } from '../contract/webmentions.ts';
import { isShown, recordOf, type Mention } from './mention.ts';
import type { MentionStore } from './mention-store.ts';

/** A record as the public gets it: what the owner decided is not told. */
function publicRecordOf(mention: Mention): Partial<MentionRecord> {
  return Object.fromEntries(Object.entries(recordOf(mention)).filter(([name]) => name !== 'status'));
}

/**
 * The approved mentions of a page, oldest first, as `{"<url>": [record, ...]}`. With a fragment in `url`: of that very
 * target only.
 */
export async function publicListing(store: MentionStore, url: string): Promise<Readable> {
  const mentions = await store.ofPage(url);
  const shown = mentions.filter((one) => isShown(one) && (!url.includes('#') || one.target === url));
  return jsonStream([[url, shown]], publicRecordOf);
}

/** Every mention that was received, with its status, grouped by target: one page of the site in memory at a time. */
export function wholeListing(store: MentionStore): Readable {
  return jsonStream(byTarget(store), recordOf);
}

async function* byTarget(store: MentionStore): AsyncGenerator<[string, Mention[]]> {
  for (const { target } of await store.pages()) {
    const groups = new Map<string, Mention[]>();
    for (const mention of await store.ofPage(target)) {
      const group = groups.get(mention.target);
      if (group) group.push(mention);
      else groups.set(mention.target, [mention]);
    }
    yield* groups;
  }
}

type Groups = Iterable<[string, readonly Mention[]]> | AsyncIterable<[string, readonly Mention[]]>;

/** How much text is handed on at once. */
const pieceLength = 65_536;

/** An object of lists as JSON, piece by piece: the whole may be larger than a string should be. */
function jsonStream(groups: Groups, told: (mention: Mention) => unknown): Readable {
  async function* pieces(): AsyncGenerator<string> {
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
  return Readable.from(pieces(), { objectMode: false });
}
