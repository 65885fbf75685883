import sanitizeHtml, { type IOptions } from 'sanitize-html';
import type { CitedPage } from '../posts/links.ts';
import { visibleText } from '../untrusted/pages/html-scan.ts';
import { strictSanitizing } from '../untrusted/pages/sanitizing.ts';
import { cleanLine, cleanText, mostBytes } from './mention-limits.ts';
import type { MentionAuthor, SourceFacts } from './mention.ts';

const longestName = 500;
/** The maximum length of a mention's text. Longer text is shortened when it is stored, and marked as shortened. */
const longestText = mostBytes;
const longestWebAddress = 4096;
const mostAddresses = 20;
const longestAnswer = 20;
const longestAlt = 1500;

/**
 * Returns what a mention says, cleaned: HTML without anything that loads content or runs code, addresses of the web only,
 * names on one line, dates that exist, and limited lengths. Leaves out what is not usable. Everything that says something
 * about a mention goes through this: a source, an aggregator, an export, a backup, and once more what is given out.
 * Cleaning twice changes nothing. `base`: the URL of the source page.
 */
export function cleanFacts(said: SourceFacts, base: string): SourceFacts {
  const { type, property, rsvp, photoAlt, shortened } = said;
  const published = isoMoment(said.published ?? '');
  const url = webAddress(said.url);
  const name = cleanLine(said.name ?? '', longestName);
  const author = said.author && cleanAuthor(said.author);
  const content = said.content && cleanContent(said.content, base);
  const photos = addresses(said, 'photo');
  const alt = photos.photo === undefined ? '' : cleanLine(photoAlt ?? '', longestAlt);
  return {
    type,
    property,
    ...(published !== undefined && { published }),
    ...(url !== undefined && { url }),
    ...(name !== '' && { name }),
    ...(author && { author }),
    ...(content && { content }),
    ...(rsvp !== undefined && { rsvp: cleanLine(rsvp, longestAnswer).toLowerCase() }),
    ...addresses(said, 'syndication'),
    ...photos,
    ...(alt !== '' && { photoAlt: alt }),
    ...addresses(said, 'video'),
    ...addresses(said, 'audio'),
    ...(shortened && { shortened: shortened.filter((one) => shortenable.has(one)) }),
  };
}

const shortenable = new Set(
  'published url name author content rsvp syndication photo photoAlt video audio'.split(' '),
);

/** Returns the HTML and the text of a mention, cleaned; undefined if nothing is left. */
export function cleanContent(
  { html = '', value }: { readonly html?: string; readonly value?: string },
  base: string,
): SourceFacts['content'] {
  const markup = cleanHtml(html, base);
  const said = cleanText(value ?? '', longestText);
  const text = said === '' ? cleanText(visibleText(markup), longestText) : said;
  return text === '' && markup === '' ? undefined : { ...(markup !== '' && { html: markup }), value: text };
}

function cleanAuthor({ name, url, photo }: MentionAuthor): MentionAuthor | undefined {
  const author = {
    name: cleanLine(name, longestName),
    url: webAddress(url) ?? '',
    photo: webAddress(photo) ?? '',
  };
  return author.name + author.url + author.photo === '' ? undefined : author;
}

type Listed = 'syndication' | 'photo' | 'video' | 'audio';

function addresses(said: SourceFacts, name: Listed): Partial<Record<Listed, string[]>> {
  const all = (said[name] ?? []).flatMap((each) => webAddress(each) ?? []);
  return all.length === 0 ? {} : { [name]: [...new Set(all)].slice(0, mostAddresses) };
}

const longestTitle = 200;
const longestExcerpt = 600;

/** Returns what is known of a page that a post responds to, cleaned; undefined if nothing is left. */
export function cleanCited({ name, author, text, published }: CitedPage): CitedPage | undefined {
  const heading = cleanLine(name ?? '', longestTitle);
  const by = author && cleanAuthor({ ...author, photo: '' });
  const excerpt = cleanText(text ?? '', longestExcerpt);
  const moment = isoMoment(published ?? '');
  const cited: CitedPage = {
    ...(heading !== '' && { name: heading }),
    ...(by && by.name !== '' && { author: { name: by.name, url: by.url } }),
    ...(excerpt !== '' && { text: excerpt }),
    ...(moment !== undefined && { published: moment }),
  };
  return Object.keys(cited).length === 0 ? undefined : cited;
}

/**
 * Returns a web address in its original spelling, because that spelling is part of a mention's key. Returns undefined
 * if the value isn't a web address.
 */
