import { TokenizerMode, type Token } from 'parse5';
import { BoundedTokenizer } from '../../http/strangers/page-document.ts';
import { resolvedBase } from '../../http/strangers/page-mending.ts';

/** The attributes by which an element links something else (Webmention 3.2.2). */
const linking: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  area: ['href'],
  link: ['href'],
  img: ['src', 'srcset'],
  source: ['src', 'srcset'],
  video: ['src', 'poster'],
  audio: ['src'],
  track: ['src'],
  embed: ['src'],
  iframe: ['src'],
  object: ['data'],
  blockquote: ['cite'],
  q: ['cite'],
  ins: ['cite'],
  del: ['cite'],
};

/**
 * Elements whose content is plain text, even if it looks like markup. Noscript is not among them, because readers
 * without scripts see its content as markup.
 */
const textModes: Readonly<Record<string, BoundedTokenizer['state']>> = {
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  style: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  plaintext: TokenizerMode.PLAINTEXT,
};

/**
 * The most links to read from a page, as many as it may have elements. A page with more links isn't meant for people.
 */
const mostLinks = 20_000;

export interface ScannedLink {
  /** The link as the page spells it. */
  readonly value: string;
  /** The resolved URL; absent if `value` isn't a valid one. */
  readonly url?: string;
  /** The link's position in the page's `text`. */
  readonly at: number;
}

export interface ScannedHtml {
  readonly links: readonly ScannedLink[];
  /** The text that a reader sees. */
  readonly text: string;
  /** The HTTP status that a meta element claims: `<meta http-equiv="status" content="410 Gone">`. */
  readonly status?: number;
}

/**
 * Finds the links of a page, token by token. Builds no tree, so deep nesting and malformed markup do no harm, and the
 * time is proportional to the length. Links in comments, text and templates don't count. `url`: the page's own URL.
 * @throws Error for a tag with hundreds of attributes.
 */
export function scanHtml(html: string, url: string): ScannedHtml {
  const found: { value: string; at: number }[] = [];
  const text: string[] = [];
  let length = 0;
  let base: string | undefined;
  let status: number | undefined;
  let templates = 0;
  let foreign = 0;
  let inText = false;

  const addText = (chars: string): void => {
    if (inText || templates > 0) return;
    text.push(chars);
    length += chars.length;
  };
  const onStartTag = (token: Token.TagToken): void => {
    const { tagName, selfClosing } = token;
    const attribute = (name: string) => token.attrs.find((each) => each.name === name)?.value;
    if (tagName === 'svg' || tagName === 'math') foreign += selfClosing ? 0 : 1;
    const mode = Object.hasOwn(textModes, tagName) && foreign === 0 ? textModes[tagName] : undefined;
    if (mode !== undefined) {
      tokenizer.state = mode;
      inText = true;
    }
    if (tagName === 'template') templates += 1;
    if (templates > 0) return;
    if (tagName === 'base') base ??= attribute('href');
    if (tagName === 'meta' && attribute('http-equiv')?.trim().toLowerCase() === 'status') {
      status ??= Number(/^\s*(\d{3})\b/.exec(attribute('content') ?? '')?.[1] ?? 200);
    }
    for (const name of Object.hasOwn(linking, tagName) ? (linking[tagName] ?? []) : []) {
      const value = attribute(name);
      if (value === undefined) continue;
      const room = mostLinks - found.length;
      const values = name === 'srcset' ? value.split(/,?\s+/, room) : [value].slice(0, room);
      for (const each of values) found.push({ value: each.trim(), at: length });
    }
    if (!inline.has(tagName)) addText('\n');
  };
  const onEndTag = ({ tagName }: Token.TagToken): void => {
    inText = false;
    if (tagName === 'template') templates = Math.max(0, templates - 1);
    if (tagName === 'svg' || tagName === 'math') foreign = Math.max(0, foreign - 1);
  };
  const nothing = (): void => undefined;
  const tokenizer = new BoundedTokenizer(
    {},
    {
      onStartTag,
      onEndTag,
      onCharacter: ({ chars }) => addText(chars),
      onWhitespaceCharacter: ({ chars }) => addText(chars),
      onNullCharacter: nothing,
      onComment: nothing,
      onDoctype: nothing,
      onEof: nothing,
    },
  );
  tokenizer.write(html, true);

  const from = resolvedBase(base, url);
  const links = found.map(({ value, at }) => {
    return URL.canParse(value, from) ? { value, at, url: new URL(value, from).href } : { value, at };
  });
  return { links, text: text.join(''), ...(status !== undefined && { status }) };
}

const inline = new Set(
  'a abbr b bdi cite code em font i kbd mark q s samp small span strong sub sup u var wbr'.split(' '),
);
