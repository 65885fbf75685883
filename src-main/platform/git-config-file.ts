/**
 * A setting in a git configuration file. `key`: `section.name` or `section.subsection.name`. Section and name are in
 * lower case, as git compares them.
 */
export interface GitSetting {
  readonly key: string;
  /** The part of the key before the first dot. */
  readonly section: string;
  /** The part of the key between the first dot and the last one; null if the key has only one dot. */
  readonly subsection: string | null;
  readonly name: string;
  /** The value, one character per byte (latin1); null for a name without `=`, which git reads as true. */
  readonly value: string | null;
}

/** Thrown for a configuration file that git itself would refuse, or whose content Porchlight doesn't accept. */
export class GitConfigError extends Error {
  /** The number of the line that can't be read, from 1. */
  readonly line: number;

  constructor(line: number) {
    super(`Line ${line} of the git configuration can’t be read.`);
    this.line = line;
  }
}

/** The maximum number of settings in one file. */
const mostSettings = 10_000;
const escapes: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' };
const isSpace = (char: string) => char === ' ' || char === '\t';

/**
 * Parses a git configuration file, in the order of its settings, by the rules of git's own parser (config.c). Stricter
 * than git: control characters are refused, because git itself would read a value with a zero byte differently.
 * @throws GitConfigError
 */
export function parseGitConfig(bytes: Buffer): GitSetting[] {
  const text = bytes
    .toString('latin1')
    .replace(/^\xEF\xBB\xBF/, '')
    .replaceAll('\r\n', '\n');
  const hidden = /[\x00-\x08\x0B-\x1F\x7F]/.exec(text);
  const settings: GitSetting[] = [];
  let at = 0;
  let section: string | undefined;

  /** Refuses the file because of the character that was read last. */
  const refuse = (): never => {
    throw new GitConfigError(text.slice(0, at - 1).split('\n').length);
  };
  /** Returns the next character; a line break at the end of the file. */
  const next = () => text[at++] ?? '\n';

  /** Reads the rest of a header, after `[`. Returns the section and the subsection, joined by a dot. */
  function readHeader(): string {
    let name = '';
    for (;;) {
      const char = next();
      if (char === ']' && name !== '') return name;
      if (isSpace(char) && name !== '') return `${name}.${readSubsection()}`;
      if (!/[A-Za-z0-9.-]/.test(char)) refuse();
      name += char.toLowerCase();
    }
  }

  function readSubsection(): string {
    let char = next();
    while (isSpace(char)) char = next();
    if (char !== '"') refuse();
    for (let name = ''; ; name += char) {
      char = next();
      if (char === '"') {
        if (next() !== ']') refuse();
        return name;
      }
      if (char === '\\') char = next();
      if (char === '\n') refuse();
    }
  }

  /** Reads a value, after `=`. Spaces at both ends don't belong to it, unless they are quoted. */
  function readValue(): string {
    let [value, spaces, isQuoted, isComment] = ['', '', false, false];
    for (;;) {
      let char = next();
      if (char === '\n') return isQuoted ? refuse() : value;
      if (isComment) continue;
      if (isSpace(char) && !isQuoted) {
        if (value !== '') spaces += char;
        continue;
      }
      if (!isQuoted && (char === ';' || char === '#')) {
        isComment = true;
        continue;
      }
      value += spaces;
      spaces = '';
      if (char === '\\') {
        char = next();
        if (char === '\n') continue;
        value += escapes[char] ?? refuse();
      } else if (char === '"') isQuoted = !isQuoted;
      else value += char;
    }
  }

  /** Reads a setting, from its name on. */
  function readSetting(): void {
    let [name, char] = ['', next()];
    for (; /[A-Za-z0-9-]/.test(char); char = next()) name += char.toLowerCase();
    while (isSpace(char)) char = next();
    if (section === undefined || (char !== '=' && char !== '\n')) refuse();
    if (settings.length >= mostSettings) refuse();
    const value = char === '=' ? readValue() : null;
    const key = `${section ?? ''}.${name}`;
    const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
    settings.push({
      key,
      section: key.slice(0, first),
      name: key.slice(last + 1),
      value,
      subsection: first === last ? null : key.slice(first + 1, last),
    });
  }

  if (hidden) {
    at = hidden.index + 1;
    refuse();
  }
  while (at < text.length) {
    const char = next();
    if (char === '\n' || isSpace(char)) continue;
    if (char === '#' || char === ';') {
      for (let comment = next(); comment !== '\n';) comment = next();
    } else if (char === '[') section = readHeader();
    else if (/[A-Za-z]/.test(char)) {
      at -= 1;
      readSetting();
    } else refuse();
  }
  return settings;
}

/** Returns the text that the bytes of a setting stand for (UTF-8). */
export const gitText = (bytes: string) => Buffer.from(bytes, 'latin1').toString('utf8');
