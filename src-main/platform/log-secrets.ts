/** Names of secrets, compared without case, hyphens and underscores. */
const clearNames = new Set(
  (
    'secret clientsecret codeverifier password passwd passphrase token accesstoken refreshtoken idtoken apitoken ' +
    'csrftoken managementtoken aggregatortoken tunneltoken ownerkey apikey xapikey signingkey privatekey secretkey'
  ).split(' '),
);
/** Headers whose value extends to the end of the line. */
const headerNames = new Set(['authorization', 'proxyauthorization', 'cookie', 'setcookie']);
const passwordNames = new Set(['password', 'passwd', 'passphrase']);
/**
 * Names that are also ordinary words ("status code=404"). Their value counts as a secret in a URL's query, and
 * elsewhere only if it looks like one.
 */
const ambiguousNames = new Set(['code', 'key', 'state', 'proof']);

const hidden = '[redacted]';
/** A name with its `=` or `:`, with or without quotes. The length limit prevents quadratic time on a long text. */
const pairStart = /(?<![\w%.~-])([\w%.~-]{1,64})(\\*["'`]?\s{0,3}[:=]\s{0,3})/g;
const bearer = /\b(Bearer\s+)[\w.~+/-]{8,}=*/gi;
const jsonWebToken = /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g;
const userInfo = /(:\/\/[^\s/?#:@]{0,256}:)[^\s/?#@]{1,256}@/g;
/**
 * How many characters of a value are examined to decide whether it is a secret. The limit prevents quadratic time on a
 * long text from a stranger.
 */
const mostLookedAt = 256;
/** How many levels of percent-encoding are decoded, because a URL may contain another URL. */
const mostEncoded = 5;

/**
 * Returns a JSON value without its secrets: those in properties with known names, and those inside any text, including
 * the names of properties. When in doubt it hides a value, but ordinary words stay.
 */
export function hideSecrets(value: unknown): unknown {
  if (typeof value === 'string') return hideInText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(hideSecrets);
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      hideInText(key),
      isSecretProperty(value, key, one) ? hidden : hideSecrets(one),
    ]),
  );
}

function isSecretProperty(holder: object, key: string, value: unknown): boolean {
  const isText = typeof value === 'string';
  if (!isText && (typeof value !== 'object' || value === null)) return false;
  const name = plainName(key);
  // An error's `code` names its kind (ECONNREFUSED, fetch_timeout). Any other `code` may be a sign-in code.
  if (name === 'code') return !('stack' in holder);
  if (ambiguousNames.has(name)) return isText && looksSecret(value);
  return clearNames.has(name) || headerNames.has(name);
}

function hideInText(text: string, timesDecoded = 0): string {
  const clean = hidePairs(text)
    .replace(bearer, `$1${hidden}`)
    .replace(jsonWebToken, hidden)
    .replace(userInfo, `$1${hidden}@`);
  if (timesDecoded === mostEncoded || !clean.includes('%')) return clean;
  return clean.replace(/\S+/g, (run) => hideEncoded(run, timesDecoded));
}

/** Hides secrets in percent-encoded text, such as a URL inside a URL. Text that holds a secret is logged decoded. */
function hideEncoded(run: string, timesDecoded: number): string {
  const decoded = decode(run);
  if (decoded === run) return run;
  const clean = hideInText(decoded, timesDecoded + 1);
  return clean === decoded ? run : clean;
}

function hidePairs(text: string): string {
  let clean = '';
  let done = 0;
  for (const match of text.matchAll(pairStart)) {
    if (match.index < done) continue;
    const [start, end] = secretAfter(text, match);
    if (start === end) continue;
    clean += text.slice(done, start) + hidden;
    done = end;
  }
  return clean + text.slice(done);
}

/** Returns the range of the secret in a pair, as start and end. They are equal if there is no secret. */
function secretAfter(text: string, match: RegExpExecArray): readonly [number, number] {
  const [whole, run = '', sign = ''] = match;
  const start = match.index + whole.length;
  const nothing = [start, start] as const;
  const [before, name] = nameIn(run, text[match.index - 1]);
  if (!clearNames.has(name) && !headerNames.has(name) && !ambiguousNames.has(name)) return nothing;

  const quoted = quotedAt(text, start);
  if (quoted) {
    const isSecret =
      !ambiguousNames.has(name) ||
      looksSecret(text.slice(quoted[0], Math.min(quoted[1], start + mostLookedAt)));
    return isSecret ? quoted : nothing;
  }
  if (headerNames.has(name)) return [start, endOf(/[\r\n]/g, text, start)];
  const value = /^[^&\s"'#<>]*&?/.exec(text.slice(start, start + mostLookedAt))?.[0] ?? '';
  return isSecretValue(name, { before, sign, value }) ? [start, endOf(/[&\s"'#<>]/g, text, start)] : nothing;
}

/** Decides whether an unquoted value is a secret. `value`: its first characters, with the `&` that follows. */
function isSecretValue(
  name: string,
  { before, sign, value }: { readonly before: string; readonly sign: string; readonly value: string },
): boolean {
  if (/^(?:null|undefined|true|false)?[),;}\]&]*$/.test(value)) return false;
  if (passwordNames.has(name)) return true;
  const isAssigned = sign.includes('=');
  if (clearNames.has(name) && isAssigned) return true;
  if (isAssigned && (/[?&#;]/.test(before) || value.endsWith('&'))) return true;
  return looksSecret(value.replace(/[),:;.\]}&]+$/, ''));
}

/** Returns the name at the end of a run of characters, and the character before it. */
function nameIn(run: string, before = ''): readonly [before: string, name: string] {
  // In JSON inside JSON, a line break before the name is two characters.
  const text = before === '\\' ? run.replace(/^[bfnrt]/, '') : run;
  const [, separator = '', name = ''] = /([^\w-]?)([\w-]+)$/.exec(decode(text)) ?? [];
  return [separator === '' ? before : separator, plainName(name)];
}

const plainName = (name: string) => name.toLowerCase().replace(/[-_]/g, '');

/** Returns the range of the quoted text at `start`. Also works for JSON inside JSON, whose quotes have backslashes. */
function quotedAt(text: string, start: number): readonly [number, number] | undefined {
  const opening = /(\\*)(["'`])/y;
  opening.lastIndex = start;
  const [whole = '', backslashes = '', quote = ''] = opening.exec(text) ?? [];
  if (whole === '') return undefined;
  const from = start + whole.length;
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let first = at;
    while (first > from && text[first - 1] === '\\') first -= 1;
    if (at - first <= backslashes.length) return [from, first];
  }
  return [from, text.length];
}

/** Returns the index of the first match from `start` on; the length of the text if there is none. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(text)?.index ?? text.length;
}

/** Returns whether text looks random, as keys and tokens do. Words, numbers, slugs and ERROR_CODES do not. */
function looksSecret(text: string): boolean {
  if (!/^[\w.~+=%-][\w.~+/=%-]{15,}$/.test(text) || /^[A-Z\d]+(?:_[A-Z\d]+)+$/.test(text)) return false;
  const hasBothCases = /[a-z]/.test(text) && /[A-Z]/.test(text);
  const runs = text.match(/[a-z\d]{16,}/gi) ?? [];
  return hasBothCases || runs.some((run) => /[a-z]/i.test(run) && /\d/.test(run));
}

/** Decodes percent-encoding once. Bytes that are not UTF-8 stay encoded. */
function decode(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
}
