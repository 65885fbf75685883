import { isRecord, own } from '../storage/json-value.ts';
import { topField } from './adopted-fields.ts';
import type { Problem } from '../untrusted/front-matter.ts';
import {
  noPage,
  notPost,
  split,
  unknownUrl,
  withoutExtension,
  type AdoptionRules,
  type PathOrProblem,
} from './adopted-path.ts';
import { hugoPath } from './adopted-url-hugo.ts';
import { jekyllPath } from './adopted-url-jekyll.ts';

/**
 * Returns the URL of a file's page, or a problem if the URL is uncertain. `published`: the publication date (ISO 8601).
 */
export function adoptedUrl(
  file: string,
  values: Readonly<Record<string, unknown>>,
  published: string | undefined,
  rules: AdoptionRules,
): { readonly url: string } | Problem {
  const path = pathOf(file, values, published, rules);
  if (typeof path !== 'string') return path;
  const base = rules.baseUrl.endsWith('/') ? rules.baseUrl : `${rules.baseUrl}/`;
  // Refuses characters whose meaning in a URL may differ from that in a file name.
  if (/[^\p{L}\p{M}\p{N}/._~!$&'()+,;=@-]/u.test(path) || /(^|\/)\.\.?(\/|$)/.test(path)) return unknownUrl;
  const relative = path.replace(/^\/+/, '');
  if (!URL.canParse(base) || relative.includes('//')) return unknownUrl;
  return { url: new URL(new URL(base).pathname + relative, base).href };
}

function pathOf(
  file: string,
  values: Readonly<Record<string, unknown>>,
  published: string | undefined,
  rules: AdoptionRules,
): PathOrProblem {
  switch (rules.generator) {
    case 'hugo':
      return hugoPath(file, values, published, rules.config);
    case 'jekyll':
      return jekyllPath(file, values, published, rules.config);
    case 'eleventy':
      return eleventyPath(file, values, rules.inputFolder);
    case 'zola':
      return zolaPath(file, values, rules.config);
    default:
      return templatePath(file, values, published, rules);
  }
}

function eleventyPath(
  file: string,
  values: Readonly<Record<string, unknown>>,
  inputFolder: string | undefined,
): PathOrProblem {
  const permalink = own(values, 'permalink');
  if (permalink === false) return noPage;
  if (typeof permalink === 'string') {
    if (/\{[{%#]/.test(permalink)) return unknownUrl;
    return permalink.replace(/(^|\/)index\.html$/, '$1');
  }
  if (permalink !== undefined || inputFolder === undefined) return unknownUrl;
  const prefix = inputFolder === '' ? '' : `${inputFolder}/`;
  if (!file.startsWith(prefix) || /(^|\/)[_.]/.test(file.slice(prefix.length))) return notPost;
  const [folder, name] = split(withoutExtension(file.slice(prefix.length)));
  if (name.includes('.')) return unknownUrl;
  return name === 'index' ? folder : `${folder}${name}/`;
}

function zolaPath(
  file: string,
  values: Readonly<Record<string, unknown>>,
  config: Readonly<Record<string, unknown>>,
): PathOrProblem {
  if (!file.startsWith('content/')) return notPost;
  const inner = withoutExtension(file.slice('content/'.length));
  const [folder, fileName] = split(inner);
  if (fileName === '_index') return notPost;
  if (own(values, 'render') === false) return noPage;
  const path = own(values, 'path');
  if (typeof path === 'string' && path !== '') return `${path.replace(/\/+$/, '')}/`;
  const slugs = own(config, 'slugify');
  const isOrdinary = slugs === undefined || (isRecord(slugs) && (own(slugs, 'paths') ?? 'on') === 'on');
  const [parent, last] = fileName === 'index' ? split(folder.replace(/\/$/, '')) : [folder, fileName];
  const given = own(values, 'slug');
  const slug =
    typeof given === 'string' && given !== '' ? given : last.replace(/^\d{4}-\d\d-\d\d[-_](?=.)/, '');
  const whole = `${parent}${slug}`;
  // Accepts only names with lower-case letters, digits and `-`. Zola may change other characters in a URL, or treat the
  // part after a dot as a language code.
  if (!isOrdinary || !/^[a-z0-9]+([/-][a-z0-9]+)*$/.test(whole)) return unknownUrl;
  return `${whole}/`;
}

/** Matches a file's path against the file name template, and inserts the values into the URL template. */
function templatePath(
  file: string,
  values: Readonly<Record<string, unknown>>,
  published: string | undefined,
  { generator, postFile, postUrl }: AdoptionRules,
): PathOrProblem {
  const names: string[] = [];
  const pattern = withoutExtension(postFile).replace(
    /\{(\w+)\}|[.*+?^${}()|[\]\\]/g,
    (sign, name?: string) => {
      if (name === undefined) return `\\${sign}`;
      names.push(name);
      return name === 'yyyy' ? '(\\d{4})' : name === 'mm' || name === 'dd' ? '(\\d\\d)' : '([^/]+)';
    },
  );
  const found = new RegExp(`^${pattern}$`, 'u').exec(withoutExtension(file));
  if (postFile === '' || postUrl === '' || found === null) return notPost;
  const filled = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    const value = found[index + 1] ?? '';
    if ((filled.get(name) ?? value) !== value) return notPost;
    filled.set(name, value);
  }
  const slug = topField(values, 'slug', generator);
  if (typeof slug === 'string' && slug !== '') {
    // In Astro, a slug in the front matter replaces the whole name of the page. If the URL template combines `{slug}`
    // with other text in that name, the URL can't be determined.
    if (/[^/]\{slug\}|\{slug\}[^/]/.test(postUrl)) return unknownUrl;
    filled.set('slug', slug);
  }
  const [, yyyy = '', mm = '', dd = ''] = /^(\d{4})-(\d\d)-(\d\d)/.exec(published ?? '') ?? [];
  for (const [name, value] of Object.entries({ yyyy, mm, dd }))
    if (!filled.has(name)) filled.set(name, value);
  const parts = [...postUrl.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => filled.get(name) ?? '');
  if (parts.includes('')) return unknownUrl;
  return postUrl.replace(/\{(\w+)\}/g, (_whole, name: string) => filled.get(name) ?? '');
}
