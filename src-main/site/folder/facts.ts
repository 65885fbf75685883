import type { Generator } from '../../contract/site-folder.ts';
import { configValues, type FolderReader } from './detect.ts';
import type { FolderFacts } from './rules.ts';
import { copiedFolder } from './usual-templates.ts';

const longestConfig = 1_000_000;
/**
 * Folders that can contain a configuration file for the host, in addition to the folder that the generator copies to
 * the built site.
 */
const otherFolders = ['', 'public/', 'static/', 'src/', 'src/public/', 'src/static/'];

/** Reads which features a folder's configuration allows. Runs no code, and treats unreadable settings as absent. */
export async function readFolderFacts(reader: FolderReader, generator: Generator): Promise<FolderFacts> {
  const hostFile = await hostFileIn(reader, generator);
  return {
    ...(generator === 'jekyll' && { hasRedirectFrom: await hasRedirectFrom(reader) }),
    ...(generator === 'zola' && { hasTags: await hasTags(reader) }),
    ...(hostFile && { hostFile }),
  };
}

async function hasRedirectFrom(reader: FolderReader): Promise<boolean> {
  const plugin = 'jekyll-redirect-from';
  for (const file of ['_config.yml', '_config.yaml']) {
    const config = await configAt(reader, file);
    const plugins = [config['plugins'], config['gems']].flat();
    if (plugins.includes(plugin)) return true;
  }
  // Jekyll loads the gems of the group `jekyll_plugins` automatically, even if its configuration doesn't list them.
  const gemfile = (await reader.read('Gemfile', longestConfig)) ?? '';
  const [, group = ''] = /^\s*group\s+:jekyll_plugins\s+do\b([\s\S]*?)^\s*end\b/m.exec(gemfile) ?? [];
  return /^\s*gem\s+["']jekyll-redirect-from["']/m.test(group);
}

async function hasTags(reader: FolderReader): Promise<boolean> {
  const { taxonomies } = await configAt(reader, 'config.toml');
  return Array.isArray(taxonomies) && taxonomies.some((one: unknown) => nameOf(one) === 'tags');
}

const nameOf = (value: unknown) =>
  typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;

async function configAt(reader: FolderReader, file: string): Promise<Readonly<Record<string, unknown>>> {
  return configValues(file, (await reader.read(file, longestConfig)) ?? '') ?? {};
}

/** Returns the redirects file that the site's host reads. */
async function hostFileIn(reader: FolderReader, generator: Generator): Promise<FolderFacts['hostFile']> {
  const folders = new Set([copiedFolder(generator), ...otherFolders]);
  for (const dir of folders) {
    const file = `${dir}_redirects`;
    if ((await reader.read(file, 1)) === undefined) continue;
    const isNetlify = (await reader.read('netlify.toml', 1)) !== undefined;
    return { file, format: isNetlify ? 'netlify' : 'redirects' };
  }
  for (const dir of folders) {
    const file = `${dir}.htaccess`;
    const text = (await reader.read(file, longestConfig)) ?? '';
    // Uses the file only if it already contains such lines. On a host that doesn't allow them, they would make every
    // request fail.
    if (/^\s*(?:Redirect|Rewrite|ErrorDocument)/im.test(text)) return { file, format: 'apache' };
  }
  return undefined;
}
