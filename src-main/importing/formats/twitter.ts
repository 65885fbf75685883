import { isRecord } from '../../storage/json-value.ts';
import { jsonItemsIn } from '../archive-items.ts';
import { type Archive, type ArchiveFile, firstText } from '../archive.ts';
import { type Finding, firstWords, type FoundMedia, isWebUrl } from '../found-post.ts';
import {
  type ArchiveReader,
  damagedPost,
  filesNamed,
  isoTime,
  noDate,
  skippedPost,
  tooLong,
} from './reader.ts';

type Values = Record<string, unknown>;

/**
 * Reads a Twitter or X archive: JavaScript files that assign lists of tweets to variables, and the tweets' media files.
 */
export const twitter: ArchiveReader = {
  format: 'twitter',
  async postFiles(archive) {
    const found: ArchiveFile[] = [];
    for (const file of filesNamed(archive, /(?:^|\/)tweets?(?:-part\d+)?\.js$/).slice(0, 1000))
      if (/^\s*window\.YTD\.tweets?\.part\d+\s*=/.test(await firstText(file))) found.push(file);
    return found;
  },
  async *read(archive, files) {
    const name = await accountName(archive);
    const media = mediaFinder(archive);
    const long = await longTweets(filesNamed(archive, /(?:^|\/)note-tweets?(?:-part\d+)?\.js$/));
    for (const file of files)
      for await (const item of jsonItemsIn(file, 'tweets')) yield postIn(item, name, media, long);
    for (const { text } of long.left)
      yield {
        skipped: { what: firstWords(text), why: 'The archive doesn’t contain the post of this long text.' },
      };
    if (long.unread > 0) yield { skipped: { what: 'Long texts', why: damagedPost }, count: long.unread };
  },
};

/**
 * Returns the owner's user name on Twitter. If the name is unknown, returns `i`, which Twitter accepts in place of any
 * user name in the URL of a tweet.
 */
async function accountName(archive: Archive): Promise<string> {
  for (const file of filesNamed(archive, /(?:^|\/)account\.js$/))
    for await (const item of jsonItemsIn(file, 'account')) {
      const account = isRecord(item) && isRecord(item['account']) ? item['account'] : {};
      if (typeof account['username'] === 'string' && /^\w{1,50}$/.test(account['username']))
        return account['username'];
    }
  return 'i';
}

function postIn(
  item: unknown,
  account: string,
  mediaOf: (tweet: Values, id: string) => FoundMedia[],
  longTexts: Awaited<ReturnType<typeof longTweets>>,
): Finding {
  const tweet = isRecord(item) && isRecord(item['tweet']) ? item['tweet'] : item;
  if (isRecord(tweet) && isRecord(tweet['dmConversation']))
    return { skipped: { what: 'A conversation', why: 'Direct messages aren’t imported.' } };
  if (!isRecord(tweet)) return skippedPost('A tweet', damagedPost);
  const id = textIn(tweet, 'id_str') ?? textIn(tweet, 'id') ?? '';
  const raw = textIn(tweet, 'full_text') ?? textIn(tweet, 'text') ?? '';
  const what = firstWords(raw) || id;
  if (!/^\d{1,30}$/.test(id)) return skippedPost(what, damagedPost);
  const published = momentOfTweet(tweet['created_at']);
  if (published === undefined) return skippedPost(what, noDate);
  const long = longTexts.of({ ids: [id, ...noteIds(tweet)], text: raw, published });
  const text = writtenText(tweet, long?.text ?? raw, long?.urls);
  if (text === undefined) return skippedPost(what, tooLong);
  const url = `https://twitter.com/${account}/status/${id}`;
  return {
    post: {
      key: `https://twitter.com/i/status/${id}`,
      text,
      format: 'plain',
      published,
      categories: [
        ...list(tweet['entities'], 'hashtags').flatMap((tag) => textIn(tag, 'text') ?? []),
        ...(long?.hashtags ?? []),
      ],
      status: 'published',
      visibility: 'public',
      syndication: [url],
      responses: responsesOf(tweet, raw, url),
      media: mediaOf(tweet, id),
      lost: !long && isCutOff(tweet, raw, id) ? ['the end of its text'] : [],
    },
  };
}

