import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import { textOfFile } from '../folder/adopted-file.ts';
import { readFields } from '../folder/adopted-front-matter.ts';
import type { AdoptionRules } from '../folder/adopted-path.ts';
import { readFolderFile } from './folder-files.ts';

/** The part of the adoption rules that comes from a generator's configuration. */
type ConfigRules = Pick<AdoptionRules, 'config' | 'inputFolder'>;

const largestConfig = 1_000_000;
const data = (name: string) => ['toml', 'yaml', 'yml', 'json'].map((ending) => `${name}.${ending}`);

/** Reads a generator's configuration. Returns undefined if it can't be read. In that case, no URL can be determined. */
export async function generatorConfig(
  folder: string,
  generator: SiteFolderSettings['generator'],
): Promise<ConfigRules | undefined> {
  switch (generator) {
    case 'hugo':
      return hugoConfig(folder);
    case 'jekyll':
      return dataConfig(folder, ['_config.yml', '_config.yaml', '_config.toml']);
    case 'zola':
      return dataConfig(folder, ['config.toml']);
    case 'eleventy':
      return eleventyConfig(folder);
    default:
      return { config: {} };
  }
}

async function dataConfig(folder: string, names: readonly string[]): Promise<ConfigRules | undefined> {
  for (const name of names) {
    const text = await textAt(folder, name);
    if (text === undefined) continue;
    const config = fieldsIn(name, text);
    return config && { config };
  }
  return { config: {} };
}

/**
 * Hugo's configuration is either a single file or a folder with several files. In the folder, each file is named after
 * the configuration table that it contains.
 */
async function hugoConfig(folder: string): Promise<ConfigRules | undefined> {
  const root = await dataConfig(folder, [...data('hugo'), ...data('config')]);
  const inner = path.join(folder, 'config', '_default');
  const names = await readdir(inner).catch((): string[] => []);
  if (root === undefined) return undefined;
  const config: Record<string, unknown> = { ...root.config };
  for (const name of names.filter((one) => /\.(toml|ya?ml|json)$/.test(one))) {
    const fields = fieldsIn(name, (await textAt(inner, name)) ?? '');
    if (fields === undefined) return undefined;
    const [table = ''] = name.split('.');
    if (table === 'hugo' || table === 'config') Object.assign(config, fields);
    else config[table] = fields;
  }
  return { config };
}

/** Eleventy's configuration is code. Porchlight doesn't run it, but searches its text for the few relevant settings. */
async function eleventyConfig(folder: string): Promise<ConfigRules> {
  const names = ['js', 'mjs', 'cjs', 'ts'].map((ending) => `eleventy.config.${ending}`);
  for (const name of ['.eleventy.js', ...names]) {
    const text = await textAt(folder, name);
    if (text === undefined) continue;
    if (/permalink/i.test(text)) return { config: {} };
    const inputs = new Set(
      [...text.matchAll(/\binput["']?\s*:\s*["'`]([^"'`]*)["'`]/g)].map(([, one = '']) => one),
    );
    const [input = ''] = inputs;
    if (
      inputs.size > 1 ||
      /setInputDirectory|\.\.|\$/.test(input + (/setInputDirectory/.exec(text)?.[0] ?? ''))
    )
      return { config: {} };
    return { config: {}, inputFolder: input.replace(/^\.?\/+|\/+$/g, '').replace(/^\.$/, '') };
  }
  return { config: {}, inputFolder: '' };
}

function fieldsIn(name: string, text: string): Record<string, unknown> | undefined {
  return readFields(text, name.endsWith('.toml') ? 'toml' : name.endsWith('.json') ? 'json' : 'yaml');
}

async function textAt(folder: string, name: string): Promise<string | undefined> {
  const bytes = await readFolderFile(folder, name, largestConfig);
  return bytes && textOfFile(bytes)?.replace(/^\uFEFF/, '');
}
