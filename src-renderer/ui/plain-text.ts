/** Characters that are invisible or reverse the text around them. Strangers' text is shown without them. */
const hidden =
  /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/gu;
const controls = /[\p{Cc}\u2028\u2029]+/gu;
/** More marks on one letter than any language needs: they would cover the lines around. */
const piledMarks = /(\p{M}{4})\p{M}+/gu;

/** Returns a stranger's text as one line without hidden characters. May be empty. */
export function plainText(text: string): string {
  return text
    .replace(hidden, '')
    .replace(controls, ' ')
    .replace(piledMarks, '$1')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** Returns an address with its hidden characters made visible: in an address, every character counts. */
export function visibleAddress(text: string): string {
  const spelled = (characters: string) =>
    Array.from(characters, (character) => `[U+${codePoint(character)}]`).join('');
  return text.replace(hidden, spelled).replace(controls, spelled);
}

/** Returns the host of an address, or the address itself if it has none. */
export function hostIn(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url : url;
}

/** In characters: about what a line of the activity holds beside a name. */
const shortAddress = 58;

/**
 * Returns an http(s) address for a sentence: without the scheme, and without the middle of its path if it is long. The
 * host stays whole, unless it alone is too long.
 */
export function addressInShort(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname, search, hash } = new URL(url);
  const rest = `${pathname === '/' ? '' : pathname}${search}${hash}`;
  if (host.length + rest.length <= shortAddress) return host + rest;
  const name =
    host.length <= shortAddress ? host : `${host.slice(0, 12)}…${host.slice(-(shortAddress - 13))}`;
  if (rest.length < 16) return name + rest;
  const end = rest.slice(-Math.max(shortAddress - name.length - 2, 16));
  // It reads best from the beginning of a part of the path, or of a word in it.
  const at = end.search(/[/-]/);
  const part = end.slice(end[at] === '-' ? at + 1 : Math.max(at, 0));
  return `${name}/…${part.length < 8 ? end : part}`;
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** A stranger's text of at most `most` characters, so that what follows it stays in sight. */
export function shortened(text: string, most: number): string {
  const characters = Array.from(plainText(text));
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}
