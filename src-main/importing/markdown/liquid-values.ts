/** A value of Liquid, the template language of Jekyll and Eleventy. */
export type LiquidValue = string | readonly string[];

/** What Liquid knows about a site and a post. */
export interface LiquidData {
  /** The scalar settings of the site, such as `baseurl`. */
  readonly site: Readonly<Record<string, string>>;
  /** The fields of the post's front matter. */
  readonly page: Readonly<Record<string, unknown>>;
}

/** Limits on values, because a short template can double a value many times. */
const longestValue = 10_000;
const mostItems = 1000;

/** Returns the value of an expression with filters; undefined if Porchlight can't evaluate it. */
export function liquidValue(
  expression: string,
  data: LiquidData,
  variables: ReadonlyMap<string, LiquidValue>,
): LiquidValue | undefined {
  const [source = '', ...filters] = splitOutsideQuotes(expression, '|');
  let value = operand(source, data, variables);
  for (const filter of filters) {
    const [name = '', rest = ''] = splitOutsideQuotes(filter, ':', 2);
    const inputs = rest === '' ? [] : splitOutsideQuotes(rest, ',');
    const known = inputs.map((input) => operand(input, data, variables));
    value = value === undefined ? undefined : filtered(name, value, known, data);
  }
  return value;
}

function operand(
  text: string,
  { site, page }: LiquidData,
  variables: ReadonlyMap<string, LiquidValue>,
): LiquidValue | undefined {
  const [, double, single] = /^(?:"([^"]*)"|'([^']*)')$/.exec(text) ?? [];
  const quoted = double ?? single;
  if (quoted !== undefined) return quoted;
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const [, owner, name = ''] = /^(site|page)\.([\w-]+)$/.exec(text) ?? [];
  if (owner === 'site') return Object.hasOwn(site, name) ? site[name] : undefined;
  if (owner === 'page') return Object.hasOwn(page, name) ? fieldValue(page[name]) : undefined;
  return variables.get(text);
}

function fieldValue(field: unknown): LiquidValue | undefined {
  if (typeof field === 'string') return limitedValue(field);
  if (typeof field === 'number') return String(field);
  if (!Array.isArray(field)) return undefined;
  return limitedValue(field.filter((item) => typeof item === 'string'));
}

function filtered(
  name: string,
  value: LiquidValue,
  inputs: readonly (LiquidValue | undefined)[],
  { site }: LiquidData,
): LiquidValue | undefined {
  const [input] = inputs;
  if (typeof value !== 'string') {
    if (name === 'join') return limitedValue(value.join(typeof input === 'string' ? input : ' '));
    if (name === 'first') return value[0];
    return name === 'last' ? value.at(-1) : undefined;
  }
  switch (name) {
    case 'relative_url':
    case 'absolute_url':
    case 'url':
      return limitedValue(urlOnSite(value, site));
    case 'prepend':
      return typeof input === 'string' ? limitedValue(input + value) : undefined;
    case 'append':
      return typeof input === 'string' ? limitedValue(value + input) : undefined;
    case 'split':
      return typeof input === 'string' ? limitedValue(value.split(input)) : undefined;
    case 'slugify':
      return value
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '-')
        .replace(/^-|-$/g, '');
    case 'downcase':
      return value.toLowerCase();
    case 'upcase':
      return value.toUpperCase();
    case 'strip':
      return value.trim();
    case 'escape':
    case 'markdownify':
    case 'xml_escape':
      return value;
    default:
      return undefined;
  }
}

/**
 * Returns a URL on the site that the posts come from. It is absolute if the site's URL is known, because the post gets a
 * new URL.
 */
export function urlOnSite(path: string, { url = '', baseurl = '' }: LiquidData['site']): string {
  if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(path)) return path;
  const join = (before: string, after: string) =>
    `${before.replace(/\/+$/, '')}${after.startsWith('/') ? '' : '/'}${after}`;
  return url + (baseurl === '' || baseurl === '/' ? join('', path) : join(join('', baseurl), path));
}

/** Returns a value; undefined if it is too long. */
export function limitedValue<T extends LiquidValue>(value: T): T | undefined {
  if (typeof value === 'string') return value.length > longestValue ? undefined : value;
  return value.length > mostItems || value.join('').length > longestValue ? undefined : value;
}

/** Splits a text at a separator that isn't inside quotes, into at most `most` trimmed parts. */
function splitOutsideQuotes(text: string, separator: string, most = Infinity): string[] {
  const parts: string[] = [];
  let quote = '';
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === separator && parts.length < most - 1) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}
