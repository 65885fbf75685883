import { setImmediate } from 'node:timers/promises';
import sanitizeHtml, { type IOptions } from 'sanitize-html';
import {
  type MentionType,
  mentionTypeList,
  mentionTypes,
  type OnlyFile,
  onlyFileOf,
} from '../contract/mention-types.ts';
import { html, type Html } from '../http/html.ts';
import { isTitle } from '../posts/kind.ts';
import type { ResponseReader, SiteResponse } from '../posts/rendering/reader.ts';
import { excerpt } from '../posts/rendering/rich-text.ts';
import { createRecent } from '../storage/caches.ts';
import { strictSanitizing } from '../untrusted/pages/sanitizing.ts';

/** A response in the form in which a page shows it. All its URLs are safe to link to. */
export interface ShownResponse extends Pick<SiteResponse, 'id' | 'type' | 'published' | 'received'> {
  readonly source: string;
  /** The host of the response's source. */
  readonly host: string;
  readonly author: {
    readonly name: string;
    readonly url?: string | undefined;
    /** The path of this server's copy of the author's picture, relative to the public origin. */
    readonly picture?: string | undefined;
  };
  /** The RSVP value in lower case, such as `yes`; empty if the response has none. */
  readonly rsvp: string;
  readonly text?: StrangersText | undefined;
  /** The file that stands for a response without text. `picture`: the path of this server's copy of a photo. */
  readonly file?: (OnlyFile & { readonly picture: string | undefined }) | undefined;
}

/** The number of responses of each type. */
type ResponseCounts = Readonly<Partial<Record<MentionType, number>>>;

/** One page of the responses to a post. */
export interface ResponsePage {
  /** The responses on this page, oldest first. */
  readonly items: readonly ShownResponse[];
  /** The number of responses of each type, counted across all pages. */
  readonly counts: ResponseCounts;
  /** The number of people for each RSVP value, counted on all pages together. */
  readonly answers: ReadonlyMap<string, number>;
  /** The number of this page; page 1 has the newest responses. */
  readonly page: number;
  readonly pages: number;
}

/** Functions that look up the parts of a response that are stored elsewhere. */
interface ResponseParts extends Pick<ResponseReader, 'picture'> {
  readonly textOf: (response: SiteResponse) => StrangersText | undefined;
}

const responsesOnPage = 200;
const atOnce = 50;
const longestName = 80;

