/** The names that Windows reserves for devices, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/**
 * Returns text as a part of a file's name that every system can have: letters, digits, `-` and `_`, in lower case, in
 * Unicode form C and at most `longest` bytes. Empty if the text has no letter or digit.
 */
export function safeName(text: string, longest = 100): string {
  const name = text
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_-]+/gu, '-');
  return trimmed(cut(trimmed(name), longest));
}

/** Returns the name of a stored media file, without what file systems and generators treat in a special way. */
export function safeFileName(name: string): string {
  const [, stem = '', extension = ''] = /^(.*?)(\.[A-Za-z0-9]{1,10})?$/su.exec(name.normalize('NFC')) ?? [];
  const safe = cut(stem.replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, '-').replace(/[.-]+$/, ''), 150);
  // Jekyll leaves out files whose names begin with `_` or `.`; some commands read `-` as an option.
  return `${/^[\p{L}\p{N}]/u.test(safe) && !isReserved(safe) ? '' : 'm'}${safe}${extension.toLowerCase()}`;
}

/** Returns whether Windows can't have a file or folder with this name. */
export function isReserved(name: string): boolean {
  return reserved.test(name.split('.')[0]?.trim() ?? '');
}

/** Removes signs at both ends: a leading `_` hides a file from Jekyll, Hugo and Astro. */
const trimmed = (name: string) => name.replace(/^[\p{M}_-]+/u, '').replace(/[_-]+$/, '');

/** Cuts text to a number of bytes in UTF-8, between characters. */
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
