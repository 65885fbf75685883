/** Names of secrets, compared without case, hyphens and underscores. */
const clearNames = new Set(
  [
    ['secret', 'clientsecret', 'codeverifier', 'password', 'passwd', 'passphrase'],
    ['token', 'accesstoken', 'refreshtoken', 'idtoken', 'apitoken', 'csrftoken', 'managementtoken'],
    [
      'aggregatortoken',
      'tunneltoken',
      'ownerkey',
      'apikey',
      'xapikey',
      'signingkey',
      'privatekey',
      'secretkey',
    ],
  ].flat(),
);
/** Their value is everything up to the end of the line. */
const headerNames = new Set(['authorization', 'proxyauthorization', 'cookie', 'setcookie']);
const passwordNames = new Set(['password', 'passwd', 'passphrase']);
/** Ordinary words too ("status code=404"): secrets in an address, and where the value looks like one. */
const ambiguousNames = new Set(['code', 'key', 'state', 'proof']);

const hidden = '[redacted]';
/** A name with its `=` or `:`, with or without quotes. The bound keeps a long text from taking quadratic time. */
const pairStart = /(?<![\w%.~-])([\w%.~-]{1,64})(\\*["'`]?\s{0,3}[:=]\s{0,3})/g;
const bearer = /\b(Bearer\s+)[\w.~+/-]{8,}=*/gi;
const jsonWebToken = /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g;
const userInfo = /(:\/\/[^\s/?#:@]{0,256}:)[^\s/?#@]{1,256}@/g;
/** How much of a value decides whether it is a secret: a stranger's long text must not take quadratic time. */
const mostLookedAt = 256;
/** How often an address inside an address may be percent-encoded. */
const mostEncoded = 5;

/**
 * Returns a JSON value without secrets: those in properties of known names, and those in any text, also in the names of
 * properties. Rather too much is hidden than too little, but ordinary words stay.
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
  // An error's `code` names its kind (ECONNREFUSED, fetch_timeout); any other `code` may be one to sign in with.
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

/** An address inside an address is percent-encoded. It is written decoded where it holds a secret. */
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

/** Where the secret of a pair stands: from, to. The two are the same where there is none. */
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

/** `value`: its first characters, with the `&` that follows. */
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

/** The name at the end of a run of characters, and the character before it. */
function nameIn(run: string, before = ''): readonly [before: string, name: string] {
  // In JSON inside JSON, a line break before the name is two characters.
  const text = before === '\\' ? run.replace(/^[bfnrt]/, '') : run;
  const [, separator = '', name = ''] = /([^\w-]?)([\w-]+)$/.exec(decode(text)) ?? [];
  return [separator === '' ? before : separator, plainName(name)];
}

const plainName = (name: string) => name.toLowerCase().replace(/[-_]/g, '');

/** What stands in quotes at `start`, also in JSON inside JSON, where each quote has backslashes before it. */
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

/** Where the first match from `start` on begins; the end of the text where there is none. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(text)?.index ?? text.length;
}

/** True for random text, as keys and tokens are made of; not for words, numbers, slugs and ERROR_CODES. */
function looksSecret(text: string): boolean {
  if (!/^[\w.~+=%-][\w.~+/=%-]{15,}$/.test(text) || /^[A-Z\d]+(?:_[A-Z\d]+)+$/.test(text)) return false;
  const hasBothCases = /[a-z]/.test(text) && /[A-Z]/.test(text);
  const runs = text.match(/[a-z\d]{16,}/gi) ?? [];
  return hasBothCases || runs.some((run) => /[a-z]/i.test(run) && /\d/.test(run));
}

/** Undoes percent-encoding once; what is not UTF-8 stays. */
function decode(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
}
