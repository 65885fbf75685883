import sanitizeHtml, { type IOptions } from 'sanitize-html';
import { strictSanitizing } from '../../../untrusted/pages/sanitizing.ts';

const longest = 50_000;

const inline = 'a abbr b bdi br cite code del dfn em i ins kbd mark q s samp small strong sub sup u var wbr';
const blocks = 'blockquote dd dl dt h3 h4 h5 h6 hr li ol p pre ul';

const allowed: IOptions = {
  ...strictSanitizing,
  allowedTags: `${inline} ${blocks}`.split(' '),
  allowedAttributes: { '*': ['dir', 'lang'], a: ['href', 'rel'], abbr: ['title'] },
  allowedSchemes: ['http', 'https'],
};

/**
 * Makes a stranger's HTML safe to show. Keeps text, links (marked nofollow) and simple structure. Removes pictures,
 * audio, video, styles, and anything that loads content or runs code. Lowers headings to levels below those of our own
 * page. `base`: the URL of the source page. Returns an empty string if nothing is left.
 */
export function cleanHtml(markup: string, base: string): string {
  for (let length = longest; length > 1000; length = Math.floor(length / 2)) {
    const clean = sanitized(beginning(markup, length), base).trim();
    // Sanitized markup can be longer than the original.
    if (clean.length <= longest) return clean;
  }
  return '';
}

/**
 * Returns at most the first `length` UTF-16 units of the markup, without ending inside a tag or a character reference.
 */
function beginning(markup: string, length: number): string {
  return markup.length <= length ? markup : markup.slice(0, length).replace(/[<&][^<>&;]*$/, '');
}

function sanitized(markup: string, base: string): string {
  return sanitizeHtml(markup, {
    ...allowed,
    transformTags: {
      h1: 'h3',
      h2: 'h3',
      div: 'p',
      a: (tagName, { href = '', dir, lang }) => ({
        tagName,
        attribs: {
          ...(URL.canParse(href, base) && { href: new URL(href, base).href, rel: 'nofollow ugc noopener' }),
          ...(dir !== undefined && { dir }),
          ...(lang !== undefined && { lang }),
        },
      }),
    },
  });
}
