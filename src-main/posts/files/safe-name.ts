/** The names that Windows reserves for devices, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/**
 * Returns text as a part of a file name that is valid on every system: letters, digits, `-` and `_`, in lower case, in
 * Unicode form NFC and at most `longest` bytes. Empty if the text has no letter or digit.
 */
export function safeName(text: string, longest = 100): string {
  const name = text
    .slice(0, 10 * longest)
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_-]+/gu, '-');
  return trimmed(cut(trimmed(name), longest));
}

/** Returns a stored media file's name without characters that file systems or generators treat specially. */
export function safeFileName(name: string): string {
  const [, stem = '', extension = ''] = /^(.*?)(\.[A-Za-z0-9]{1,10})?$/su.exec(name.normalize('NFC')) ?? [];
  const safe = cut(stem.replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, '-').replace(/[.-]+$/, ''), 150);
  // Jekyll skips files whose names begin with `_` or `.`; some commands read a leading `-` as an option.
  return `${/^[\p{L}\p{N}]/u.test(safe) && !isReserved(safe) ? '' : 'm'}${safe}${extension.toLowerCase()}`;
}

/** Returns whether Windows reserves a name, so that no file or folder can have it. */
export function isReserved(name: string): boolean {
  return reserved.test(name.split('.')[0]?.trim() ?? '');
}

/**
 * Removes `-` and `_` at both ends, and combining marks at the beginning. Jekyll and Astro ignore files with a leading
 * `_`, and Hugo treats `_index.md` as the page of a section.
 */
const trimmed = (name: string) => name.replace(/^[\p{M}_-]+/u, '').replace(/[_-]+$/, '');

/** Cuts text to a maximum number of UTF-8 bytes, without splitting a character. */
function cut(text: string, longest: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > longest) break;
    end += character.length;
  }
  return text.slice(0, end);
}
