import type { Post } from '../../contract/posts.ts';
import type { Generator } from '../../contract/site-folder.ts';
import { asLink, oneLine, propertyText, propertyValues } from '../values.ts';
import { categoriesOf } from '../links.ts';
import { hasTitle, postKindOf } from '../kind.ts';
import { responseValues } from '../rendering/citation.ts';
import { titleOf, type EntryView } from '../rendering/entry.ts';
import { mediaProperties } from '../../contract/post-kinds.ts';
import { namedMedia } from '../rendering/media.ts';
import { excerpt } from '../rendering/rich-text.ts';
import { BareDate, clean, type Fields } from './front-matter.ts';
import { type FolderFacts, postDate } from './addresses.ts';

/** The URLs that a post's front matter states. */
export interface Place {
  /** The path of the post's page below the site's base address: `/posts/fog/`. */
  readonly path: string;
  /** The post's earlier paths. */
  readonly former: readonly string[];
  readonly mediaUrl: MediaUrl;
}

/** Returns the URL on the owner's site for one of this server's media files (`/media/...`). */
export type MediaUrl = (mediaPath: string) => string;

/**
 * Returns the fields of a post's file, in an order that is easy to read. If there are several generators, the file has
 * the fields that each of them needs.
 */
export function postFields(
  post: Post,
  view: EntryView,
  place: Place,
  generators: readonly Generator[],
  facts: FolderFacts = {},
): Fields {
  const { properties } = post;
  const { words, text } = view.contentOf(post);
  const date = postDate(post);
  const description = excerpt(propertyText(properties, 'summary') ?? text, 200);
  const about = {
    title: excerpt(oneLine(clean(titleOf(post, view))), 500),
    // The file always has a title, because themes need one. `untitled` marks a post that has no title itself.
    untitled: hasTitle(properties, words) ? undefined : true,
    description: description || undefined,
  };
  const tags = orNone(tagsOf(post));
  const more = {
    postType: postKindOf(post, words),
    microformat: post.type.includes('h-event') ? 'h-event' : 'h-entry',
    ...responseValues(properties, view.base),
    'read-status': propertyText(properties, 'read-status'),
    rsvp: propertyText(properties, 'rsvp'),
    start: propertyText(properties, 'start'),
    end: propertyText(properties, 'end'),
    ...mediaOf(post, view, place.mediaUrl),
    syndication: orNone(
      propertyValues(properties, 'syndication').flatMap((value) => asLink(value, view.base) ?? []),
    ),
  };
  if (generators.includes('zola')) return zolaFields(post, place, { about, date, tags, more }, facts);
  const isAstro = generators.includes('astro');
  return {
    ...about,
    ...(isAstro && { description: description || about.title, date: new BareDate(date) }),
    // Astro checks the types of fields, and its starter templates call the date `pubDate`.
    ...(isAstro ? { pubDate: new BareDate(date) } : { date }),
    lastmod: post.editedAt && (isAstro ? new BareDate(post.editedAt) : post.editedAt),
    ...Object.fromEntries(
      generators.flatMap((one) => Object.entries(addressFields(one, post, place, facts))),
    ),
    ...(post.visibility === 'unlisted' && { visibility: 'unlisted' }),
    ...audience(post),
    // In Hugo, an unlisted post has no tags, because tag pages would list it even if `build` excludes it from lists.
    tags: post.visibility === 'unlisted' && generators.includes('hugo') ? undefined : tags,
    ...more,
  };
}

/**
 * Returns the fields that set a post's URL in a generator. Also returns the fields that keep an unlisted post out of
 * lists, and that stop Jekyll from treating the text as a template.
 */
function addressFields(
  generator: Generator,
  { visibility }: Post,
  { path, former }: Place,
  facts: FolderFacts,
): Fields {
  const isUnlisted = visibility === 'unlisted';
  switch (generator) {
    case 'hugo':
      return {
        url: path,
        aliases: orNone(former),
        ...(isUnlisted && { [facts.isOldHugo === true ? '_build' : 'build']: { list: 'never' } }),
      };
    case 'jekyll':
      return {
        permalink: path,
        render_with_liquid: false,
        ...(isUnlisted && { sitemap: false }),
        ...(facts.hasRedirectFrom === true && { redirect_from: orNone(former) }),
      };
    case 'eleventy':
      return {
        // Adds `.html`, because Eleventy refuses a page without an extension. Web hosts serve `fog.html` at `fog`.
        permalink: /\/$|\.\w+$/.test(path) ? path : `${path}.html`,
        ...(isUnlisted && { eleventyExcludeFromCollections: true }),
      };
    default:
      return {};
  }
}

interface Parts {
  readonly about: Fields;
  readonly date: string;
  readonly tags: readonly string[] | undefined;
  readonly more: Fields;
}

/** Returns Zola's fields. Zola refuses unknown fields outside `extra`, and taxonomies that aren't configured. */
function zolaFields(
  post: Post,
  place: Place,
  { about, date, tags, more }: Parts,
  facts: FolderFacts,
): Fields {
  const { untitled, ...known } = about;
  const isUnlisted = post.visibility === 'unlisted';
  return {
    ...known,
    // An unlisted page gets no date. Otherwise, the page would appear in sections that are sorted by date.
    date: isUnlisted ? undefined : new BareDate(date),
    updated: post.editedAt && new BareDate(post.editedAt),
    draft: post.status === 'draft' || post.visibility === 'private' ? true : undefined,
    path: place.path,
    aliases: orNone(place.former),
    in_search_index: isUnlisted ? false : undefined,
    // An unlisted page has no tags, because tag pages would list it.
    taxonomies: facts.hasTags === true && !isUnlisted ? tags && { tags } : undefined,
    extra: {
      untitled,
      ...(isUnlisted && { visibility: 'unlisted', date: new BareDate(date) }),
      tags,
      ...more,
    },
  };
}

/** Returns fields that keep a post off the site even if somebody moves its file to another folder. */
function audience({ status, visibility }: Post): Fields {
  if (visibility === 'private') return { draft: true, published: false };
  return status === 'draft' ? { draft: true } : {};
}

/**
 * Returns the categories that can be page names. A tag that is too long for a file name, or that has only dots, would
 * make the build fail.
 */
function tagsOf(post: Post): string[] {
  const usable = categoriesOf(post).filter(
    (tag) =>
      /[^\s\p{Cc}./\\]/u.test(tag) &&
      Buffer.byteLength(tag) <= 100 &&
      // Eleventy fails on a tag with the name of a property that every object has, such as `constructor`.
      !(tag in Object.prototype),
  );
  return [...new Set(usable)];
}

function mediaOf({ properties }: Post, { base, shown }: EntryView, mediaUrl: MediaUrl): Fields {
  const named = namedMedia(properties, base);
  const lists = mediaProperties.map((property) => {
    const items = named.filter((one) => one.property === property);
    const urlOf = (url: string) => {
      const path = shown(url)?.path;
      return path === undefined ? url : mediaUrl(path);
    };
    return [
      property,
      // Hugo's own templates expect `audio` to be a list of URLs.
      orNone(items.map(({ url, alt }) => (property === 'audio' ? urlOf(url) : { url: urlOf(url), alt }))),
    ] as const;
  });
  return Object.fromEntries(lists);
}

const orNone = <T>(values: readonly T[]) => (values.length === 0 ? undefined : [...values]);
