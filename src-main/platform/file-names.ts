/**
 * Returns whether a path stays inside its folder and doesn't lead into a `.git` folder, whose files can name programs
 * for git to run. `file`: relative, with slashes.
 */
export function isFileName(file: string): boolean {
  if (file === '' || /[\p{Cc}\p{Cs}\\]/u.test(file)) return false;
  return file.split('/').every((part) => part !== '' && !isReservedName(part));
}

/**
 * Returns whether some file system takes a name for `.`, `..` or `.git`. Windows ignores dots and spaces at the end,
 * reads what follows a colon as a stream of the file, and gives `.git` the short name `git~1`. The file system of Macs
 * ignores some invisible characters.
 */
function isReservedName(name: string): boolean {
  const seen = name.replace(/[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g, '').replace(/:.*$/, '');
  return /^(?:[. ]*|(?:\.git|git~\d+)[. ]*)$/i.test(seen);
}

/**
 * Returns a file name in lower case and with uniformly encoded accents, because macOS and Windows ignore these
 * differences between names.
 */
export const folded = (name: string) => name.normalize('NFC').toLowerCase();
