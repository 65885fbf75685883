import { isRecord, own } from '../storage/json-value.ts';
import { topField } from './adopted-fields.ts';
import { noPage, notPost, split, unknownUrl, withoutExtension, type PathOrProblem } from './adopted-path.ts';

/** Returns the path that Hugo gives a page. */
export function hugoPath(
  file: string,
  values: Readonly<Record<string, unknown>>,
  published: string | undefined,
  config: Readonly<Record<string, unknown>>,
): PathOrProblem {
  const setting = (name: string) => topField(config, name, 'hugo');
  const field = (name: string) => topField(values, name, 'hugo');
  const content = setting('contentDir') ?? 'content';
  if (typeof content !== 'string' || !file.startsWith(`${content}/`)) return notPost;
  const [folder, name] = split(withoutExtension(file.slice(content.length + 1)));
  if (name === '_index') return notPost;
  if (field('headless') === true || isRecord(field('build')) || isRecord(field('_build'))) return noPage;
  if (field('expiryDate') !== undefined) return { problem: 'It expires, so its page may be gone.' };
  const languages = setting('languages');
  const isOneLanguage = languages === undefined || (isRecord(languages) && Object.keys(languages).length < 2);
  if (!isOneLanguage || setting('defaultContentLanguageInSubdir') === true) return unknownUrl;
  const url = field('url');
  if (typeof url === 'string' && url !== '') return explicitPath(url);
  // With these settings, a page's URL depends on the version of Hugo, so Porchlight can't determine it.
  const special = [
    'uglyURLs',
    'disablePathToLower',
    'removePathAccents',
    'frontmatter',
    'cascade',
    'outputFormats',
  ];
  if (special.some((one) => setting(one) !== undefined && setting(one) !== false)) return unknownUrl;
  const [parent, last] = name === 'index' ? split(folder.replace(/\/$/, '')) : [folder, name];
  const given = field('slug');
  const slug = typeof given === 'string' && given !== '' ? given : undefined;
  const section = parent.split('/')[0] ?? '';
  const pattern = permalinkOf(setting('permalinks'), section);
  const path =
    pattern === undefined
      ? `${parent}${slug ?? last}/`
      : filled(pattern, { parent, section, slug, last, title: field('title'), published });
  // Accepts only names with letters, digits, `_` and `-`. Hugo may change other characters in a URL, or treat the part
  // after a dot as a language code.
  return path !== undefined && /^\/?([a-z0-9_]+(-[a-z0-9_]+)*\/)*$/i.test(path)
    ? path.toLowerCase()
    : unknownUrl;
}

function explicitPath(url: string): PathOrProblem {
  if (/^[a-z]+:|:/i.test(url)) return unknownUrl;
  return url.endsWith('/') || url.includes('.') ? url.replace(/(^|\/)index\.html$/, '$1') : `${url}/`;
}

/** Returns a section's permalink pattern. Newer configurations keep the patterns for pages in a separate table. */
function permalinkOf(permalinks: unknown, section: string): string | undefined {
  if (!isRecord(permalinks)) return undefined;
  const page = own(permalinks, 'page');
  const pattern = own(isRecord(page) ? page : permalinks, section);
  return typeof pattern === 'string' && section !== '' ? pattern : undefined;
}

interface Parts {
  readonly parent: string;
  readonly section: string;
  readonly slug: string | undefined;
  readonly last: string;
  readonly title: unknown;
  readonly published: string | undefined;
}

function filled(
  pattern: string,
  { parent, section, slug, last, title, published }: Parts,
): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(published ?? '') ?? [];
  const fromTitle = typeof title === 'string' && /^[A-Za-z0-9 -]+$/.test(title) ? title.trim() : undefined;
  const named = fromTitle?.replace(/[ -]+/g, '-');
  const tokens: Readonly<Record<string, string | undefined>> = {
    ...{ year, month, day, section, sections: parent.replace(/\/$/, ''), title: named, filename: last },
    ...{
      slug: slug ?? named,
      slugorfilename: slug ?? last,
      contentbasename: last,
      slugorcontentbasename: slug ?? last,
    },
  };
  const unknown: string[] = [];
  const path = pattern.replace(/:(\w+)/g, (_token, name: string) => {
    const value = tokens[name];
    if (value === undefined || value === '') unknown.push(name);
    return value ?? '';
  });
  return unknown.length === 0 && !/[:[\]]/.test(path) ? `${path.replace(/\/$/, '')}/` : undefined;
}
