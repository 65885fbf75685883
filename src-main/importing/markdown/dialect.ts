import type { Archive } from '../archive.ts';

/**
 * The template language of a Markdown file. `liquid`: Jekyll, Eleventy and Hexo, also in code. `liquid-text`: the same,
 * but perhaps the file has another generator, so code stays as it is.
 */
export type Dialect = 'liquid' | 'liquid-text' | 'hugo' | 'zola' | 'none';

const signs: readonly (readonly [Dialect, RegExp])[] = [
  ['liquid', /(?:^|\/)(?:_config\.ya?ml|\.eleventy\.js|eleventy\.config\.[cm]?[jt]s|_posts\/[^/]+)$/],
  ['hugo', /(?:^|\/)(?:hugo\.(?:toml|ya?ml|json)|archetypes\/[^/]+\.md)$/],
  ['zola', /(?:^|\/)templates\/(?:page|index|base|section)\.html$/],
  ['hugo', /(?:^|\/)config\.(?:toml|ya?ml|json)$/],
];

const known = new WeakMap<Archive, Dialect | undefined>();

/** Returns the template language of a site by its files; undefined if they tell nothing. */
function dialectOfSite(archive: Archive): Dialect | undefined {
  if (!known.has(archive)) {
    const found = signs.find(([, sign]) => [...archive.files.keys()].some((path) => sign.test(path)));
    known.set(archive, found?.[0]);
  }
  return known.get(archive);
}

const liquidTag =
  /\{%-?\s*(?:raw|highlight|include|link|post_url|assign|capture|for|if|unless|comment|youtube|gist)\b/;

/** Returns the template language of a Markdown file. */
export function dialectOf(
  archive: Archive,
  path: string,
  { fields, body }: { readonly fields: Readonly<Record<string, unknown>>; readonly body: string },
): Dialect {
  const ofSite = dialectOfSite(archive);
  if (ofSite !== undefined) return ofSite;
  if (/\{\{[<%]/.test(body) && !/\{%-?\s*raw\b/.test(body)) return 'hugo';
  if ('taxonomies' in fields || 'extra' in fields) return 'zola';
  const isNamedByDate = /(?:^|\/)\d{4}-\d\d-\d\d-[^/]+$/.test(path);
  return isNamedByDate || 'layout' in fields || liquidTag.test(body) ? 'liquid-text' : 'none';
}
