import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import { responseFields, rsvpAnswerIn } from '../contract/post-kinds.ts';
import type { Post } from '../contract/posts.ts';
import { PostText } from '../contract/writing.ts';
import { isValid } from '../storage/schema-check.ts';
import { ownTimeZone, readDate } from './date.ts';
import { citedUrl } from './links.ts';
import { showsSomething } from './kind.ts';
import { asText, htmlOf, propertyText, propertyValues } from './values.ts';
import { isRecord } from '../storage/json-value.ts';
import { contentFromBag, bagOf } from './post-content.ts';
import type { PostContent } from './post-store.ts';
import { invalidRequest } from '../http/errors.ts';

const emptyContent: PostContent = {
  type: ['h-entry'],
  properties: {},
  commands: {},
  status: 'published',
  visibility: 'public',
};

/**
 * Returns a post as the editor's form shows it. `base`: the public origin.
 * @throws not_editable if the form can't represent the post's content
 */
export function textOfPost(post: PostContent & Partial<Pick<Post, 'path'>>, base: string): PostText {
  const written = writtenText(post);
  const text = written && { ...written, ...fieldsOfPost(post, base) };
  // Apps can create posts with more text or photos than the form accepts.
  if (text === undefined || !isValid(PostText, text)) throw notEditable();
  return text;
}

/** Returns the Markdown that `contentOfText` converts to HTML with `toHtml`; undefined if it converts none. */
export function markdownToConvert(change: Partial<PostText>, before?: PostContent): string | undefined {
  const old = before && writtenText(before);
  const { format, text } = textAfter(change, old);
  const isSame = format === old?.format && text === old.text;
  return format !== 'markdown' || isSame || text.trim() === '' ? undefined : text;
}

/** Returns the values of the form's fields for a post, except its text. */
function fieldsOfPost(
  { properties, commands, status, visibility, path }: PostContent & Partial<Pick<Post, 'path'>>,
  base: string,
): Omit<PostText, 'text' | 'format'> {
  const cited = responseFields.map(({ field, name }): [string, string | undefined] => [
    field,
    propertyValues(properties, name).flatMap((value) => citedUrl(value, base) ?? [])[0],
  ]);
  const rsvp = rsvpAnswerIn(propertyText(properties, 'rsvp'));
  const published = properties.published?.[0];
  const targets = strings(commands['syndicate-to']);
  const featured = photosOf(properties['featured']);
  return {
    ...optional('name', propertyText(properties, 'name')),
    ...optional('summary', propertyText(properties, 'summary')),
    ...optional('slug', path?.split('/').at(-1)),
    photos: photosOf(properties.photo),
    ...(featured.length > 0 && { featured }),
    categories: strings(properties.category),
    visibility,
    status,
    ...optional('published', typeof published === 'string' ? published : undefined),
    ...Object.fromEntries(cited.filter(([, url]) => url !== undefined)),
    ...(rsvp && { rsvp }),
    ...(targets.length > 0 && { syndicateTo: targets }),
  };
}

/**
 * Returns a post's content after the owner changed fields in the form. `before`: the previous content; absent for a new
 * post. Data that the form doesn't show, and fields that the owner didn't change, stay as they were. Status and
 * visibility become properties, as in posts from apps, unless they are `published` and `public`. `toHtml`: converts the
 * text that `markdownToConvert` returns. `zone`: the owner's time zone, for a date without an offset.
 * @throws invalid_request if the post is empty, or a date or an address is not valid
 * @throws not_editable if the owner changed text that the form can't represent
 */