/** Returns one page of responses. `requested`: the page number in the URL; an invalid number returns the first page. */
export async function responsePage(
  all: readonly SiteResponse[],
  requested: unknown,
  parts: ResponseParts,
): Promise<ResponsePage> {
  const usable = all.filter(({ source }) => linkableAddress(source) !== undefined).sort(byArrival);
  const pages = Math.max(1, Math.ceil(usable.length / responsesOnPage));
  const page = Math.min(pages, pageNumber(requested));
  const end = usable.length - (page - 1) * responsesOnPage;
  const items: ShownResponse[] = [];
  for (let at = Math.max(0, end - responsesOnPage); at < end; at += atOnce) {
    const some = usable.slice(at, Math.min(at + atOnce, end));
    items.push(...(await Promise.all(some.map((one) => shownResponse(one, parts)))));
    // Sanitizing HTML takes time. This pause lets the event loop run other work in between.
    await setImmediate();
  }
  const answers = new Map<string, number>();
  for (const response of usable) {
    if (response.type !== 'rsvp') continue;
    const answer = answerOf(response);
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
  return { items, counts: responseCounts(usable), answers, page, pages };
}

/** Returns the number of responses of each type. */
export function responseCounts(responses: readonly Pick<SiteResponse, 'type'>[]): ResponseCounts {
  const counts: Partial<Record<MentionType, number>> = {};
  for (const { type } of responses) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** Returns counts as text, such as `3 replies, 1 like`; undefined if all counts are zero. */
export function wordsOfCounts(counts: ResponseCounts): string | undefined {
  const words = mentionTypeList.flatMap((type) => {
    const count = counts[type] ?? 0;
    return count === 0 ? [] : [countOf(type, count)];
  });
  return words.length === 0 ? undefined : words.join(', ');
}

/** Returns a count as text, such as `1 like` or `3 replies`. */
export function countOf(type: MentionType, count: number): string {
  const { one, many } = mentionTypes[type];
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;
}

/**
 * Compares two responses by their time of arrival. The dates in the responses aren't used, because a stranger could
 * move a response to the front with a false date.
 */
function byArrival(a: SiteResponse, b: SiteResponse): number {
  return Date.parse(a.received) - Date.parse(b.received) || (a.id < b.id ? -1 : 1);
}

function pageNumber(requested: unknown): number {
  return typeof requested === 'string' && /^[1-9]\d{0,5}$/.test(requested) ? Number(requested) : 1;
}

async function shownResponse(
  response: SiteResponse,
  { picture, textOf }: ResponseParts,
): Promise<ShownResponse> {
  const { id, type, published, received, author } = response;
  const source = linkableAddress(response.source) ?? '';
  const host = new URL(source).hostname.replace(/^www\./, '');
  const photo = linkableAddress(author?.photo);
  const name = author?.name.replace(/\s+/g, ' ').trim().slice(0, 500) ?? '';
  const file = type === 'reply' || type === 'mention' ? onlyFileOf(response) : undefined;
  const image = file?.kind === 'photo' ? linkableAddress(file.url) : undefined;
  return {
    id,
    type,
    published,
    received,
    source,
    host,
    author: {
      name: name === '' ? host : Array.from(name).slice(0, longestName).join(''),
      url: linkableAddress(author?.url),
      picture: photo === undefined ? undefined : await picture(photo),
    },
    rsvp: answerOf(response),
    text: file ? undefined : textOf(response),
    file: file && { ...file, picture: image && (await picture(image, 'photo')) },
  };
}

const answerOf = ({ rsvp = '' }: SiteResponse) => rsvp.trim().toLowerCase();

/** Untrusted text from another site, converted for display on a page. */
interface StrangersText {
  readonly markup: Html;
  /** Whether `markup` contains only the beginning of the text. */
  readonly isCut: boolean;
}

const longestText = 1500;
const shownOfLonger = 1000;
/**
 * The maximum length of HTML to sanitize, in characters. If the HTML is longer, pages show only its beginning, as plain
 * text, because HTML that is cut off could break the page.
 */
const longestMarkup = 6000;
const mostKept = 4_000_000;

const allowed: IOptions = {
  ...strictSanitizing,
  allowedTags:
    'a abbr b bdi blockquote br code del em i ins kbd li ol p pre q s small strong sub sup ul'.split(' '),
  allowedAttributes: { '*': ['dir', 'lang'], a: ['href', 'rel'] },
  allowedSchemes: ['http', 'https'],
  transformTags: {
    a: (tagName, { href = '' }) => ({
      tagName,
      attribs: { ...(linkableAddress(href) !== undefined && { href, rel: 'nofollow ugc noopener' }) },
    }),
  },
};

/**
 * Prepares untrusted text from other sites for display on pages. Caches the most recently used results, because
 * sanitizing is slow.
 */
export function strangersTexts(most = mostKept): (response: SiteResponse) => StrangersText | undefined {
  const kept = createRecent<Html>(most);

  function clean(markup: string): Html {
    const known = kept.get(markup);
    if (known) return known;
    const made = { markup: sanitizeHtml(markup, allowed) };
    kept.set(markup, made, markup.length + made.markup.length);
    return made;
  }

  return ({ type, name, content, shortened }) => {
    const text = content?.value.trim() ?? '';
    // For a page that only mentions a post, show just the page's title. Visitors can read the text on the page itself.
    if (type === 'mention' && isTitle(name, text))
      return { markup: html`${lines(name ?? '', 200)}`, isCut: false };
    const longest = type === 'mention' ? 300 : longestText;
    const rich = content?.html ?? '';
    if (text === '' && rich === '') return undefined;
    const isPart = shortened?.includes('content') === true;
    if (rich !== '' && text.length <= longest && rich.length <= longestMarkup)
      return { markup: clean(rich), isCut: isPart };
    const isLong = text.length > longest;
    const markup = lines(text, isLong ? Math.min(longest, shownOfLonger) : longest);
    return { markup, isCut: isLong || isPart };
  };
}

/** Returns an untrusted URL if it is safe to link to: an absolute http or https URL without credentials. */
export function linkableAddress(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 2048 || !/^https?:\/\//i.test(text) || !URL.canParse(text))
    return undefined;
  const { href, username, password } = new URL(text);
  return username === '' && password === '' ? href : undefined;
}

/** Returns text as HTML with paragraphs and line breaks; cuts a long text. */
function lines(text: string, longest: number): Html {
  // Shorten the text first, because it can be very long and each step would process all of it.
  const parts = excerpt(text.slice(0, longest * 4), longest)
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/);
  return html`${parts.map(
    (part) => html`<p>${part.split('\n').map((line, index) => html`${index > 0 && html`<br>`}${line}`)}</p>`,
  )}`;
}
