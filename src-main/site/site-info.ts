import type { Profile, Settings } from '../contract/settings.ts';
import { asLink } from '../posts/values.ts';
import type { Html } from '../http/html.ts';
import { siteAuthor, type Author } from '../posts/rendering/author.ts';
import { ownerTimeZone } from '../posts/time-zone.ts';
import type { ServedPhoto } from '../posts/rendering/owner-photo.ts';
import { overLimit } from '../untrusted/over-limit.ts';
import type { RenderMarkdown } from '../posts/markdown-rendering.ts';
import { richMarkup, richText } from '../posts/rendering/rich-text.ts';
import type { EmbeddedView } from '../posts/rendering/embedded.ts';
import type { MediaReader, ShownMedia } from '../posts/rendering/reader.ts';

/** The owner's settings and profile data that every page of the site shows. */
export interface SiteInfo {
  readonly author: Author;
  /** The site's name: its title, or else the owner's name. */
  readonly name: string;
  readonly tagline: string;
  readonly links: Settings['site']['links'];
  /** The pages that the owner wrote, such as About. */
  readonly pages: Settings['site']['pages'];
  /** The owner's time zone (an IANA name). */
  readonly zone: string;
  /** The version of the site's icon. */
  readonly icon: string;
}

/** Returns the settings and profile data that pages show. `photo`: the owner's photo; null if there is none. */
export function siteInfo(
  site: Settings['site'],
  {
    profile,
    photo,
    base,
  }: { readonly profile: Profile; readonly photo: Pick<ServedPhoto, 'name'> | null; readonly base: string },
): SiteInfo {
  const { photo: elsewhere, ...author } = siteAuthor(profile, base);
  const picture = photo === null ? elsewhere : `${base}/photo/${photo.name}`;
  return {
    author: { ...author, ...(picture !== undefined && { photo: picture }) },
    name: site.title === '' ? author.name : site.title,
    tagline: site.tagline,
    links: site.links.flatMap(({ label, url }) => {
      const address = asLink(url, base);
      return address === undefined ? [] : [{ label, url: address }];
    }),
    pages: site.pages,
    zone: ownerTimeZone(site),
    icon: photo?.name.slice(0, 16) ?? 'lamp',
  };
}

/**
 * Returns Markdown as sanitized HTML, with the pictures that are on this server. Markdown that takes too long to convert
 * is shown as plain text.
 */
export async function markdownMarkup(
  text: string,
  {
    base,
    media,
    markdown,
    pictures,
  }: Pick<EmbeddedView, 'base' | 'pictures'> & {
    readonly media: MediaReader;
    readonly markdown: RenderMarkdown;
  },
): Promise<Html | undefined> {
  if (text.trim() === '') return undefined;
  const parts = richText(await htmlOrText(text, markdown), base) ?? [];
  const found = new Map<string, ShownMedia>();
  for (const part of parts) {
    const shown = typeof part === 'string' ? undefined : await media.shown(part.url);
    if (typeof part !== 'string' && shown !== undefined) found.set(part.url, shown);
  }
  return richMarkup(parts, { base, pictures, shown: (url) => found.get(url) });
}

async function htmlOrText(text: string, markdown: RenderMarkdown): Promise<{ html: string } | string> {
  try {
    return { html: await markdown(text, 'The page') };
  } catch (error) {
    if (overLimit(error) === undefined) throw error;
    return text;
  }
}
