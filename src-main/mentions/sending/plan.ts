import sanitizeHtml, { type IOptions } from 'sanitize-html';
import { responseProperties } from '../../contract/post-kinds.ts';
import type { Post } from '../../contract/posts.ts';
import { postUrl, postUrls } from '../../posts/address.ts';
import {
  absoluteUrl,
  citedUrl,
  handlesIn,
  inlineLinks,
  nobody,
  type PersonFinder,
} from '../../posts/links.ts';
import { asNested, asText, htmlOf, propertyText, propertyValues } from '../../posts/values.ts';
import { visibleText } from '../../untrusted/pages/html-scan.ts';
import { hasTooManyTags, strictSanitizing } from '../../untrusted/pages/sanitizing.ts';
import { pageLinks } from '../receiving/source/exact-link.ts';
import { updatesCopies } from '../../posts/cross-posting.ts';
import { crossPostedTo } from './copies.ts';
import type { DeliveryOutcome } from './deliver.ts';
import type { Entry } from './deliveries.ts';

const minute = 60_000;
/**
 * The delays before a page is notified of new responses, in ms. `responseRest` is the minimum time since the page was
 * last notified. `responseBurst` is the minimum time since the response, so that a burst of responses causes only one
 * notification.
 */
const responseRest = 10 * minute;
const responseBurst = minute;
/** The maximum number of remembered pages that a post no longer links to. */
const mostUnlinked = 1000;

export interface LinkChange {
  /** The pages that the post links to now; empty for a draft, and for a private or deleted post. */
  readonly links: readonly string[];
  /** The pages that the post linked to before; empty if the public could not read the post. */
  readonly linkedBefore: readonly string[];
  /** Pages in `links` whose entries stay as they are; none if absent. */
  readonly unchanged?: ReadonlySet<string>;
  /** The post's URL on the owner's own site before the change; absent if it had none. */
  readonly homeBefore?: string | undefined;
  /** When the post is or was published, in ms. No page that the post links to is notified before that time. */
  readonly publishedAt: number;
  readonly now: number;
}

/**
 * Returns the updated entries of a post that changed (Webmention 3.1.4, 3.1.5). The pages that the post links to must
 * be notified. The same applies to a page that the post no longer links to, if that page may know of the post. A
 * cross-posting service that made a copy isn't notified again, unless it is known to update its copies. Entries that stay
 * as they are are the same objects.
 */
export function planned(entries: readonly Entry[], change: LinkChange): Entry[] {
  const { links, linkedBefore, unchanged, homeBefore, publishedAt, now } = change;
  const known = new Map(entries.map((entry) => [entry.target, entry]));
  const knew = (target: string) =>
    withSource({ ...fresh(target), notified: true }, fresh(target), homeBefore);
  const isFromHome = (target: string) => homeBefore !== undefined && linkedBefore.includes(target);
  const linked = links.map((target) => {
    const settled = known.get(target);
    if (settled && unchanged?.has(target) === true) return settled;
    if (settled && keepsCopy(settled))
      return settled.linked ? settled : withCopyKept({ ...settled, linked: true }, now);
    const entry = settled ?? (isFromHome(target) ? knew(target) : fresh(target));
    return waiting(entry, true, Math.max(now, publishedAt), now);
  });
  const current = new Set(links);
  const targets = new Set([...known.keys(), ...linkedBefore].filter((target) => !current.has(target)));
  const others = [...targets].flatMap((target) => {
    const entry = known.get(target) ?? knew(target);
    if (mayKnow(entry, now)) return [waiting(entry, false, now, now)];
    return entry.linked ? [] : [entry];
  });
  return [...linked, ...others.slice(-mostUnlinked)];
}

/** Returns whether a service made a copy of the post that stays as it is, whatever becomes of the post. */
const keepsCopy = ({ copy, target }: Entry): boolean => copy !== undefined && !updatesCopies(target);

/**
 * Returns the entry of a service that isn't notified of a change, because its copy of the post stays as it is.
 * Returns any other entry unchanged. The post may have changed while the service was making the copy, or the service may
 * have kept its copy of a post that was withdrawn and is back.
 */
export function withCopyKept(entry: Entry, now: number): Entry {
  const { target, linked, copy, from } = entry;
  if (!linked || copy === undefined || !keepsCopy(entry)) return entry;
  const known = { target, linked, notified: true, copy, ...(from !== undefined && { from }) };
  return { ...known, state: 'sent', words: crossPostedTo(copy), at: moment(now) };
}

interface NewResponse {
  readonly source: string;
  /**
   * Whether the page is being notified right now. In that case, its server may have read the post before the response
   * appeared.
   */
  readonly isUnderWay: boolean;
  /** The current time, in ms since the epoch. */
  readonly now: number;
}