/** Returns the IDs of a tweet's long text, which some archives give. */
function noteIds(tweet: Values): string[] {
  const note = tweet['note_tweet'] ?? tweet['noteTweet'];
  return isRecord(note)
    ? ['id', 'id_str', 'noteTweetId', 'note_tweet_id'].flatMap((name) => textIn(note, name) ?? [])
    : [];
}

/** Returns whether a tweet's text ends with a link to the whole text. */
function isCutOff(tweet: Values, raw: string, id: string): boolean {
  // The text of a retweet is often cut off. The retweet links to the post with the whole text.
  if (raw.startsWith('RT @')) return false;
  if (tweet['truncated'] === true) return true;
  const link = /\u2026 ?(https?:\/\/t\.co\/\w{1,100})\s*$/.exec(raw.slice(-200))?.[1];
  if (link === undefined) return false;
  const others = [
    ...list(tweet['entities'], 'urls').filter(
      ({ expanded_url: full }) => !String(full).endsWith(`/status/${id}`),
    ),
    ...list(tweet['entities'], 'media'),
    ...list(tweet['extended_entities'], 'media'),
  ];
  return others.every((each) => textIn(each, 'url') !== link);
}

function responsesOf(tweet: Values, raw: string, url: string): Record<string, string[]> {
  const retweeted = /^RT @(\w{1,50}): /.exec(raw)?.[1];
  if (retweeted !== undefined) {
    const source = list(tweet['extended_entities'], 'media').flatMap(
      (file) => textIn(file, 'source_status_id_str') ?? [],
    )[0];
    // The archive identifies the original tweet only if that tweet has pictures. In all other cases, use the URL of the
    // retweet, which leads to the original as well.
    return {
      'repost-of': [source === undefined ? url : `https://twitter.com/${retweeted}/status/${source}`],
    };
  }
  const answered = textIn(tweet, 'in_reply_to_status_id_str');
  if (answered === undefined || !/^\d{1,30}$/.test(answered)) return {};
  const author = textIn(tweet, 'in_reply_to_screen_name');
  const name = author !== undefined && /^\w{1,50}$/.test(author) ? author : 'i';
  return { 'in-reply-to': [`https://twitter.com/${name}/status/${answered}`] };
}

const shortLink = /https?:\/\/[\w.-]{1,100}\/[a-z\d]{1,100}/gi;
/** The maximum lengths of a tweet's text and of a full URL, in characters. */
const longestTweet = { text: 100_000, url: 4096 };

/**
 * Returns a tweet's text as its author wrote it: with full URLs, and without the URLs of the tweet's own pictures.
 * `more`: full URLs besides those of the tweet. Returns undefined if the text is too long. Only the archive's own text
 * is searched for short links, never a full URL that has replaced one, so the text can't multiply.
 */
function writtenText(tweet: Values, raw: string, more: LongTweet['urls'] = []): string | undefined {
  const fullUrls = new Map<string, string>();
  for (const file of [...list(tweet['entities'], 'media'), ...list(tweet['extended_entities'], 'media')])
    fullUrls.set(textIn(file, 'url') ?? '', '');
  for (const link of list(tweet['entities'], 'urls')) {
    const [short, full] = [textIn(link, 'url'), textIn(link, 'expanded_url')];
    if (short !== undefined && isWebUrl(full) && full.length <= longestTweet.url) fullUrls.set(short, full);
  }
  for (const { short, full } of more)
    if (isWebUrl(full) && full.length <= longestTweet.url) fullUrls.set(short, full);
  if (raw.length > longestTweet.text) return undefined;
  let text = '';
  let at = 0;
  for (const { 0: short, index } of raw.matchAll(shortLink)) {
    text += raw.slice(at, index) + (fullUrls.get(short) ?? short);
    at = index + short.length;
    if (text.length > longestTweet.text) return undefined;
  }
  text += raw.slice(at);
  return unescapedTweet(text).trim();
}

