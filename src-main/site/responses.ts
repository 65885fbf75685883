import { setImmediate } from 'node:timers/promises';
import type { MentionType } from '../contract/webmentions.ts';
import type { ResponseReader, SiteResponse } from './reader.ts';
import { webAddress, type StrangersText } from './strangers-text.ts';

/** A response as a page shows it: whatever in it is an address may be linked to. */
export interface ShownResponse extends Pick<SiteResponse, 'id' | 'type' | 'published' | 'received'> {
  readonly source: string;
  /** The site that says it. */
  readonly host: string;
  readonly author: {
    readonly name: string;
    readonly url?: string | undefined;
    /** Our copy of it, below the public origin. */
    readonly picture?: string | undefined;
  };
  /** Lower case; empty where there is none. */
  readonly rsvp: string;
  readonly text?: StrangersText | undefined;
}

/** How many responses of each type there are. */
export type ResponseCounts = Readonly<Partial<Record<MentionType, number>>>;

/** The responses on one page of a post. */
export interface ResponsePage {
  /** Oldest first. */
  readonly items: readonly ShownResponse[];
  /** Of all pages. */
  readonly counts: ResponseCounts;
  /** How many answered an invitation with each answer, on all pages. */
  readonly answers: ReadonlyMap<string, number>;
  /** 1: the newest. */
  readonly page: number;
  readonly pages: number;
}

const responsesOnPage = 200;
const atOnce = 50;
const longestName = 80;

/** `wanted`: the number of a page, as the address has it; what is none is the first. */
export async function responsePage(
  all: readonly SiteResponse[],
  wanted: unknown,
  {
    picture,
    textOf,
  }: Pick<ResponseReader, 'picture'> & {
    readonly textOf: (response: SiteResponse) => StrangersText | undefined;
  },
): Promise<ResponsePage> {
  const usable = all.filter(({ source }) => webAddress(source) !== undefined).sort(byArrival);
  const pages = Math.max(1, Math.ceil(usable.length / responsesOnPage));
  const page = Math.min(pages, pageNumber(wanted));
  const end = usable.length - (page - 1) * responsesOnPage;
  const items: ShownResponse[] = [];
  for (let at = Math.max(0, end - responsesOnPage); at < end; at += atOnce) {
    const some = usable.slice(at, Math.min(at + atOnce, end));
    items.push(...(await Promise.all(some.map((one) => shownResponse(one, { picture, textOf })))));
    // Cleaning texts is work: others get their turn.
    await setImmediate();
  }
  const answers = new Map<string, number>();
  for (const response of usable) {
    if (response.type !== 'rsvp') continue;
    const answer = answerOf(response);
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
  return { items, counts: countsOf(usable), answers, page, pages };
}

/** How many of each type there are. */
export function countsOf(responses: readonly Pick<SiteResponse, 'type'>[]): ResponseCounts {
  const counts: Partial<Record<MentionType, number>> = {};
  for (const { type } of responses) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

const countWords: readonly (readonly [MentionType, string, string])[] = [
  ['reply', 'reply', 'replies'],
  ['like', 'like', 'likes'],
  ['repost', 'repost', 'reposts'],
  ['bookmark', 'bookmark', 'bookmarks'],
  ['rsvp', 'RSVP', 'RSVPs'],
  ['mention', 'mention', 'mentions'],
];

/** `3 replies, 1 like`; undefined where there is nothing to count. */
export function wordsOfCounts(counts: ResponseCounts): string | undefined {
  const words = countWords.flatMap(([type]) => {
    const count = counts[type] ?? 0;
    return count === 0 ? [] : [countOf(type, count)];
  });
  return words.length === 0 ? undefined : words.join(', ');
}

/** `1 like`, `3 replies`. */
export function countOf(type: MentionType, count: number): string {
  const [, one = type, more = type] = countWords.find(([name]) => name === type) ?? [];
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : more}`;
}

/** In the order in which they came here: what strangers say of the time does not move them to the front. */
function byArrival(a: SiteResponse, b: SiteResponse): number {
  return Date.parse(a.received) - Date.parse(b.received) || (a.id < b.id ? -1 : 1);
}

function pageNumber(wanted: unknown): number {
  return typeof wanted === 'string' && /^[1-9]\d{0,5}$/.test(wanted) ? Number(wanted) : 1;
}

async function shownResponse(
  response: SiteResponse,
  {
    picture,
    textOf,
  }: {
    readonly picture: ResponseReader['picture'];
    readonly textOf: (response: SiteResponse) => StrangersText | undefined;
  },
): Promise<ShownResponse> {
  const { id, type, published, received, author } = response;
  const source = webAddress(response.source) ?? '';
  const host = new URL(source).hostname.replace(/^www\./, '');
  const photo = webAddress(author?.photo);
  const name = author?.name.replace(/\s+/g, ' ').trim().slice(0, 500) ?? '';
  return {
    id,
    type,
    published,
    received,
    source,
    host,
    author: {
      name: name === '' ? host : Array.from(name).slice(0, longestName).join(''),
      url: webAddress(author?.url),
      picture: photo === undefined ? undefined : await picture(photo),
    },
    rsvp: answerOf(response),
    text: textOf(response),
  };
}

const answerOf = ({ rsvp = '' }: SiteResponse) => rsvp.trim().toLowerCase();
