import type { Generator } from '../../contract/site-folder.ts';
import { configValues, type FolderReader } from './detect.ts';
import type { FolderFacts } from './rules.ts';
import { copiedFolder } from './usual-templates.ts';

const longestConfig = 1_000_000;
/**
 * The folders that may contain the web host's configuration, besides the folder that the generator copies to the site.
 */
const otherFolders = ['', 'public/', 'static/', 'src/', 'src/public/', 'src/static/'];

/**
 * Reads which features a folder's configuration allows. Runs no code, and treats unreadable settings as absent.
 * `above`: reads the root of the git repository if the folder is a subfolder of the repository. Web hosts also read
 * configuration files there.
 */
export async function readFolderFacts(
  reader: FolderReader,
  generator: Generator,
  above?: FolderReader,
): Promise<FolderFacts> {
  const readers = above ? [reader, above] : [reader];
  const hostFile = await hostFileIn(reader, generator, readers);
  const oldHugo = generator === 'hugo' ? await isOldHugo(readers) : undefined;
  return {
    ...(oldHugo !== undefined && { isOldHugo: oldHugo }),
    ...(generator === 'jekyll' && {
      hasRedirectFrom: await hasRedirectFrom(reader),
      ...(await postLayout(reader)),
    }),
    ...(generator === 'zola' && { hasTags: await hasTags(reader) }),
    ...(hostFile && { hostFile }),
  };
}

/** Files that can name the version of Hugo that builds the site. */
const buildFiles = ['netlify.toml', 'vercel.json', '.gitlab-ci.yml', '.tool-versions', 'mise.toml'];
const workflowFolders = ['.github/workflows', '.forgejo/workflows', '.gitea/workflows'];
/** Matches a version of Hugo in a build file, such as `HUGO_VERSION = "0.111.3"` or `gohugo extended_0.111.3`. */
const hugoVersion = /hugo[^\n]{0,60}?(?<![\d.])0\.(\d{1,3})(?!\d)/i;
/** The first minor version of Hugo (0.123) in which pages use the field `build` instead of `_build`. */
export const firstWithBuild = 123;

async function isOldHugo(readers: readonly FolderReader[]): Promise<boolean | undefined> {
  for (const reader of readers) {
    const files = [...buildFiles];
    for (const dir of workflowFolders)
      for (const name of await reader.list(dir)) if (/\.ya?ml$/.test(name)) files.push(`${dir}/${name}`);
    for (const file of files) {
      const [, minor] = hugoVersion.exec((await reader.read(file, longestConfig)) ?? '') ?? [];
      if (minor !== undefined) return Number(minor) < firstWithBuild;
    }
  }
  return undefined;
}

async function postLayout(reader: FolderReader): Promise<Pick<FolderFacts, 'postLayout'>> {
  const { defaults } = {
    ...(await configAt(reader, '_config.yaml')),
    ...(await configAt(reader, '_config.yml')),
  };
  const found = (Array.isArray(defaults) ? defaults : []).flatMap((one: unknown) => {
    const [scope, values] = [valueOf(one, 'scope'), valueOf(one, 'values')];
    const layout = valueOf(values, 'layout');
    const isForPosts = [undefined, 'posts'].includes(textOf(valueOf(scope, 'type')));
    const isForAll = /^(?:_posts\/?)?$/.test(textOf(valueOf(scope, 'path')) ?? '');
    return isForPosts && isForAll && typeof layout === 'string' ? [layout] : [];
  });
  const layout = found.at(-1);
  return layout === undefined ? {} : { postLayout: layout };
}

async function hasRedirectFrom(reader: FolderReader): Promise<boolean> {
  const plugin = 'jekyll-redirect-from';
  for (const file of ['_config.yml', '_config.yaml']) {
    const config = await configAt(reader, file);
    const plugins = [config['plugins'], config['gems']].flat();
    if (plugins.includes(plugin)) return true;
  }
  // Jekyll loads the gems in the group `jekyll_plugins` of the Gemfile, even if its configuration doesn't list them.
  const gemfile = (await reader.read('Gemfile', longestConfig)) ?? '';
  const [, group = ''] = /^\s*group\s+:jekyll_plugins\s+do\b([\s\S]*?)^\s*end\b/m.exec(gemfile) ?? [];
  return /^\s*gem\s+["']jekyll-redirect-from["']/m.test(group);
}

async function hasTags(reader: FolderReader): Promise<boolean> {
  const { taxonomies } = await configAt(reader, 'config.toml');
  return Array.isArray(taxonomies) && taxonomies.some((one: unknown) => valueOf(one, 'name') === 'tags');
}

const valueOf = (record: unknown, name: string): unknown =>
  typeof record === 'object' && record !== null
    ? (Object.getOwnPropertyDescriptor(record, name)?.value as unknown)
    : undefined;
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

async function configAt(reader: FolderReader, file: string): Promise<Readonly<Record<string, unknown>>> {
  return configValues(file, (await reader.read(file, longestConfig)) ?? '') ?? {};
}

/** Returns the redirects file that the site's host reads. */
async function hostFileIn(
  reader: FolderReader,
  generator: Generator,
  readers: readonly FolderReader[],
): Promise<FolderFacts['hostFile']> {
  const folders = new Set([copiedFolder(generator), ...otherFolders]);
  for (const dir of folders) {
    const file = `${dir}_redirects`;
    if ((await reader.read(file, 1)) === undefined) continue;
    for (const one of readers)
      if ((await one.read('netlify.toml', 1)) !== undefined) return { file, format: 'netlify' };
    return { file, format: 'redirects' };
  }
  for (const dir of folders) {
    const file = `${dir}.htaccess`;
    const text = (await reader.read(file, longestConfig)) ?? '';
    // Porchlight adds redirects to .htaccess only if the file already contains such directives. On a host that
    // forbids them, Apache would answer every request with an error.
    if (/^\s*(?:Redirect|Rewrite|ErrorDocument)/im.test(text)) return { file, format: 'apache' };
  }
  return undefined;
}