export function contentOfText(
  change: Partial<PostText>,
  base: string,
  toHtml: (markdown: string) => string,
  before?: PostContent,
  zone = ownTimeZone(),
): PostContent {
  const oldText = before && writtenText(before);
  const old: Partial<PostText> = before ? { ...oldText, ...fieldsOfPost(before, base) } : {};
  const bag = new Map(bagOf(before ?? emptyContent));
  const put = (name: string, values: readonly unknown[]) =>
    values.length > 0 ? bag.set(name, values) : bag.delete(name);
  const changed = (field: keyof PostText) =>
    change[field] !== undefined && !isDeepStrictEqual(change[field], old[field]);

  const { format, text } = textAfter(change, oldText);
  const isRewritten = changed('text') || changed('format');
  if (isRewritten && before && !oldText) throw notEditable();
  if (isRewritten) put('content', storedText(text, format, toHtml));
  for (const field of ['name', 'summary'] as const)
    if (changed(field)) put(field, nonempty(change[field]?.trim()));
  for (const [field, name] of [
    ['photos', 'photo'],
    ['featured', 'featured'],
  ] as const)
    if (changed(field)) put(name, photosAfter(change[field] ?? [], before?.properties[name]));
  if (changed('categories')) {
    const others = (bag.get('category') ?? []).filter((value) => typeof value !== 'string');
    const names = new Set((change.categories ?? []).map((name) => name.trim()).filter((name) => name !== ''));
    put('category', [...names, ...others]);
  }
  if (changed('visibility'))
    put('visibility', change.visibility === 'public' ? [] : nonempty(change.visibility));
  if (changed('status')) put('post-status', change.status === 'draft' ? ['draft'] : []);
  if (changed('published'))
    put(
      'published',
      nonempty(change.published?.trim()).map((date) => dateOf(date, zone)),
    );
  for (const { field, name } of responseFields)
    if (changed(field)) put(name, nonempty(change[field]?.trim()).map(webAddress));
  if (changed('rsvp')) put('rsvp', nonempty(change.rsvp));
  if (changed('syndicateTo')) put('mp-syndicate-to', change.syndicateTo ?? []);
  if (bag.has('rsvp') && !bag.has('in-reply-to'))
    throw invalidRequest('An RSVP needs the address of the event that you answer.');

  const { content } = contentFromBag(before?.type ?? emptyContent.type, bag);
  // The owner may empty a draft to start again.
  const isOldDraft = before !== undefined && content.status === 'draft';
  if (isEmpty(content) && !isOldDraft)
    throw invalidRequest('The post is empty. Write something, or add a photo.');
  const markdown = isRewritten ? (format === 'markdown' ? text : undefined) : before?.markdown;
  return { ...content, ...optional('markdown', markdown) };
}

/** Returns a post's text and its format. Returns undefined if the editor's form can't represent the content. */
function writtenText({ properties, markdown }: PostContent): Pick<PostText, 'text' | 'format'> | undefined {
  if (markdown !== undefined) return { text: markdown, format: 'markdown' };
  const [content, ...more] = propertyValues(properties, 'content');
  if (more.length > 0) return undefined;
  const html = htmlOf(content);
  if (html !== undefined) return { text: html, format: 'html' };
  if (content === undefined || typeof content === 'string') return { text: content ?? '', format: 'plain' };
  const text = asText(content);
  return text === undefined ? undefined : { text, format: 'plain' };
}

function textAfter(
  change: Partial<PostText>,
  old: Pick<PostText, 'text' | 'format'> | undefined,
): Pick<PostText, 'text' | 'format'> {
  return { format: change.format ?? old?.format ?? 'plain', text: change.text ?? old?.text ?? '' };
}

function storedText(text: string, format: PostText['format'], toHtml: (text: string) => string): unknown[] {
  if (text.trim() === '') return [];
  if (format === 'plain') return [text.trim()];
  return [{ html: format === 'markdown' ? toHtml(text) : text }];
}

/** Returns whether a post contains nothing that a page could show. */
function isEmpty({ type, properties }: PostContent): boolean {
  return type.includes('h-entry') && !showsSomething(properties);
}

const photosOf = (values: readonly unknown[] = []): PostText['photos'] => values.flatMap(shownPhoto);

function shownPhoto(value: unknown): PostText['photos'] {
  const url = asText(value);
  const alt = isRecord(value) && typeof value['alt'] === 'string' ? value['alt'] : '';
  return url === undefined ? [] : [{ url, alt }];
}

/** Returns the new values of a property of photos. Values of unchanged photos stay, and so do those that the form can't show. */
function photosAfter(photos: PostText['photos'], old: readonly unknown[] = []): unknown[] {
  const values = photos.map(
    (photo) => old.find((value) => isDeepStrictEqual(shownPhoto(value), [photo])) ?? photoOf(photo),
  );
  return [...values, ...old.filter((value) => shownPhoto(value).length === 0)];
}

function photoOf({ url, alt }: PostText['photos'][number]): unknown {
  if (!isWebAddress(url)) throw invalidRequest('The address of a photo must begin with http:// or https://.');
  const words = alt.trim();
  return words === '' ? url : { value: url, alt: words };
}

function webAddress(url: string): string {
  if (!isWebAddress(url))
    throw invalidRequest(`“${url}” isn’t a web address. It must begin with http:// or https://.`);
  return url;
}

function dateOf(text: string, zone: string): string {
  const date = readDate(text, zone);
  if (date === undefined) throw invalidRequest(`“${text}” isn’t a date between the years 0 and 9999.`);
  return date;
}

const notEditable = () =>
  new PorchlightError(
    'not_editable',
    'An app created this post in a form that Porchlight can’t edit. Edit it in that app.',
    409,
  );

const isWebAddress = (url: string) => /^https?:\/\//i.test(url) && URL.canParse(url);
const nonempty = (text: string | undefined) => (text === undefined || text === '' ? [] : [text]);
const strings = (values: readonly unknown[] = []) => values.filter((value) => typeof value === 'string');
const optional = <K extends string>(name: K, text: string | undefined) =>
  (text === undefined ? {} : { [name]: text }) as Partial<Record<K, string>>;
