import { cssTokens, preprocessed, type CssToken } from './css-tokens.ts';

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