/**
 * Returns a function that finds the files of a tweet. In the archive, each file's name consists of the tweet's ID and
 * the last part of the file's URL.
 */
function mediaFinder(archive: Archive): (tweet: Values, id: string) => FoundMedia[] {
  const byName = new Map(
    filesNamed(archive, /(?:^|\/)tweets?_media\/[^/]+$/).map((file) => [file.path.split('/').at(-1), file]),
  );
  const sourceOf = (id: string, url: string) =>
    byName.get(`${id}-${new URL(url).pathname.split('/').at(-1)}`) ?? url;
  return (tweet, id) => {
    const extended = list(tweet['extended_entities'], 'media');
    const found = extended.length > 0 ? extended : list(tweet['entities'], 'media');
    return found.flatMap((file): FoundMedia[] => {
      const url = textIn(file, 'media_url_https') ?? textIn(file, 'media_url');
      const video = videoUrl(file);
      const alt = textIn(file, 'ext_alt_text') ?? '';
      if (video !== undefined) return [{ source: sourceOf(id, video), alt, property: 'video' }];
      return isWebUrl(url) ? [{ source: sourceOf(id, url), alt, property: 'photo' }] : [];
    });
  };
}

/** Returns the URL of a video's MP4 version with the highest bit rate. */
function videoUrl(file: Values): string | undefined {
  const variants = list(file['video_info'], 'variants').filter(
    (variant) => variant['content_type'] === 'video/mp4' && isWebUrl(variant['url']),
  );
  const [best] = variants.sort((a, b) => Number(b['bitrate'] ?? 0) - Number(a['bitrate'] ?? 0));
  return best && textIn(best, 'url');
}

const textIn = (values: Values, name: string): string | undefined =>
  typeof values[name] === 'string' ? values[name] : undefined;

function list(values: unknown, name: string): Values[] {
  const found = isRecord(values) ? values[name] : undefined;
  return Array.isArray(found) ? found.filter(isRecord) : [];
}

/** Returns the moment of a tweet (`Mon Aug 31 10:00:00 +0000 2020`) in ISO 8601; undefined if there is none. */
function momentOfTweet(text: unknown): string | undefined {
  return typeof text === 'string' && text.length <= 100 ? isoTime(Date.parse(text)) : undefined;
}

/** The whole text of a long tweet, with the URLs and hashtags in it. */
interface LongTweet {
  readonly text: string;
  /** The full URLs, by short URL. */
  readonly urls: readonly { readonly short: string; readonly full: string }[];
  readonly hashtags: readonly string[];
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
async function longTweets(files: Iterable<ArchiveFile>) {
  const byId = new Map<string, Found>();
  const byMoment = new Map<string, Found[]>();
  const left = new Set<Found>();
  let [characters, unread] = [0, 0];
  for (const file of files)
    for await (const item of jsonItemsIn(file, 'noteTweets')) {
      const found = longTweetIn(item);
      characters += found === undefined ? 0 : tweetSize(found);
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
    /** Returns the whole text of a tweet. `text`: the tweet's own text, which may be cut off. `published`: ISO 8601. */
    of({ ids, text, published }: { ids: readonly string[]; text: string; published: string }) {
      const start = comparable(text);
      const isSame = (found: Found) => found.start.startsWith(start);
      const found =
        ids.map((id) => byId.get(id)).find((each) => each !== undefined) ??
        (start === '' ? [] : (byMoment.get(published) ?? [])).find(isSame);
      if (found) left.delete(found);
      return found;
    },
    /** The texts that belong to no tweet so far. */
    left,
    /** The number of texts that are damaged or for which there was no room. */
    unread,
  };
}

const tweetSize = ({ text, start, urls, hashtags }: Found) =>
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
    id,
    moment: moment ?? '',
    text: core['text'],
    start: comparable(core['text']),
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
const unescapedTweet = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
