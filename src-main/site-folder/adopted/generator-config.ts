import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import { overLimit } from '../../untrusted/kinds.ts';
import type { ConfigRules } from '../found-config.ts';
import type { Problem } from '../../untrusted/front-matter.ts';
import type { FolderReader } from '../folder-reader.ts';
import type { FolderJobs, ReadFolderText } from '../folder-jobs.ts';

type Generator = SiteFolderSettings['generator'];

const largestConfig = 1_000_000;
const mostConfigs = 100;
const data = (name: string) => ['toml', 'yaml', 'yml', 'json'].map((ending) => `${name}.${ending}`);

/**
 * Reads a generator's configuration. Returns a problem if a file can't be read. In that case, no URL can be determined.
 * `read`: parses the folder's files on another thread.
 */
export async function generatorConfig(
  folder: FolderReader,
  generator: Generator,
  read: ReadFolderText,
): Promise<ConfigRules | UnreadConfig> {
  try {
    switch (generator) {
      case 'hugo':
        return { config: await hugoConfig(folder, read) };
      case 'jekyll':
        return { config: await dataConfig(folder, generator, configNames.jekyll, read) };
      case 'zola':
        return { config: await dataConfig(folder, generator, configNames.zola, read) };
      case 'eleventy':
        return await eleventyConfig(folder, read);
      default:
        return { config: {} };
    }
  } catch (error) {
    if (error instanceof ConfigTrouble) return { problem: error.message, file: error.file };
    throw error;
  }
}

/** A configuration file that can't be read. `file`: its path, relative to the folder. */
export interface UnreadConfig extends Problem {
  readonly file: string;
}

class ConfigTrouble extends Error {
  readonly file: string;

  constructor(file: string, why: string) {
    super(`${file} ${why}`);
    this.file = file;
  }
}

const configNames = {
  jekyll: ['_config.yml', '_config.yaml', '_config.toml'],
  zola: ['config.toml'],
  hugo: [...data('hugo'), ...data('config')],
};

async function dataConfig(
  folder: FolderReader,
  generator: Generator,
  names: readonly string[],
  read: ReadFolderText,
): Promise<Record<string, unknown>> {
  for (const file of names) {
    const text = await textAt(folder, file);
    if (text !== undefined) return settingsIn({ generator, file, text }, read);
  }
  return {};
}

/**
 * Hugo's configuration is either a single file or a folder with several files. In the folder, each file is named after
 * the configuration table that it contains.
 */
async function hugoConfig(folder: FolderReader, read: ReadFolderText): Promise<Record<string, unknown>> {
  const config = await dataConfig(folder, 'hugo', configNames.hugo, read);
  const inner = 'config/_default';
  const names = await folder.list(`${inner}/`);
  const files = names.filter((one) => /\.(toml|ya?ml|json)$/.test(one));
  if (files.length > mostConfigs) throw new ConfigTrouble(inner, 'has too many files to be read.');
  for (const name of files) {
    const file = `${inner}/${name}`;
    const [table = ''] = name.split('.');
    const whole = table === 'hugo' || table === 'config' ? {} : { table };
    const text = (await textAt(folder, file)) ?? '';
    Object.assign(config, await settingsIn({ generator: 'hugo', file, text, ...whole }, read));
  }
  return config;
}

/** Eleventy's configuration is code. Porchlight doesn't run it, but searches its text for the few relevant settings. */
async function eleventyConfig(folder: FolderReader, read: ReadFolderText): Promise<ConfigRules> {
  const names = ['js', 'mjs', 'cjs', 'ts'].map((ending) => `eleventy.config.${ending}`);
  for (const name of ['.eleventy.js', ...names]) {
    const text = await textAt(folder, name);
    if (text !== undefined) return inWords(name, () => read('eleventyRules', { text }, name));
  }
  return { config: {}, inputFolder: '' };
}

async function settingsIn(
  input: Parameters<FolderJobs['urlSettings']>[0],
  read: ReadFolderText,
): Promise<Record<string, unknown>> {
  const { file } = input;
  const settings = await inWords(file, () => read('urlSettings', input, file));
  if (settings === undefined) throw new ConfigTrouble(file, 'can’t be read, because it isn’t valid.');
  return settings;
}

/** Runs `work`, and converts the error for a file that exceeds the limits to a ConfigTrouble. */
async function inWords<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const why = overLimit(error);
    throw why === undefined ? error : new ConfigTrouble(file, why);
  }
}

async function textAt(folder: FolderReader, name: string): Promise<string | undefined> {
  const text = await folder.read(name, largestConfig + 1);
  return text === undefined || text.length > largestConfig ? undefined : text.replace(/^\uFEFF/, '');
}
