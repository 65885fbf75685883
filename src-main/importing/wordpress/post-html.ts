import { longestText } from '../formats/reader.ts';
import { isWebUrl } from '../found-post.ts';
import { escapedHtml, framedPage, sourceIn, unshownWords, videoSites } from '../html.ts';
import { linkTo, writtenHtml } from './paragraphs.ts';
import { type OpenShortcode, type Piece, piecesOf, type ShortcodeAttributes } from './pieces.ts';

/** The HTML of a WordPress post, and what the post loses, in words for the report. */
interface WordpressHtml {
  readonly html: string;
  readonly lost: readonly string[];
}

/**
 * Returns the HTML of a WordPress post as a page shows it: without editor comments, with paragraphs, and with HTML in
 * place of shortcodes. `post`: the post's ID. The time is proportional to the length of the HTML.
 */
export function wordpressHtml(stored: string, post: string, attachments: Attachments): WordpressHtml {
  const source = stored.replaceAll('\r\n', '\n');
  const isClassic = !source.includes('<!-- wp:');
  const lost: string[] = [];
  const html = withoutComments(source, lost).trim();
  const pieces = withLargePictures(withoutFrames(piecesOf(html), lost));
  const written = new Shortcodes(pieces, { html, post, attachments, lost }).replaced();
  return { html: writtenHtml(written, { isClassic }), lost };
}

/** Removes comments. Some blocks consist of a comment only, because WordPress computes what they show. */
function withoutComments(html: string, lost: string[]): string {
  let clean = '';
  let at = 0;
  for (;;) {
    const start = html.indexOf('<!--', at);
    const end = start === -1 ? -1 : html.indexOf('-->', start + 4);
    if (end === -1) return clean + html.slice(at);
    clean += html.slice(at, start);
    at = end + 3;
    const block =
      html[end - 1] === '/' ? /^<!--\s{0,9}wp:([\w/-]{1,60})/.exec(html.slice(start, start + 80)) : null;
    if (block?.[1] !== undefined) lost.push(`the block “${block[1]}”`);
  }
}

/** Replaces embedded pages with links to them. Adds the elements that no page of Porchlight shows to `lost`. */
function withoutFrames(pieces: readonly Piece[], lost: string[]): Piece[] {
  return pieces.map((piece) => {
    if (piece.kind !== 'kept' && (piece.kind !== 'tag' || piece.isEnd)) return piece;
    const { name, source } = piece;
    const words = unshownWords(name);
    // Old pages have an embed element in each object element.
    if (words === undefined || name === 'object') return piece;
    const url = name === 'iframe' || name === 'embed' ? framedPage(sourceIn(source)) : undefined;
    if (url === undefined) lost.push(words);
    if (name !== 'iframe' && name !== 'embed') return piece;
    const link = url === undefined ? '' : linkTo(escapedHtml(url));
    return { kind: 'kept', name: 'span', source: link, isBlock: false };
  });
}

/**
 * Replaces each picture that links to a larger version of itself with that version: WordPress stores the small version
 * and a link to the file that was uploaded. Here, Porchlight makes smaller versions itself.
 */
function withLargePictures(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index];
    if (!piece) break;
    const inLink = isTag(piece, 'a') ? [1, 2, 3, 4].map((step) => pieces[index + step]) : [];
    const content = inLink.filter((part) => !isBlank(part));
    const large = isTag(content[1], 'a', true) ? largePicture(piece.source, content[0]) : undefined;
    result.push(large ?? piece);
    if (large) index = pieces.indexOf(content[1] ?? piece, index);
  }
  return result;
}

