import sanitizeHtml, { type IOptions } from 'sanitize-html';
import { html, type Html } from '../http/html.ts';
import { strictSanitizing } from '../untrusted/pages/sanitizing.ts';
import { isTitle } from '../posts/kind.ts';
import { createRecent } from '../storage/recent.ts';
import type { SiteResponse } from '../posts/rendering/reader.ts';
import { excerpt } from '../posts/rendering/words.ts';

/** Untrusted text from another site, converted for display on a page. */
export interface StrangersText {
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