/**
 * Returns the updated entry of a page after a new response to the post appeared (Salmention, Webmention 3.1.4). A page
 * that was notified of the post is notified again, once for all responses within a short time.
 *
 * A page isn't notified of the response if it was never notified of the post, or if it could not be notified of the
 * post's last change. A page that is still waiting to be notified will see the response anyway. The page that the
 * response comes from isn't notified either, because two pages that respond to each other would notify each other
 * forever. If there is nothing to send, returns the same object.
 */
export function respondedTo(entry: Entry, { source, isUnderWay, now }: NewResponse): Entry {
  const { linked, notified, state, target } = entry;
  if (!linked || !notified || samePage(target, source)) return entry;
  if (state === 'sent') return responding(entry, now);
  const isMissed = state === 'waiting' && isUnderWay && !entry.moreResponses;
  return isMissed ? { ...entry, moreResponses: true } : entry;
}

function responding(entry: Entry, now: number): Entry {
  const next = Math.max(now + responseBurst, Date.parse(entry.at) + responseRest);
  const words = 'Waiting to report new responses.';
  return { ...waiting(entry, true, Math.min(next, now + responseRest), now), words, forResponses: true };
}

function samePage(one: string, other: string): boolean {
  const [a = '', b = ''] = [one, other].map((address) => address.replace(/^https?:|#.*$/g, ''));
  return a === b;
}

/**
 * Returns the updated entry after an attempt. `isOver`: whether no further attempt follows if this one failed. `now` in
 * ms.
 */
export function settledDelivery(
  entry: Entry,
  outcome: DeliveryOutcome,
  { isOver, now }: { readonly isOver: boolean; readonly now: number },
): Entry {
  const { target, linked, notified, forResponses, moreResponses, copy } = entry;
  // A service that accepted that the post was withdrawn has no copy any more.
  const isWithdrawn = outcome.kind === 'sent' && !linked;
  const kept = copy === undefined || isWithdrawn ? {} : { copy };
  const done = { target, linked, notified, ...kept, at: moment(now), words: outcome.words };
  // The message about a page that was notified of the post before, if reporting new responses to that page failed.
  const unheard = `Sent before, but new responses could not be reported. ${outcome.words}`;
  switch (outcome.kind) {
    case 'sent': {
      const sent: Entry = {
        ...done,
        state: 'sent',
        notified: linked,
        words: linked ? outcome.words : goneWords,
        ...(outcome.statusPage !== undefined && { statusPage: outcome.statusPage }),
      };
      return moreResponses ? responding(sent, now) : sent;
    }
    case 'no-endpoint':
      return forResponses ? { ...done, state: 'sent', words: unheard } : { ...done, state: 'no-endpoint' };
    case 'failed': {
      // A receiver may reject the webmention because the link is missing. The rejection shows that the receiver was
      // notified.
      if (outcome.refused && !linked) return { ...done, state: 'sent', notified: false, words: goneWords };
      const mayHaveHeard = notified || outcome.mayKnow;
      const why = linked ? outcome.words : `The removal of the link could not be reported. ${outcome.words}`;
      if (isOver) {
        if (forResponses) return { ...done, state: 'sent', words: unheard };
        return { ...done, state: 'failed', notified: mayHaveHeard, words: why };
      }
      const words = `${why} Porchlight will try again.`;
      return {
        ...done,
        notified: mayHaveHeard,
        words,
        state: 'waiting',
        ...(forResponses && { forResponses }),
      };
    }
  }
}

/**
 * Returns the updated entry if the page was planned to be notified again while an attempt was running. The attempt's
 * result doesn't count, so the entry keeps waiting. The entry only records that the other site may already know of the
 * post.
 */
export function overtaken(entry: Entry, outcome: DeliveryOutcome): Entry {
  const heard = outcome.kind === 'sent' || (outcome.kind === 'failed' && outcome.mayKnow);
  return heard ? { ...entry, notified: true } : entry;
}

/**
 * Returns an entry after an attempt. Sets `from` to the URL on the owner's own site from which the page was first
 * notified, if any. Later changes are sent from the same URL, because the receiver identifies the webmention by that
 * URL. `home`: the source of the attempt, if the source is on the owner's own site.
 */
export function withSource(after: Entry, before: Entry, home: string | undefined): Entry {
  const { from: _from, ...entry } = after;
  const from = before.notified ? before.from : home;
  return after.notified && from !== undefined ? { ...entry, from } : entry;
}

/** Returns the updated entry of a page that the owner wants to notify again. `now` in ms. */
export function again(entry: Entry, now: number): Entry {
  return waiting(entry, entry.linked, now, now);
}

/** Returns whether an entry is waiting for its post to be published. `now` in ms. */
export function isScheduled({ state, notBefore, forResponses }: Entry, now: number): boolean {
  return !forResponses && state === 'waiting' && notBefore !== undefined && Date.parse(notBefore) > now;
}

const goneWords = 'Reported that the link was removed.';

/** Returns whether a page may know of the post, because it was notified or is perhaps being notified now. */
export function mayKnow(entry: Entry, now: number): boolean {
  return entry.notified || (entry.state === 'waiting' && !isScheduled(entry, now));
}

function fresh(target: string): Entry {
  return { target, state: 'waiting', words: '', at: '', linked: true, notified: false };
}

/** Returns an entry whose page is to be notified at `due` (ms). */
function waiting(
  { target, notified, from, statusPage, copy }: Entry,
  linked: boolean,
  due: number,
  now: number,
): Entry {
  const words = !linked
    ? 'Waiting to report that the link was removed.'
    : due > now
      ? 'Waiting until the post is published.'
      : 'Waiting to be sent.';
  return {
    target,
    state: 'waiting',
    words,
    at: moment(now),
    linked,
    notified,
    ...(from !== undefined && { from }),
    ...(due > now && { notBefore: moment(due) }),
    ...(statusPage !== undefined && { statusPage }),
    ...(copy !== undefined && { copy }),
  };
}

const moment = (ms: number) => new Date(ms).toISOString();

const mostLinks = 500;
const longestTarget = 4096;

/**
 * Returns the URLs of the pages to notify of a post: the pages that it responds to, the people it tags, and the links
 * in its content. Each URL is spelled as on the post's page (Webmention 3.1.1). Leaves out files, copies on other sites
 * (`syndication`), the owner's own tag pages, and the post's own URLs. Leaves out locations, because only people whom
 * the owner names may see the owner's location. `base`: the public origin, without a trailing slash.
 */
export function linksOfPost(
  post: Pick<Post, 'properties' | 'path' | 'home'>,
  base: string,
  personUrl: PersonFinder = nobody,
): string[] {
  const { properties } = post;
  const own = new Set(postUrls(base, post).map(pageOf));
  const links = [
    ...responseProperties.flatMap(({ name }) =>
      propertyValues(properties, name).map((value) => citedUrl(value, base)),
    ),
    ...propertyValues(properties, 'category').map(personAt),
    ...contentLinks(propertyValues(properties, 'content')[0], postUrl(base, post)),
    ...handlesIn(properties).map(personUrl),
  ];
  const others = links.filter((link) => isTarget(link, base, own));
  return [...new Set(others)].slice(0, mostLinks);
}

function isTarget(link: string | undefined, base: string, own: ReadonlySet<string>): link is string {
  if (link === undefined || link.length > longestTarget || !URL.canParse(link)) return false;
  const { protocol, username, password, origin, pathname } = new URL(link);
  const isPublic = username === '' && password === '';
  // A #tag links to the owner's own list of posts, which needs no notification.
  const isTag = origin === base && pathname.startsWith('/categories/');
  return isPublic && !isTag && ['http:', 'https:'].includes(protocol) && !own.has(pageOf(link));
}

function pageOf(address: string): string {
  const url = new URL(address);
  url.hash = '';
  return url.href;
}

function personAt(value: unknown): string | undefined {
  const nested = asNested(value);
  const text = nested ? propertyText(nested.properties, 'url') : asText(value);
  return text !== undefined && URL.canParse(text) ? text.trim() : undefined;
}

function contentLinks(content: unknown, page: string): string[] {
  const markup = htmlOf(content);
  // The site shows HTML with too many tags as text, and the links in that text.
  const text =
    markup === undefined ? asText(content) : hasTooManyTags(markup) ? visibleText(markup) : undefined;
  if (markup === undefined || text !== undefined)
    return inlineLinks(text ?? '').flatMap((link) =>
      link.kind === 'url' ? absoluteUrl(link.url, page) : [],
    );
  return pageLinks(sanitizeHtml(markup, linksOnly(page)), page).links.map(({ value }) => value);
}

/** Returns the options for a sanitizer that keeps only the links that the site shows in a post's content. */
function linksOnly(page: string): IOptions {
  return {
    ...strictSanitizing,
    allowedTags: ['a'],
    allowedAttributes: { a: ['href'] },
    allowedSchemes: ['http', 'https'],
    nestingLimit: 100,
    transformTags: {
      a: (tagName, { href, ...rest }) => ({
        tagName,
        attribs: href === undefined ? rest : { ...rest, href: absoluteUrl(href, page) },
      }),
    },
  };
}
