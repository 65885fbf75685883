/** What takes the place of a secret. */
export const hidden = '[redacted]';

const passwords = 'password|passwd|passphrase';
/** What the names of secrets end with. The text before it, such as `access_` in `access_token`, doesn't matter. */
const names = `token|secret|verifier|${passwords}|(?:owner|x?[_-]?api|signing|private|secret)[_-]?key`;
const headers = 'authorization|cookie';
/** Names that are also ordinary words ("status code=404"). Their values count as secrets in the query of a URL. */
const queryNames = 'code|key|state|proof';
/** An equals sign, also in a URL inside a URL, where it is percent-encoded once or several times. */
const equals = '(?:=|%(?:25)*3D)';
/** A quotation mark. In JSON inside JSON, backslashes precede it. */
const quote = String.raw`(\\*)(["'\x60])`;
const value = String.raw`(?!null\b|undefined\b|true\b|false\b)[^&\s"'\x60#<>]+`;
const space = String.raw`\s{0,3}`;

/**
 * Patterns of secrets in text, and what takes their place. Where the end of a value is uncertain, as in a URL inside a
 * URL, they hide too much rather than too little.
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(
      String.raw`((?:${names}|${headers})(?:\\*["'\x60])?${space}[:=]${space}${quote}).*?(?:(?<!\\)\2\3|$)`,
      'gim',
    ),
    `$1${hidden}$2$3`,
  ],
  [new RegExp(`((?:${headers})${space}[:=]${space})(?!${quote}).+`, 'gi'), `$1${hidden}`],
  [
    new RegExp(
      `((?:(?:${names})${space}${equals}|(?:${passwords})${space}:)${space})(?!${quote})${value}`,
      'gi',
    ),
    `$1${hidden}`,
  ],
  [new RegExp(`((?<=[?&#;]|3F|26|23)(?:${queryNames})${equals})${value}`, 'gi'), `$1${hidden}`],
  [/\b(Bearer\s+)[\w.~+/-]{8,}=*/gi, `$1${hidden}`],
  [/(:\/\/[^\s/?#:@]{0,256}:)[^\s/?#@]{1,256}@/g, `$1${hidden}@`],
];

/** Matches JSON Web Tokens, whose parts may be short. */
const jsonWebToken = /(?<![\w-])ey[AJ][\w-]{5,}\.[\w-]{5,}\.[\w-]*/g;
/** Matches long runs of characters, as in keys, tokens and hashes. `looksRandom` then excludes names and titles. */
const runs = /[A-Za-z0-9_-]{20,}/g;
/** Matches a word in a name or a title, such as `processTicks`, `URL` or `2026`. */
const word = /^(?:[A-Z]?[a-z]*(?:[A-Z][a-z]+)*|[A-Z]+|\d{1,8})$/;

function looksRandom(run: string): boolean {
  if (/[0-9a-f]{32,}/i.test(run) && /\d/.test(run) && /[a-f]/i.test(run)) return true;
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && !isReadable(run.split(/[-_]/));
}

/**
 * Returns whether all parts of a run are words, not only single letters, or whether one is a long word and little else
 * is none, as in `porchlight-e2e-4QX9ab`.
 */
function isReadable(parts: readonly string[]): boolean {
  const others = parts.filter((part) => !word.test(part)).join('');
  if (others === '') return parts.join('').length >= 3 * parts.length;
  const long = parts.find((part) => /^[A-Z]?[a-z]{8,}$/.test(part))?.length ?? 0;
  return others.length < 12 && long > 0.4 * parts.join('-').length;
}

/** Returns text without long random runs of characters, whatever surrounds them, and however that is encoded. */
export function hideTokens(text: string): string {
  return text.replace(jsonWebToken, hidden).replace(runs, (run) => (looksRandom(run) ? hidden : run));
}

/** Returns text without tokens, and without the values of names that hold secrets. Takes linear time. */
function hideSecrets(text: string): string {
  return hideTokens(patterns.reduce((rest, [pattern, hiding]) => rest.replace(pattern, hiding), text));
}

const secretName = new RegExp(`(?:${names}|${headers})$`, 'i');

/**
 * Returns a copy of a JSON value without secrets: neither in text and property names, nor as the values of properties
 * whose names say that they hold one. (The `redact` option of pino knows only properties at given depths.)
 */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return hideSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  // The `code` of an error is its type (ECONNREFUSED, fetch_timeout). Any other `code` may be a sign-in code.
  const isSecret = (key: string) => secretName.test(key) || (key === 'code' && !('stack' in value));
  const isKept = (one: unknown) => one === null || (typeof one !== 'string' && typeof one !== 'object');
  return Object.fromEntries(
    Object.entries(value).map(([key, one]: [string, unknown]) => [
      hideSecrets(key),
      isSecret(key) && !isKept(one) ? hidden : withoutSecrets(one),
    ]),
  );
}
