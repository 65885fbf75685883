import type { Generator } from '../contract/site-folder.ts';
import { overLimit } from '../untrusted/kinds.ts';
import { copiedFolder } from './detect.ts';
import type { FolderReader } from './folder-reader.ts';
import type { FolderJobs, ReadFolderText } from './folder-jobs.ts';
import type { FolderFacts } from '../posts/files/addresses.ts';

const longestConfig = 1_000_000;
const mostRefused = 3;
const mostBuildFiles = 100;
/**
 * The folders that may contain the web host's configuration, besides the folder that the generator copies to the site.
 */
const otherFolders = ['', 'public/', 'static/', 'src/', 'src/public/', 'src/static/'];

/**
 * Reads which features a folder's configuration allows. Runs no code, and treats unreadable settings as absent. `read`:
 * parses the folder's files on another thread. `above`: reads the root of the git repository if the folder is a subfolder of the repository. Web hosts also read
 * configuration files there.
 */
export async function readFolderFacts(
  reader: FolderReader,
  generator: Generator,
  read: ReadFolderText,
  above?: FolderReader,
): Promise<FolderFacts> {
  const readers = above ? [reader, above] : [reader];
  const fact = factReader(read);
  const hostFile = await hostFileIn(reader, generator, readers, fact);
  const oldHugo = generator === 'hugo' ? await isOldHugo(readers, fact) : undefined;
  return {
    ...(oldHugo !== undefined && { isOldHugo: oldHugo }),
    ...(generator === 'jekyll' && (await jekyllFacts(reader, fact))),
    ...(generator === 'zola' && { hasTags: (await fact('zolaTags', reader, 'config.toml')) ?? false }),
    ...(hostFile && { hostFile }),
  };
}

/** Files that can name the version of Hugo that builds the site. */
const buildFiles = ['netlify.toml', 'vercel.json', '.gitlab-ci.yml', '.tool-versions', 'mise.toml'];
const workflowFolders = ['.github/workflows', '.forgejo/workflows', '.gitea/workflows'];
/** The first minor version of Hugo (0.123) in which pages use the field `build` instead of `_build`. */
export const firstWithBuild = 123;

type ReadFact = <K extends keyof FolderJobs>(
  job: K,
  reader: FolderReader,
  file: string,
) => Promise<ReturnType<FolderJobs[K]> | undefined>;

/**
 * Returns a function that runs a job on a file. It returns undefined if the file doesn't exist, or if it exceeds the
 * limits. It gives up after a few such files, because each of them takes seconds.
 */
function factReader(read: ReadFolderText): ReadFact {
  let refused = 0;
  return async (job, reader, file) => {
    const text = await reader.read(file, longestConfig);
    if (text === undefined || refused >= mostRefused) return undefined;
    try {
      return await read(job, { file, text }, file);
    } catch (error) {
      if (overLimit(error) === undefined) throw error;
      refused += 1;
      return undefined;
    }
  };
}

async function isOldHugo(readers: readonly FolderReader[], fact: ReadFact): Promise<boolean | undefined> {
  for (const reader of readers) {
    const files = [...buildFiles];
    for (const dir of workflowFolders)
      for (const name of await reader.list(dir)) if (/\.ya?ml$/.test(name)) files.push(`${dir}/${name}`);
    for (const file of files.slice(0, mostBuildFiles)) {
      const minor = await fact('hugoMinor', reader, file);
      if (minor !== undefined) return minor < firstWithBuild;
    }
  }
  return undefined;
}

async function jekyllFacts(
  reader: FolderReader,
  fact: ReadFact,
): Promise<Pick<FolderFacts, 'hasRedirectFrom' | 'postLayout'>> {
  const found = [
    await fact('jekyllConfig', reader, '_config.yml'),
    await fact('jekyllConfig', reader, '_config.yaml'),
  ];
  // Jekyll loads the gems in the group `jekyll_plugins` of the Gemfile, even if its configuration doesn't list them.
  const hasRedirectFrom =
    found.some((one) => one?.hasRedirectFrom) || (await fact('gemsOfJekyll', reader, 'Gemfile')) === true;
  const layout = found.find((one) => one?.hasDefaults)?.postLayout;
  return { hasRedirectFrom, ...(layout !== undefined && { postLayout: layout }) };
}

/** Returns the redirects file that the site's host reads. */
async function hostFileIn(
  reader: FolderReader,
  generator: Generator,
  readers: readonly FolderReader[],
  fact: ReadFact,
): Promise<FolderFacts['hostFile']> {
  const folders = new Set([copiedFolder[generator], ...otherFolders]);
  for (const dir of folders) {
    const file = `${dir}_redirects`;
    if ((await reader.read(file, 1)) === undefined) continue;
    for (const one of readers)
      if ((await one.read('netlify.toml', 1)) !== undefined) return { file, format: 'netlify' };
    return { file, format: 'redirects' };
  }
  for (const dir of folders) {
    const file = `${dir}.htaccess`;
    // Porchlight adds redirects to .htaccess only if the file already contains such directives. On a host that
    // forbids them, Apache would answer every request with an error.
    if ((await fact('hasRedirects', reader, file)) === true) return { file, format: 'apache' };
  }
  return undefined;
}
