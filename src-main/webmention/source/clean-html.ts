import sanitizeHtml, { type IOptions } from 'sanitize-html';
import { strictSanitizing } from '../../http/strangers/sanitizing.ts';

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
 * A stranger's HTML, made safe to show: text, links that vouch for nothing, and a little structure. No picture, no
 * recording, no style, nothing that loads or runs. Its headings stand below those of the page that shows it.
 * `base`: the page it is from. Empty where nothing is left.
 */
export function cleanHtml(markup: string, base: string): string {
  for (let length = longest; length > 1000; length = Math.floor(length / 2)) {
    const clean = sanitized(beginning(markup, length), base).trim();
    // Safe markup may be longer than what it was made from.
    if (clean.length <= longest) return clean;
  }
  return '';
}

/** At most `length` units from the start, not ending within a tag or a character reference. */
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
