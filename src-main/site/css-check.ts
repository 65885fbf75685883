/** CSS functions that are refused: those that load files (except `url()`) or ran code in old browsers. */
const refusedFunctions = ['image', 'image-set', '-webkit-image-set', 'src', 'expression', 'element'];
/** Properties that ran code in old browsers. */
const refusedWords = ['behavior', '-moz-binding'];

const closes: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' };

/**
 * Returns why the site can't use the owner's CSS, as a message that names the line; undefined if the CSS is accepted.
 * Accepted CSS loads nothing from other servers, imports nothing, and can't end its style element.
 */
export function cssProblem(text: string): string | undefined {
  const css = preprocessed(text);
  const markup = /<\/|<!--|-->/.exec(css);
  if (markup !== null) return at(lineOf(css, markup.index), `“${markup[0]}” is HTML, not CSS. Remove it.`);
  const open: { readonly mark: string; readonly line: number }[] = [];
  let isUrl = false;
  for (const token of cssTokens(css)) {
    const problem = tokenProblem(token) ?? (isUrl ? urlProblem(token) : undefined);
    if (problem !== undefined) return at(token.line, problem);
    if (token.kind !== 'space') isUrl = false;
    if (token.kind === 'function') {
      isUrl = token.text.toLowerCase() === 'url';
      open.push({ mark: '(', line: token.line });
    } else if (token.kind === 'mark' && token.text in closes) {
      open.push({ mark: token.text, line: token.line });
    } else if (token.kind === 'mark' && Object.values(closes).includes(token.text)) {
      const last = open.pop();
      if (last === undefined || closes[last.mark] !== token.text)
        return at(token.line, `There is a “${token.text}” too many.`);
    }
  }
  const left = open.at(-1);
  return left && at(left.line, `The “${left.mark}” is never closed.`);
}

/** Returns the owner's CSS as pages include it; empty if the site can't use the CSS. */
export function usableCss(text: string): string {
  return text === '' || cssProblem(text) !== undefined ? '' : preprocessed(text);
}

function tokenProblem({ kind, text }: CssToken): string | undefined {
  const name = text.toLowerCase();
  switch (kind) {
    case 'at-word':
      return name === 'import'
        ? 'The site can’t import other style sheets. Paste their rules instead.'
        : undefined;
    case 'function':
      return refusedFunctions.includes(name)
        ? `The site can’t use ${name}(). Use url() for pictures.`
        : undefined;
    case 'word':
      return refusedWords.includes(name) ? `The site can’t use “${name}”.` : undefined;
    case 'url':
      return addressProblem(text);
    case 'bad-string':
      return 'A quotation mark is missing.';
    case 'bad-url':
      return 'This url() isn’t valid. Put the address in quotation marks.';
    case 'bad-comment':
      return 'The comment never ends. Close it with */.';
    default:
      return undefined;
  }
}

/** Returns the problem with the token after `url(`; undefined if there is none. */
function urlProblem({ kind, text }: CssToken): string | undefined {
  if (kind === 'space') return undefined;
  return kind === 'string'
    ? addressProblem(text)
    : 'This url() isn’t valid. Put the address in quotation marks.';
}

const here = 'https://this-site.invalid';

