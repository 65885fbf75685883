import { isRecord } from '../../storage/json-value.ts';
import type { ArchiveFile } from '../archive.ts';
import { jsonItemsIn } from '../archive-items.ts';
import { isoTime } from './reader.ts';

/** The whole text of a long tweet, with the URLs and hashtags in it. */
export interface LongTweet {
  readonly text: string;
  /** The full URLs, by short URL. */
  readonly urls: readonly { readonly short: string; readonly full: string }[];
  readonly hashtags: readonly string[];
}

/** The long texts of an archive. */
export interface LongTweets {
  /** Returns the whole text of a tweet. `text`: the tweet's own text, which may be cut off. `published`: ISO 8601. */
  of(tweet: { ids: readonly string[]; text: string; published: string }): LongTweet | undefined;
  /** Yields the texts that belong to no tweet so far. */
  left(): Iterable<LongTweet>;
  /** The number of texts that are damaged or for which there was no room. */
  readonly unread: number;
}

interface Found extends LongTweet {
  readonly moment: string;
  /** The beginning of the text, to find its tweet. */
  readonly start: string;
  readonly id: string;
}

/** The maximum number of characters, because all long texts are kept in memory. */
const mostCharacters = 30_000_000;
/** The maximum number of texts of the same second that are compared with a tweet. */
const mostAtOnce = 20;
/** How many characters of a tweet's text are compared. A tweet that is cut off has about 280. */
const compared = 1000;

/** Reads the long texts, which Twitter keeps in files of their own, and cuts off in the tweets. */
export async function longTweets(files: Iterable<ArchiveFile>): Promise<LongTweets> {
  const byId = new Map<string, Found>();
  const byMoment = new Map<string, Found[]>();
  const left = new Set<Found>();
  let [characters, unread] = [0, 0];
  for (const file of files)
    for await (const item of jsonItemsIn(file, 'noteTweets')) {
      const found = longTweetIn(item);
      characters += found === undefined ? 0 : sizeOf(found);
      if (found === undefined || characters > mostCharacters) {
        unread += 1;
        continue;
      }
      const others = byMoment.get(found.moment) ?? [];
      if (others.length < mostAtOnce) byMoment.set(found.moment, [...others, found]);
      if (found.id !== '') byId.set(found.id, found);
      left.add(found);
    }
  return {
    of({ ids, text, published }) {
      const start = comparable(text);
      const isSame = (found: Found) => found.start.startsWith(start);
      const found =
        ids.map((id) => byId.get(id)).find((each) => each !== undefined) ??
        (start === '' ? [] : (byMoment.get(published) ?? [])).find(isSame);
      if (found) left.delete(found);
      return found;
    },
    left: () => left,
    unread,
  };
}

const sizeOf = ({ text, start, urls, hashtags }: Found) =>
  500 +
  text.length +
  start.length +
  [...urls.flatMap(({ short, full }) => [short, full]), ...hashtags].join('').length;

function longTweetIn(item: unknown): Found | undefined {
  const note = isRecord(item) && isRecord(item['noteTweet']) ? item['noteTweet'] : item;
  const core = isRecord(note) ? note['core'] : undefined;
  if (!isRecord(note) || !isRecord(core) || typeof core['text'] !== 'string') return undefined;
  const { createdAt, noteTweetId } = note;
  const moment = typeof createdAt === 'string' && createdAt.length <= 100 ? secondOf(createdAt) : undefined;
  const id = typeof noteTweetId === 'string' ? noteTweetId.slice(0, 100) : '';
  if (moment === undefined && id === '') return undefined;
  return {
    ...{ id, moment: moment ?? '', text: core['text'], start: comparable(core['text']) },
    urls: records(core['urls']).map((url) => ({
      short: textOf(url['shortUrl'] ?? url['url']),
      full: textOf(url['expandedUrl'] ?? url['expanded_url']),
    })),
    hashtags: records(core['hashtags']).map((tag) => textOf(tag['text'])),
  };
}

const records = (values: unknown) => (Array.isArray(values) ? values.filter(isRecord).slice(0, 1000) : []);
const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, 4096) : '');
const secondOf = (text: string) => isoTime(Math.floor(Date.parse(text) / 1000) * 1000);

/**
 * Returns the beginning of a text in a form that is the same for a tweet and for its whole text: without the people to
 * whom it replies, without the ellipsis and the links at the end, and with all other links alike.
 */
const comparable = (text: string): string =>
  unescapedTweet(text.slice(0, compared))
    .trim()
    .replace(/^(?:@\w{1,50}\s{1,9}){1,50}/, '')
    .replace(/(?:\u2026|\.\.\.)?(?:\s{0,9}https?:\/\/t\.co\/\w{1,100}){0,9}$/, '')
    .replace(/https?:\/\/\S+/g, 'link')
    .replace(/\s+/g, ' ')
    .trim();

/** Replaces the only entities that Twitter writes in the texts of an archive. */
export const unescapedTweet = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