export function webAddress(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > longestWebAddress || !URL.canParse(text)) return undefined;
  return /^https?:$/.test(new URL(text).protocol) ? text : undefined;
}

const longestHtml = 50_000;

const inline = 'a abbr b bdi cite code del dfn em i ins kbd mark q s samp small strong sub sup u var';
const blocks = 'blockquote dd dl dt h3 h4 h5 h6 li ol p pre ul';
const empty = 'br hr wbr';
const rel = 'nofollow ugc noopener';

const allowed: IOptions = {
  ...strictSanitizing,
  allowedTags: `${inline} ${blocks} ${empty}`.split(' '),
  allowedAttributes: { '*': ['dir', 'lang'], a: ['href', 'rel'], abbr: ['title'] },
  allowedSchemes: ['http', 'https'],
};

/**
 * Makes a stranger's HTML safe to show. Keeps text, links (marked nofollow) and simple structure. Removes pictures,
 * audio, video, styles, and anything that loads content or runs code. Lowers headings to levels below those of our own
 * page. `base`: the URL of the source page. Returns an empty string if nothing is left.
 */
export function cleanHtml(markup: string, base: string): string {
  if (isCleanHtml(markup)) return markup;
  const text = markup.replaceAll('\0', '');
  for (let length = longestHtml; length > 1000; length = Math.floor(length / 2)) {
    const clean = sanitized(beginning(text, length), base).trim();
    // Sanitized markup can be longer than the original.
    if (clean.length <= longestHtml) return clean;
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
      a(tagName, { href, dir, lang }) {
        const link = href !== undefined && URL.canParse(href, base) ? new URL(href, base).href : '';
        return {
          tagName,
          attribs: {
            ...(/^https?:/.test(link) && { href: link, rel }),
            ...(dir !== undefined && { dir }),
            ...(lang !== undefined && { lang }),
          },
        };
      },
    },
  });
}

/** Matches a tag exactly as the sanitizer writes those of `allowed`. */
const cleanTag = new RegExp(
  '<(?:' +
    [
      `(?:${empty.replaceAll(' ', '|')})(?: (?:dir|lang)="[^"<>]*")* /`,
      `/(?<close>${`${inline} ${blocks}`.replaceAll(' ', '|')})`,
      `(?<open>${`${inline} ${blocks}`.replaceAll(' ', '|')})(?: href="https?://[^"<>]*" rel="${rel}")?(?: (?:dir|lang|title)="[^"<>]*")*`,
    ].join('|') +
    ')>',
  'y',
);

/** Matches what the sanitizer writes in another way in text. */
const unescaped = new RegExp('[>\\u0000]|&(?!(?:amp|lt|gt|quot);)');

/**
 * Returns whether markup has the form of what `cleanHtml` returns. Sanitizing takes about a hundred times as long, and
 * nearly everything that is stored or given out was cleaned before.
 */
function isCleanHtml(markup: string): boolean {
  if (markup.length > longestHtml || markup !== markup.trim()) return false;
  const open: (string | undefined)[] = [];
  for (let at = markup.indexOf('<'); at !== -1; at = markup.indexOf('<', cleanTag.lastIndex)) {
    cleanTag.lastIndex = at;
    const found = cleanTag.exec(markup)?.groups;
    if (found === undefined) return false;
    if (found['open'] !== undefined) open.push(found['open']);
    else if (found['close'] !== undefined && open.pop() !== found['close']) return false;
    if (open.length > strictSanitizing.nestingLimit) return false;
  }
  return open.length === 0 && !unescaped.test(markup.replace(/<[^<>]*>/g, ''));
}

const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Returns a source's date as ISO 8601, with its own offset if it has one; undefined if it isn't a date. */
export function isoMoment(text: string): string | undefined {
  const trimmed = text.trim();
  const parts = trimmed.length <= 40 ? iso.exec(trimmed) : null;
  if (!parts) return undefined;
  const [year, month, day, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part || 0));
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists || hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = parts[7];
  if (offset === undefined) return trimmed.replace(' ', 'T').trim();
  const [hours = 0, minutes = 0] = (offset.match(/\d{2}/g) ?? []).map(Number);
  if (hours > 23 || minutes > 59) return undefined;
  const moment = trimmed.slice(0, -offset.length).trim().replace(' ', 'T');
  return (
    moment +
    (/^z$/i.test(offset)
      ? 'Z'
      : offset.replace(/^(.\d{2}):?(\d{2})?$/, (_, h: string, m = '00') => `${h}:${String(m)}`))
  );
}