/** Returns why the owner's CSS can't use a URL; undefined if it can. Pages must load nothing from other servers. */
function addressProblem(address: string): string | undefined {
  const isOwn =
    !URL.canParse(address) && URL.canParse(address, here) && new URL(address, here).origin === here;
  if (isOwn || /^data:image\//i.test(address)) return undefined;
  return 'CSS can load pictures only from this site. Use an address that starts with /media/.';
}

const lineOf = (css: string, index: number) => css.slice(0, index).split('\n').length;
const at = (line: number, problem: string) => `CSS, line ${line}: ${problem}`;

/**
 * A token of CSS (CSS Syntax 3, section 4). There are separate kinds only for tokens that matter for checking the
 * owner's CSS.
 */
interface CssToken {
  readonly kind:
    | 'at-word'
    | 'word'
    | 'hash'
    | 'function'
    | 'string'
    | 'bad-string'
    | 'url'
    | 'bad-url'
    | 'bad-comment'
    | 'space'
    | 'mark';
  /** The name or value without escapes; for a single-character token, the character itself. */
  readonly text: string;
  /** The line of the token, counted from 1. */
  readonly line: number;
}

const isSpace = (character: string) => character !== '' && ' \t\n'.includes(character);
const isHex = (character: string) => /^[\da-f]$/i.test(character);
/** Returns whether a character is non-printable (section 4.2). */
function isControl(character: string): boolean {
  const code = character.charCodeAt(0);
  return code <= 8 || code === 0xb || (code >= 0xe && code <= 0x1f) || code === 0x7f;
}
const isNameStart = (character: string) => /^[a-z_\u0080-\u{10ffff}]$/iu.test(character);
const isName = (character: string) => isNameStart(character) || /^[\d-]$/.test(character);

/** Returns CSS as browsers preprocess it (section 3.3): one kind of line end, and no null characters. */
export function preprocessed(css: string): string {
  return css.replace(/\r\n?|\f/g, '\n').replace(/\0|\p{Surrogate}/gu, '\uFFFD');
}

/**
 * Splits CSS into tokens, as browsers do. Leaves out comments. Yields each character of a number as a separate token,
 * and the number's unit as a word. `css` must be preprocessed.
 */
export function* cssTokens(css: string): Generator<CssToken> {
  const characters = Array.from(css);
  let at = 0;
  let line = 1;

  const peek = (ahead = 0): string => characters[at + ahead] ?? '';
  function take(): string {
    const character = peek();
    at += 1;
    if (character === '\n') line += 1;
    return character;
  }
  /** Returns whether a valid escape begins `ahead` characters after the current position (section 4.3.8). */
  const isEscape = (ahead = 0) => peek(ahead) === '\\' && peek(ahead + 1) !== '\n' && peek(ahead + 1) !== '';
  /** Returns whether the next characters start a name (section 4.3.9). */
  function startsName(ahead = 0): boolean {
    if (peek(ahead) === '-')
      return isNameStart(peek(ahead + 1)) || peek(ahead + 1) === '-' || isEscape(ahead + 1);
    return isNameStart(peek(ahead)) || isEscape(ahead);
  }

  /** Consumes an escape whose backslash was already read, and returns its character (section 4.3.7). */
  function escaped(): string {
    if (!isHex(peek())) return take();
    let digits = '';
    while (digits.length < 6 && isHex(peek())) digits += take();
    if (isSpace(peek())) take();
    const code = Number.parseInt(digits, 16);
    const isCharacter = code !== 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\uFFFD';
  }

  function name(): string {
    let text = '';
    for (;;) {
      if (isName(peek())) text += take();
      else if (isEscape()) {
        take();
        text += escaped();
      } else return text;
    }
  }

  function string(end: string): Pick<CssToken, 'kind' | 'text'> {
    let text = '';
    for (;;) {
      const character = peek();
      if (character === '' || character === '\n') return { kind: 'bad-string', text };
      take();
      if (character === end) return { kind: 'string', text };
      if (character !== '\\') text += character;
      else if (peek() === '\n') take();
      else if (peek() !== '') text += escaped();
    }
  }

  /** Consumes an unquoted URL after its opening parenthesis (section 4.3.6). */
  function url(): Pick<CssToken, 'kind' | 'text'> {
    let text = '';
    while (isSpace(peek())) take();
    for (;;) {
      if (isEscape()) {
        take();
        text += escaped();
        continue;
      }
      const character = take();
      if (character === ')') return { kind: 'url', text };
      if (isSpace(character)) {
        while (isSpace(peek())) take();
        return take() === ')' ? { kind: 'url', text } : { kind: 'bad-url', text };
      }
      if (character === '' || '"\'(\\'.includes(character) || isControl(character))
        return { kind: 'bad-url', text };
      text += character;
    }
  }

  function word(): Pick<CssToken, 'kind' | 'text'> {
    const text = name();
    if (peek() !== '(') return { kind: 'word', text };
    take();
    if (text.toLowerCase() !== 'url') return { kind: 'function', text };
    let ahead = 0;
    while (isSpace(peek(ahead))) ahead += 1;
    return '"\''.includes(peek(ahead)) && peek(ahead) !== '' ? { kind: 'function', text } : url();
  }

  while (at < characters.length) {
    const start = line;
    const character = peek();
    if (character === '/' && peek(1) === '*') {
      at += 2;
      while (at < characters.length && !(peek() === '*' && peek(1) === '/')) take();
      if (at >= characters.length) yield { kind: 'bad-comment', text: '', line: start };
      at += 2;
    } else if (isSpace(character)) {
      while (isSpace(peek())) take();
      yield { kind: 'space', text: ' ', line: start };
    } else if (character === '"' || character === "'") {
      take();
      yield { ...string(character), line: start };
    } else if (character === '@' && startsName(1)) {
      take();
      yield { kind: 'at-word', text: name(), line: start };
    } else if (character === '#' && (isName(peek(1)) || isEscape(1))) {
      take();
      yield { kind: 'hash', text: name(), line: start };
    } else if (startsName()) {
      yield { ...word(), line: start };
    } else {
      yield { kind: 'mark', text: take(), line: start };
    }
  }
}
