/** The attributes of a shortcode: those with a name (in lower case), and the values without one. */
export interface ShortcodeAttributes {
  readonly named: ReadonlyMap<string, string>;
  readonly bare: readonly string[];
  readonly hasQuotes: boolean;
}

export interface OpenShortcode {
  readonly kind: 'open';
  readonly source: string;
  /** Where the piece begins in the HTML. */
  readonly at: number;
  readonly name: string;
  readonly attributes: ShortcodeAttributes;
  readonly isSelfClosing: boolean;
  /** Whether the shortcode has doubled brackets, with which WordPress shows it as text. */
  readonly isEscaped: boolean;
}

/**
 * A piece of a WordPress post. `kept`: HTML that stays as it is, such as preformatted text. `open` and `close`: what
 * looks like the tags of a shortcode.
 */
export type Piece =
  | { readonly kind: 'text'; readonly source: string }
  | { readonly kind: 'tag'; readonly source: string; readonly name: string; readonly isEnd: boolean }
  | { readonly kind: 'kept'; readonly source: string; readonly name: string; readonly isBlock: boolean }
  | OpenShortcode
  | { readonly kind: 'close'; readonly source: string; readonly at: number; readonly name: string };

/** The elements whose content has neither paragraphs nor shortcodes. */
const keptNames: Readonly<Record<string, { isBlock: boolean }>> = {
  pre: { isBlock: true },
  script: { isBlock: true },
  style: { isBlock: true },
  code: { isBlock: false },
  iframe: { isBlock: false },
  textarea: { isBlock: false },
};

/** The maximum length of a shortcode's tag, in characters. */
const longestTag = 10_000;

/** Splits the HTML of a WordPress post into pieces, in one pass. Together they are the whole HTML. */
export function piecesOf(html: string): Piece[] {
  const pieces: Piece[] = [];
  const next = { '<': finder(html, '<'), '[': finder(html, '['), ']': finder(html, ']') };
  /** The elements without an end tag in the rest of the HTML. */
  const endless = new Set<string>();
  let [at, from] = [0, 0];
  /** No tag begins before this place. Without it, the same text would be searched for the end of each tag in it. */
  let textUntil = 0;

  function add(piece: Piece): void {
    if (at > from) pieces.push({ kind: 'text', source: html.slice(from, at) });
    pieces.push(piece);
    at += piece.source.length;
    from = at;
  }

  /** Returns where the element that starts at `start` ends; undefined if it has no end tag. */
  function elementEnd(name: string, start: number): number | undefined {
    if (endless.has(name)) return undefined;
    const endTag = new RegExp(`</${name}\\s{0,100}>`, 'gi');
    endTag.lastIndex = start;
    if (endTag.exec(html) !== null) return endTag.lastIndex;
    endless.add(name);
    return undefined;
  }

  function readTag(): boolean {
    const name = /^<\/?([a-z][a-z\d]*)/i.exec(html.slice(at, at + 40))?.[1]?.toLowerCase();
    if (name === undefined || at < textUntil) return false;
    const { end, isWhole } = tagEnd(html, at);
    if (!isWhole) {
      textUntil = end;
      return false;
    }
    const isEnd = html[at + 1] === '/';
    const kept = !isEnd && Object.hasOwn(keptNames, name) ? keptNames[name] : undefined;
    const keptEnd = kept && elementEnd(name, end);
    add(
      kept && keptEnd !== undefined
        ? { kind: 'kept', source: html.slice(at, keptEnd), name, isBlock: kept.isBlock }
        : { kind: 'tag', source: html.slice(at, end), name, isEnd },
    );
    return true;
  }

  function readShortcode(): boolean {
    const isEscaped = html[at + 1] === '[';
    const start = isEscaped ? at + 1 : at;
    const close = next[']'](start);
    if (close === html.length || close - start > longestTag || next['['](start + 1) < close) return false;
    const found = /^\[(\/?)([a-z][\w-]*)(?=[\s\]/=])/i.exec(html.slice(start, close + 1));
    if (found === null || (isEscaped && html[close + 1] !== ']')) return false;
    const [whole, slash, name = ''] = found;
    const source = html.slice(at, close + (isEscaped ? 2 : 1));
    const rest = html.slice(start + whole.length, close);
    if (slash === '/') {
      if (isEscaped || rest.trim() !== '') return false;
      add({ kind: 'close', source, at, name });
      return true;
    }
    const isSelfClosing = /(?:^|\s|["'])\/$/.test(rest);
    const attributes = attributesIn(isSelfClosing ? rest.slice(0, -1) : rest);
    if (!attributes) return false;
    add({ kind: 'open', source, at, name, attributes, isSelfClosing, isEscaped });
    return true;
  }

  while (at < html.length) {
    at = Math.min(next['<'](at), next['['](at));
    if (at === html.length) break;
    if (!(html[at] === '<' ? readTag() : readShortcode())) at += 1;
  }
  if (at > from) pieces.push({ kind: 'text', source: html.slice(from, at) });
  return pieces;
}

/** Returns a function that finds a character from a place on. It is fast if the place only moves forward. */
function finder(html: string, character: string): (from: number) => number {
  let [searched, found] = [0, -1];
  return (from) => {
    if (from >= searched && from <= found) return found;
    const place = html.indexOf(character, from);
    [searched, found] = [from, place === -1 ? html.length : place];
    return found;
  };
}

/** Returns where the HTML tag that starts at `start` ends. Without an end: where the next tag starts or the HTML ends. */
function tagEnd(html: string, start: number): { end: number; isWhole: boolean } {
  let quote = '';
  /** Quotation marks count only after an equals sign, as in browsers. */
  let isAfterEquals = false;
  for (let at = start + 1; at < html.length; at += 1) {
    const character = html[at] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return { end: at + 1, isWhole: true };
    else if (character === '<') return { end: at, isWhole: false };
    else if (isAfterEquals && (character === '"' || character === "'")) quote = character;
    if (character > ' ') isAfterEquals = character === '=' && quote === '';
  }
  return { end: html.length, isWhole: false };
}

/** Reads the attributes of a shortcode. Returns undefined if the text doesn't consist of attributes. */
function attributesIn(text: string): ShortcodeAttributes | undefined {
  // WordPress's editor may have turned the quotation marks into typographic ones or entities.
  const plain = /["']/.test(text) ? text : text.replace(/&quot;|&#822[01];|[“”″]/g, '"');
  const attribute =
    /\s*(?:([\w-]+)\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))|=?"([^"]*)"|=?'([^']*)'|=?([^\s"'<>]+))/y;
  const named = new Map<string, string>();
  const bare: string[] = [];
  let hasQuotes = false;
  const end = plain.trimEnd().length;
  while (attribute.lastIndex < end) {
    const found = attribute.exec(plain) as (string | undefined)[] | null;
    if (found === null) return undefined;
    const [, name, double, single, unquoted, ...values] = found;
    const value = double ?? single ?? unquoted;
    if (name === undefined || value === undefined) bare.push(values.find((each) => each !== undefined) ?? '');
    else {
      named.set(name.toLowerCase(), value);
      hasQuotes ||= unquoted === undefined;
    }
  }
  return { named, bare, hasQuotes };
}
