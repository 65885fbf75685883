import { kindRules, rsvpAnswerIn } from '../../../contract/post-kinds.ts';
import {
  type MentionType,
  mentionTypeList,
  mentionTypes,
  type ResponseProperty,
} from '../../../contract/mention-types.ts';
import { isRecord, own } from '../../../storage/json-value.ts';
import { linkedAt, pageLinks } from './exact-link.ts';

/** A microformats2 object from any source. Only its basic structure is validated. */
export interface Item {
  readonly type: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly children: readonly unknown[];
  readonly id?: string;
}

/** Returns a value as a microformats2 object; undefined if it isn't one. */
export function asItem(value: unknown): Item | undefined {
  if (!isRecord(value)) return undefined;
  const type = listOf(own(value, 'type')).filter((each) => typeof each === 'string');
  const properties = own(value, 'properties');
  const id = own(value, 'id');
  if (type.length === 0 || !isRecord(properties)) return undefined;
  return {
    type,
    properties,
    children: listOf(own(value, 'children')),
    ...(typeof id === 'string' && { id }),
  };
}

/** Returns the values of a property; an empty list if the property is absent. */
export function itemValues(item: Item, name: string): readonly unknown[] {
  return listOf(own(item.properties, name));
}

/**
 * Returns the text of a value: the string itself, or an object's `value`. Returns an empty string for any other value.
 */
export function itemText(value: unknown): string {
  if (typeof value === 'string') return value;
  const stands = isRecord(value) ? own(value, 'value') : undefined;
  return typeof stands === 'string' ? stands : '';
}

const longestUrl = 4096;

/** Returns an http or https address; undefined for any other value, including `javascript:` and `data:` addresses. */
export function asWebAddress(value: unknown): string | undefined {
  const text = itemText(value).trim();
  if (text.length > longestUrl || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { href } = new URL(text);
  return href.length > longestUrl ? undefined : href;
}

/**
 * Returns the URLs in a value: the value itself if it is a URL, or an object's URLs (post type discovery: a nested
 * h-cite).
 */
export function addressesOf(value: unknown): string[] {
  const item = asItem(value);
  const named = [value, ...(item ? [...itemValues(item, 'url'), ...itemValues(item, 'uid')] : [])];
  return named.flatMap((each) => asWebAddress(each) ?? []);
}

/**
 * Returns whether two URLs are the same, even if they are spelled differently. With `ignoreFragment`, returns whether
 * they are URLs of the same page.
 */
export function isSameAddress(one: string, other: string, ignoreFragment = false): boolean {
  return spelled(one, ignoreFragment) === spelled(other, ignoreFragment);
}

function spelled(address: string, ignoreFragment: boolean): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (ignoreFragment) url.hash = '';
  return url.href;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

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
const deepestItem = 10;
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
  const collect = (values: readonly unknown[], feed: Item | undefined, depth: number): void => {
    for (const item of values.map(asItem)) {
      if (!item || primaries.length >= mostEntries) continue;
      if (kinds.some((kind) => item.type.includes(kind)))
        primaries.push({ entry: item, ...(feed && { feed }) });
      else if (depth < deepestItem)
        collect(item.children, item.type.includes('h-feed') ? item : feed, depth + 1);
    }
  };
  collect(items, undefined, 0);
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

interface Response {
  readonly type: MentionType;
  readonly property: ResponseProperty;
  /** The reply in an RSVP: yes, no, maybe or interested. Absent for other types. */
  readonly rsvp?: string;
}

const responseIn = (type: MentionType): Response => ({ type, property: mentionTypes[type].property });
const plain = responseIn('mention');

/**
 * The types of responses, in the order of the kinds of posts (Post Type Discovery, Response Type Algorithm). An RSVP
 * links to the event as a reply does.
 */
const responses = kindRules
  .flatMap(({ kind }) => mentionTypeList.find((type) => type === kind && type !== 'rsvp') ?? [])
  .map(responseIn);

/**
 * Returns an entry's type of response, based on the property that points to the target. If no property does, the type
 * is a plain mention.
 */
export function responseOf(entry: Item | undefined, target: string): Response {
  if (!entry) return plain;
  const rsvp = rsvpAnswerIn(itemText(itemValues(entry, 'rsvp')[0]));
  if (rsvp !== undefined && pointsAt(entry, mentionTypes.reply.property, target)) {
    return { ...responseIn('rsvp'), rsvp };
  }
  return responses.find(({ property }) => pointsAt(entry, property, target)) ?? plain;
}

/** Returns whether an entry responds to the target in any way. */
function respondsTo(entry: Item, target: string): boolean {
  return responses.some(({ property }) => pointsAt(entry, property, target));
}

function pointsAt(entry: Item, property: ResponseProperty, target: string): boolean {
  return itemValues(entry, property).some((value) =>
    addressesOf(value).some((address) => isSameAddress(address, target)),
  );
}
