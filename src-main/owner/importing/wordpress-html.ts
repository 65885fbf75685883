const block =
  /^\s*<\/?(?:address|article|aside|blockquote|details|div|dl|fieldset|figure|footer|form|h[1-6]|header|hr|iframe|main|nav|ol|p|pre|section|table|ul|video|audio)\b/i;

/** Returns the HTML of a WordPress post as a page shows it: without editor comments, and with paragraphs. */
export function wordpressHtml(stored: string): string {
  const html = withCaptions(stored.replaceAll('\r\n', '\n'));
  const isFromBlocks = html.includes('<!-- wp:');
  const clean = withoutComments(html).trim();
  return isFromBlocks ? clean : withParagraphs(clean);
}

function withoutComments(html: string): string {
  let clean = '';
  let at = 0;
  for (;;) {
    const start = html.indexOf('<!--', at);
    const end = start === -1 ? -1 : html.indexOf('-->', start + 4);
    if (end === -1) return clean + html.slice(at);
    clean += html.slice(at, start);
    at = end + 3;
  }
}

/** Adds <p> elements. WordPress's older editor stores no <p> elements, and separates paragraphs only by blank lines. */
function withParagraphs(html: string): string {
  // Blank lines in preformatted text and scripts are not paragraphs.
  if (/<(?:pre|script|style|textarea)\b/i.test(html)) return html;
  return html
    .split(/\n[ \t]*\n\s*/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (block.test(part) ? part : `<p>${part.replaceAll('\n', '<br>\n')}</p>`))
    .join('\n');
}

/** Converts the `[caption]` shortcode of a picture to a figure. */
function withCaptions(html: string): string {
  if (!html.includes('[caption')) return html;
  return html
    .split('[caption')
    .map((part, index) => {
      const found =
        index === 0
          ? null
          : /^[^\]]{0,1000}\]\s*((?:<a\b[^>]*>\s*)?<img\b[^>]*>(?:\s*<\/a>)?)([^[]*)\[\/caption\]/.exec(part);
      if (found === null) return index === 0 ? part : `[caption${part}`;
      const [whole, picture = '', words = ''] = found;
      return `<figure>${picture}<figcaption>${words.trim()}</figcaption></figure>${part.slice(whole.length)}`;
    })
    .join('');
}
