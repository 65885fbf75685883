import type { Generator } from '../contract/site-folder.ts';
import type { ReadFolderText } from './folder-jobs.ts';
import { type FolderReader, withinLimits } from './folder-reader.ts';

/** The settings that determine the URLs of posts. */
export type GeneratorConfig = Readonly<Record<string, unknown>>;

const largestConfig = 1_000_000;
const mostConfigs = 100;
const data = (name: string) => ['toml', 'yaml', 'yml', 'json'].map((ending) => `${name}.${ending}`);
const configNames: Readonly<Partial<Record<Generator, readonly string[]>>> = {
  jekyll: ['_config.yml', '_config.yaml', '_config.toml'],
  hugo: [...data('hugo'), ...data('config')],
};

/**
 * Reads the settings that determine the URLs of posts from a generator's configuration. Returns no settings if one of
 * its files can't be read. `read`: parses the folder's files on another thread.
 */
export async function generatorConfig(
  folder: FolderReader,
  generator: Generator,
  read: ReadFolderText,
): Promise<GeneratorConfig> {
  const config: Record<string, unknown> = {};
  for (const file of configNames[generator] ?? []) {
    const text = await textAt(folder, file);
    if (text === undefined) continue;
    const settings = await withinLimits(read('urlSettings', { generator, file, text }, file));
    if (settings === undefined) return {};
    Object.assign(config, settings);
    break;
  }
  if (generator !== 'hugo') return config;
  // Hugo can also have a folder with several files. Each is named after the table that it contains.
  const inner = 'config/_default';
  const files = (await folder.list(`${inner}/`)).filter((one) => /\.(toml|ya?ml|json)$/.test(one));
  if (files.length > mostConfigs) return {};
  for (const name of files) {
    const file = `${inner}/${name}`;
    const [table = ''] = name.split('.');
    const whole = table === 'hugo' || table === 'config' ? {} : { table };
    const text = (await textAt(folder, file)) ?? '';
    const settings = await withinLimits(read('urlSettings', { generator, file, text, ...whole }, file));
    if (settings === undefined) return {};
    Object.assign(config, settings);
  }
  return config;
}

async function textAt(folder: FolderReader, name: string): Promise<string | undefined> {
  const text = await folder.read(name, largestConfig + 1);
  return text === undefined || text.length > largestConfig ? undefined : text.replace(/^\uFEFF/, '');
}
