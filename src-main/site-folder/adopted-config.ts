import type { Generator } from '../contract/site-folder.ts';
import { configValues } from '../untrusted/front-matter.ts';
import type { AdoptionRules } from './adopted-path.ts';

/** The part of the adoption rules that comes from a generator's configuration. */
export type ConfigRules = Pick<AdoptionRules, 'config' | 'inputFolder'>;

/** The settings that determine the URLs of posts. Other settings aren't kept, because each post is read with them. */
const settingsOf: Readonly<Partial<Record<Generator, readonly string[]>>> = {
  hugo: [
    ...['contentDir', 'languages', 'defaultContentLanguageInSubdir', 'uglyURLs', 'disablePathToLower'],
    ...['removePathAccents', 'frontmatter', 'cascade', 'outputFormats', 'permalinks'],
  ],
  jekyll: ['collections', 'collections_dir', 'defaults', 'permalink', 'timezone'],
  zola: ['slugify'],
};
/** The maximum length of these settings as JSON, in characters. */
const longestSettings = 65_536;

/**
 * Reads the settings that determine the URLs of posts from a configuration file. Returns undefined if the file isn't
 * valid, or if the settings are too long. `table`: the setting that the whole file contains; absent for a file with all
 * settings.
 */
export function urlSettings({
  generator,
  file,
  text,
  table,
}: {
  readonly generator: Generator;
  readonly file: string;
  readonly text: string;
  readonly table?: string;
}): Record<string, unknown> | undefined {
  const fields = configValues(file, text);
  if (fields === undefined) return undefined;
  const names = new Set((settingsOf[generator] ?? []).map((name) => name.toLowerCase()));
  const all = table === undefined ? fields : { [table]: fields };
  const kept = Object.entries(all).filter(([name]) => names.has(name.toLowerCase()));
  return JSON.stringify(kept).length <= longestSettings ? Object.fromEntries(kept) : undefined;
}

/**
 * Searches Eleventy's configuration for the few settings that determine the URLs of posts. The configuration is code,
 * which Porchlight doesn't run.
 */
export function eleventyRules({ text }: { readonly text: string }): ConfigRules {
  if (/permalink|setInputDirectory/i.test(text)) return { config: {} };
  const inputs = new Set(
    [...text.matchAll(/\binput["']?\s{0,100}:\s{0,100}["'`]([^"'`\n]{0,500})["'`]/g)].map(
      ([, one = '']) => one,
    ),
  );
  const [input = ''] = inputs;
  if (inputs.size > 1 || /\.\.|\$/.test(input)) return { config: {} };
  return {
    config: {},
    inputFolder: input
      .replace(/^\.?\/+/, '')
      .replace(/\/{1,10}$/, '')
      .replace(/^\.$/, ''),
  };
}