/** Returns the picture to which a link leads, if it is on the same site as the picture in the link. */
function largePicture(link: string, picture: Piece | undefined): Piece | undefined {
  if (!isTag(picture, 'img') || picture === undefined) return undefined;
  const [url, source] = [attributeIn(link, 'href'), attributeIn(picture.source, 'src')].map(
    (text) => text?.replace(/&(?:amp|#0?38);/g, '&') ?? '',
  );
  const hostIn = (text = '') => (isWebUrl(text) ? new URL(text).host.replace(/^www\./, '') : undefined);
  if (!isWebUrl(url) || hostIn(url) !== hostIn(source) || !pictures.has(extensionOf(url))) return undefined;
  const alt = (attributeIn(picture.source, 'alt') ?? '').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return { kind: 'tag', name: 'img', isEnd: false, source: `<img src="${escapedHtml(url)}" alt="${alt}">` };
}

/** Returns an attribute of a tag as it is written; undefined if the tag doesn't have it. */
function attributeIn(tag: string, name: 'href' | 'src' | 'alt'): string | undefined {
  const pattern = new RegExp(`\\s${name}\\s{0,9}=\\s{0,9}(?:"([^"]*)"|'([^']*)')`, 'i');
  const [, double, single] = pattern.exec(tag.slice(0, 10_000)) ?? [];
  return double ?? single;
}

const isBlank = (piece: Piece | undefined) => piece?.kind === 'text' && piece.source.trim() === '';
const isTag = (piece: Piece | undefined, name: string, isEnd = false) =>
  piece?.kind === 'tag' && piece.name === name && piece.isEnd === isEnd;

/** The attachments of a WordPress export, by ID, and the IDs of the attachments of each post. */
export interface Attachments {
  readonly byId: ReadonlyMap<string, Attachment>;
  readonly ofPost: ReadonlyMap<string, readonly string[]>;
}

/** Shortcodes that WordPress or a common plugin always replaces. */
const known = new Set(
  (
    'audio caption contact-field contact-form contact-form-7 display-posts embed gallery playlist ' +
    'blog_subscription_form toc video wp_caption'
  ).split(' '),
);
/** Shortcodes whose content is the source text of a program. */
const codeNames = new Set(
  'code sourcecode source bash c cpp csharp css html java javascript js php plain python ruby shell sql xml'.split(
    ' ',
  ),
);
const longestUrl = 4096;
const captions = new Set(['caption', 'wp_caption']);

interface ShortcodeContext {
  readonly html: string;
  readonly post: string;
  readonly attachments: Attachments;
  readonly lost: string[];
}

/**
 * Replaces the shortcodes in the pieces of a post with HTML. Removes the tags of other shortcodes, keeps what they
 * enclose, and adds them to `lost`. `html`: the HTML to which the pieces belong. `post`: the post's ID. Text in brackets
 * that WordPress would show stays.
 */
class Shortcodes {
  readonly #pieces: readonly Piece[];
  readonly #context: ShortcodeContext;
  readonly #ends: ReadonlyMap<number, number>;
  readonly #opened = new Set<string>();
  /** How many characters the attachments of galleries have added. */
  #added = 0;

  constructor(pieces: readonly Piece[], context: ShortcodeContext) {
    this.#pieces = pieces;
    this.#context = context;
    this.#ends = matchingEnds(pieces);
  }

  replaced(): Piece[] {
    return this.#piecesBetween(0, this.#pieces.length, true);
  }

  /** Converts the pieces between two places. No shortcode in them encloses another one that is converted to HTML. */
  #piecesBetween(from: number, to: number, isOuter = false): Piece[] {
    const result: Piece[] = [];
    const add = (piece: Piece) => {
      const last = result.at(-1);
      if (piece.kind === 'text' && last?.kind === 'text')
        result[result.length - 1] = { kind: 'text', source: last.source + piece.source };
      else if (piece.source !== '') result.push(piece);
    };
    for (let index = from; index < to; index += 1) {
      const piece = this.#pieces[index];
      if (!piece) break;
      if (piece.kind === 'close') {
        if (!this.#opened.has(piece.name) && !known.has(piece.name))
          add({ kind: 'text', source: piece.source });
        continue;
      }
      if (piece.kind !== 'open') {
        add(piece);
        continue;
      }
      const shortcode = isRendered(piece, this.#ends.has(index), this.#context.html) ? piece : undefined;
      if (!shortcode || shortcode.isEscaped) {
        const source = shortcode ? piece.source.slice(1, -1) : piece.source;
        add({ kind: 'text', source });
        continue;
      }
      this.#opened.add(shortcode.name);
      const end = this.#ends.get(index);
      const isWhole = isOuter && end !== undefined && end < to;
      const enclosing = isWhole ? this.#enclosingHtml(shortcode, index, end) : undefined;
      const replaced = enclosing ?? this.#single(shortcode, isWhole);
      if (replaced) add(replaced);
      else this.#context.lost.push(`the shortcode [${shortcode.name}]`);
      if (enclosing && end !== undefined) index = end;
    }
    return result;
  }

  /** Returns what replaces a shortcode and all that it encloses; undefined if its content stays. */
  #enclosingHtml(shortcode: OpenShortcode, index: number, end: number): Piece | undefined {
    const { name, source, at } = shortcode;
    if (captions.has(name)) return this.#captioned(shortcode, index, end);
    if (codeNames.has(name)) {
      const close = this.#pieces[end];
      if (close?.kind !== 'close') return undefined;
      const code = this.#context.html
        .slice(at + source.length, close.at)
        .replace(/^[^\S\n]*\n|\n[^\S\n]*$/g, '');
      const shown = code.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      return { kind: 'kept', name: 'pre', source: `<pre><code>${shown}</code></pre>`, isBlock: true };
    }
    const close = this.#pieces[end];
    if (name !== 'embed' || close?.kind !== 'close') return undefined;
    const url = this.#context.html
      .slice(at + source.length, Math.min(close.at, at + source.length + longestUrl))
      .trim();
    return /^https?:\/\/[^\s<>"'[\]]+$/i.test(url) ? inline(linkTo(url)) : undefined;
  }

  /** Converts a caption with its picture to a figure. The caption is an attribute, or follows the picture. */
  #captioned({ attributes }: OpenShortcode, index: number, end: number): Piece {
    const content = this.#piecesBetween(index + 1, end);
    let at = 0;
    const skipBlank = () => {
      while (isBlank(content[at])) at += 1;
    };
    skipBlank();
    const isLinked = isTag(content[at], 'a');
    if (isLinked) at += 1;
    skipBlank();
    const hasPicture = isTag(content[at], 'img');
    at = hasPicture ? at + 1 : 0;
    if (isLinked && hasPicture) {
      skipBlank();
      if (isTag(content[at], 'a', true)) at += 1;
    }
    const written = (parts: readonly Piece[]) =>
      parts
        .map(({ source }) => source)
        .join('')
        .trim();
    const given = attributes.named.get('caption');
    const picture = written(hasPicture && given === undefined ? content.slice(0, at) : content);
    const words = (given ?? (hasPicture ? written(content.slice(at)) : '')).trim();
    const figcaption = words === '' ? '' : `<figcaption>${words}</figcaption>`;
    return {
      kind: 'kept',
      name: 'figure',
      source: `<figure>${picture}${figcaption}</figure>`,
      isBlock: true,
    };
  }

  /** Returns what replaces the tag of a shortcode; undefined if it can't be replaced. */
  #single(shortcode: OpenShortcode, hasContent: boolean): Piece | undefined {
    const { name, attributes } = shortcode;
    if (captions.has(name) || (name === 'embed' && hasContent)) return inline('');
    if (name === 'gallery' || name === 'playlist') return this.#galleryOf(shortcode);
    if (name === 'audio' || name === 'video') {
      const urls = [
        ...attributes.named.values(),
        ...attributes.bare.map((value) => value.split('|')[0] ?? ''),
      ];
      const url = urls.find(isWebUrl);
      return url === undefined
        ? undefined
        : inline(`<${name} src="${attributeValue(url)}" controls></${name}>`);
    }
    const url = embeddedUrl(name, attributes);
    if (url !== undefined) return inline(linkTo(attributeValue(url)));
    return hasContent && embedNames.has(name) ? inline('') : undefined;
  }

  #galleryOf({ name, attributes: { named } }: OpenShortcode): Piece | undefined {
    if (this.#added > longestText) return inline('');
    const listed = (attribute: string) =>
      named
        .get(attribute)
        ?.split(/[\s,]+/)
        .filter((id) => id !== '');
    const left = new Set(listed('exclude'));
    const given = listed('ids') ?? listed('include');
    const ids = given ?? this.#context.attachments.ofPost.get(named.get('id') ?? this.#context.post) ?? [];
    const files: string[] = [];
    let missing = 0;
    for (const id of ids) {
      const attachment = left.has(id) ? undefined : this.#context.attachments.byId.get(id);
      const file = attachment && (name === 'gallery' ? pictureHtml(attachment) : fileHtml(attachment));
      if (file === undefined) missing += given && !left.has(id) ? 1 : 0;
      else files.push(file);
      this.#added += file?.length ?? 0;
      // The post is too long then, and is skipped.
      if (this.#added > longestText) break;
    }
    if (files.length > 0 && missing > 0)
      this.#context.lost.push(
        `${missing} ${missing === 1 ? 'file' : 'files'} of a ${name}, which the archive doesn’t contain`,
      );
    return files.length === 0
      ? undefined
      : { kind: 'kept', name: 'figure', source: files.join('\n'), isBlock: true };
  }
}

const inline = (source: string): Piece => ({ kind: 'kept', name: 'span', source, isBlock: false });
/** Escapes a URL from an attribute, which may or may not be escaped already. */
const attributeValue = (url: string) => escapedHtml(url.replace(/&(?:amp|#0?38);/g, '&'));

/** Returns the index of the end tag of each shortcode that has one: the next one with its name, as in WordPress. */
function matchingEnds(pieces: readonly Piece[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const next = new Map<string, number>();
  for (let index = pieces.length - 1; index >= 0; index -= 1) {
    const piece = pieces[index];
    if (piece?.kind === 'close') next.set(piece.name, index);
    const end = piece?.kind === 'open' && !piece.isSelfClosing ? next.get(piece.name) : undefined;
    if (end !== undefined) ends.set(index, end);
  }
  return ends;
}

/**
 * Returns whether WordPress would probably replace a shortcode. It knows the names of its shortcodes, but an export
 * doesn't list them.
 */
function isRendered(shortcode: OpenShortcode, hasEnd: boolean, html: string): boolean {
  const { name, attributes, isSelfClosing, at, source } = shortcode;
  const { named, bare, hasQuotes } = attributes;
  if (known.has(name) && bare.every(isWebUrlStart)) return true;
  if (embedNames.has(name) && (hasEnd || named.size + bare.length > 0)) return true;
  if (name !== name.toLowerCase()) return false;
  const isWordOnly = named.size + bare.length === 0;
  if (isWordOnly && html[at + source.length] === '(') return false;
  if (hasEnd || isSelfClosing || hasQuotes) return true;
  if (bare.length === 0 && !remarks.has(name) && isParagraph(html, at, at + source.length)) return true;
  if (!/[_-]/.test(name)) return false;
  return named.size > 0 || (isWordOnly && name.includes('_') && !/[\w\])]/.test(html[at - 1] ?? ' '));
}

/** Words in brackets that writers put into a paragraph of their own. */
const remarks = new Set(
  'applause break continued deleted edit end ellipsis laughter music omitted pause redacted sic snip spoiler update'.split(
    ' ',
  ),
);

const blockTag = '</?(?:p|div|section|center|blockquote|figure|li|ul|ol|td|table|pre|h[1-6])\\b[^<>]{0,500}>';
const startOfParagraph = new RegExp(`(?:^|\\n[^\\S\\n]*\\n|${blockTag})\\s*$`, 'i');
const endOfParagraph = new RegExp(`^\\s*?(?:$|\\n[^\\S\\n]*\\n|${blockTag})`, 'i');
/** How much is read around a shortcode, in characters. */
const near = 600;

/** Returns whether a part of the HTML of a post is a paragraph of its own. */
function isParagraph(html: string, from: number, to: number): boolean {
  // A character in place of what is cut off, which isn't the start or the end of the HTML.
  const before = (from > near ? '.' : '') + html.slice(Math.max(0, from - near), from);
  const after = html.slice(to, to + near) + (to + near < html.length ? '.' : '');
  return startOfParagraph.test(before) && endOfParagraph.test(after);
}

const isWebUrlStart = (value: string) => /^https?:\/\//i.test(value);

/** An uploaded file of a WordPress site. `caption`: HTML. */
export interface Attachment {
  readonly url: string;
  readonly alt: string;
  readonly caption: string;
}

const extensionOf = (url: string) => /\.(\w{1,5})$/.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? '';
const pictures = new Set('avif bmp gif heic jpe jpeg jpg png svg tif tiff webp'.split(' '));
const videos = new Set('avi m4v mov mp4 mpeg mpg ogv webm'.split(' '));
const recordings = new Set('aac flac m4a mp3 oga ogg opus wav'.split(' '));

/** Returns a figure with a picture of a gallery; undefined if the file isn't a picture. */
function pictureHtml({ url, alt, caption }: Attachment): string | undefined {
  if (!pictures.has(extensionOf(url))) return undefined;
  const words = caption === '' ? '' : `<figcaption>${caption}</figcaption>`;
  return `<figure><img src="${escapedHtml(url)}" alt="${escapedHtml(alt)}">${words}</figure>`;
}

/** Returns the HTML of a recording in a playlist; undefined if the file is neither a video nor audio. */
function fileHtml({ url }: Attachment): string | undefined {
  const extension = extensionOf(url);
  const name = videos.has(extension) ? 'video' : recordings.has(extension) ? 'audio' : undefined;
  return name && `<${name} src="${escapedHtml(url)}" controls></${name}>`;
}

/** The shortcodes that show another site's page. */
const embedNames: ReadonlySet<string> = new Set(
  (
    'bandcamp dailymotion embed embedyt facebook flickr gist googlemaps googlevideo instagram mixcloud scribd ' +
    'slideshare soundcloud spotify ted tweet twitter vimeo youtube'
  ).split(' '),
);

/** Returns the URL of the page that a shortcode shows; undefined if there is none. */
function embeddedUrl(name: string, { named, bare }: ShortcodeAttributes): string | undefined {
  if (!embedNames.has(name)) return undefined;
  const values = [...named.values(), ...bare];
  const url = values.find(isWebUrl);
  const video = Object.hasOwn(videoSites, name) ? videoSites[name as keyof typeof videoSites] : undefined;
  const id = video && [named.get('id') ?? '', ...bare].find((value) => video.id.test(value));
  return url ?? (video && id !== undefined ? video.page + id : undefined);
}
