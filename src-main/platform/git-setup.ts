import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { FolderRun } from '../contract/site-folder.ts';
import { sha256 } from '../storage/sha256.ts';
import { errorCode } from '../storage/storage-error.ts';
import { GitConfigError, type GitSetting, gitText, parseGitConfig } from './git-config-file.ts';
import {
  findRepository,
  type GitPlace,
  isOnNetwork,
  readRegularFile,
  statAt,
  unreadable,
} from './git-place.ts';
import { GitTrouble } from './git-trouble.ts';

/** What a folder's repository brings with it, read without running git. */
export interface GitSetup {
  readonly place: GitPlace;
  /** The settings in the repository's own configuration files. */
  readonly settings: readonly GitSetting[];
  /** The programs that git would run for this repository, and the other places that it would use. */
  readonly runs: readonly FolderRun[];
  /** Identifies the repository and everything in `runs`, with the contents of hooks: a SHA-256 in hex. */
  readonly digest: string;
}

/** Returns whether the owner has agreed to what a repository would run. `digest`: see GitSetup. */
export type IsAgreed = (digest: string) => boolean;

/** The limits of what Porchlight reads. A repository that exceeds one of them isn't used. */
const limits = {
  /** The maximum size of all configuration files together, in bytes. */
  config: 500_000,
  /** The maximum number of configuration files, and how deeply they may include each other (as in git). */
  files: 200,
  depth: 10,
  /** The maximum number of entries in `runs`, and the maximum length of a command. */
  runs: 300,
  command: 4000,
  /** The maximum number of files in a folder of hooks, and the maximum size of each, in bytes. */
  hooks: 200,
  hook: 10_000_000,
};

/**
 * Reads what git would run for the repository that contains a folder. Runs no program. Returns null if the folder is in
 * no repository.
 * @throws GitTrouble `missing` if the folder doesn't exist, `unread` if a file can't be read or understood
 */
export async function readGitSetup(folder: string): Promise<GitSetup | null> {
  const place = await findRepository(folder);
  return place && readSetup(place);
}

/** Returns whether git may run in a repository: it would run nothing that the owner hasn't agreed to. */
export const mayRun = ({ runs, digest }: GitSetup, isAgreed: IsAgreed) =>
  runs.length === 0 || isAgreed(digest);

/**
 * Reads what git would run for a folder's repository, and returns the repository if git may run there now.
 * @throws GitTrouble `unagreed` if the owner hasn't agreed to it, otherwise as readGitSetup
 */
export async function requireAgreement(folder: string, isAgreed: IsAgreed): Promise<GitPlace> {
  const setup = await readGitSetup(folder);
  if (setup === null) throw new GitTrouble('broken', `${folder} is in no git repository.`);
  if (!mayRun(setup, isAgreed)) throw new GitTrouble('unagreed', agreementWords(setup.runs));
  return setup.place;
}

/** Returns the message that tells the owner what to agree to. */
export function agreementWords(runs: readonly FolderRun[]): string {
  const shown = runs.slice(0, 3).map(({ name, command }) => `${name} (${shortened(command)})`);
  const rest = runs.length - shown.length;
  const all = [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  return `Publishing waits until you allow what this folder’s git configuration runs and uses: ${all}. Check the list in Settings, Your own site.`;
}

const shortened = (text: string) => (text.length > 100 ? `${text.slice(0, 99)}…` : text);

async function readSetup(place: GitPlace): Promise<GitSetup> {
  const { root, gitDir, commonDir } = place;
  if (path.dirname(root).includes(path.delimiter))
    throw unreadable(
      `Git can’t be limited to ${root}. Rename its folders so that none has a “${path.delimiter}”.`,
    );
  const settings: GitSetting[] = [];
  const runs: FolderRun[] = [];
  /** What identifies the setup, besides its place. */
  const known: string[] = [];
  let [left, files] = [limits.config, limits.files];

  /** Adds an entry to `runs`. `detail`: what identifies it if the entry itself doesn't. */
  function add(kind: FolderRun['kind'], name: string, command: string, detail = ''): void {
    const one = { kind, name: visible(name), command: visible(command) };
    if (one.name.length + one.command.length > limits.command)
      throw unreadable(`The setting ${one.name.slice(0, 100)} is too long to be shown.`);
    known.push(JSON.stringify([kind, name, command, detail]));
    if (runs.some((other) => JSON.stringify(other) === JSON.stringify(one))) return;
    runs.push(one);
    if (runs.length > limits.runs)
      throw unreadable(`${gitDir} names more programs than Porchlight can show.`);
  }

  /**
   * Reads a configuration file, and those that it includes. `scope`: whether it belongs to this working tree alone, to
   * all working trees, or to others only.
   */
  async function readConfig(file: string, scope: 'own' | 'shared' | 'others', depth = 0): Promise<void> {
    const bytes = await readRegularFile(file, left);
    if (bytes === undefined) return;
    if (depth > limits.depth || (files -= 1) < 0)
      throw unreadable(`${file} is included too deeply, or the configuration has too many files.`);
    left -= bytes.length;
    for (const setting of parsed(bytes, file)) {
      const { key, section, name, value } = setting;
      if (scope !== 'others') settings.push(setting);
      // As in git, this setting counts only for the working tree whose own configuration has it.
      if (key === 'core.worktree') {
        if (scope === 'own') requireRoot(path.resolve(gitDir, gitText(value ?? '')), root);
      } else if (!isHarmless(setting)) add(kindOf(setting), key, value ?? 'true');
      if (section.startsWith('include') && name === 'path')
        await readConfig(placeIn(path.dirname(file), value, file), scope, depth + 1);
      if (key === 'core.hookspath') await readHooks(placeIn(root, value, file));
    }
  }

  async function readHooks(dir: string): Promise<void> {
    const names = await namesIn(dir);
    if (names.length > limits.hooks) throw unreadable(`${dir} has more files than Porchlight reads.`);
    for (const name of names.filter((one) => !one.endsWith('.sample'))) {
      const file = path.join(dir, name);
      const found = await statAt(file);
      if (found === undefined || found.isDirectory()) continue;
      const hash = sha256((await readRegularFile(file, limits.hook)) ?? Buffer.alloc(0));
      const isProgram = process.platform === 'win32' || (found.mode & 0o111) !== 0;
      // The hash is shown, so that the owner agrees to the hook that they have looked at.
      if (isProgram) add('hook', latin(name), latin(`${file} (SHA-256 ${hash.slice(0, 32)}…)`), hash);
      else known.push(JSON.stringify([file, hash]));
    }
  }

  await readConfig(path.join(commonDir, 'config'), gitDir === commonDir ? 'own' : 'shared');
  await readConfig(path.join(gitDir, 'config.worktree'), 'own');
  // Porchlight may update a branch in another working tree.
  const worktrees = path.join(commonDir, 'worktrees');
  const others = (await namesIn(worktrees)).map((name) => path.join(worktrees, name));
  for (const dir of [commonDir, ...others])
    if (dir !== gitDir) await readConfig(path.join(dir, 'config.worktree'), 'others');
  // Git LFS reads this file, too.
  await readConfig(path.join(root, '.lfsconfig'), 'others');
  await readHooks(path.join(commonDir, 'hooks'));
  const alternates = await textOf(path.join(commonDir, 'objects', 'info', 'alternates'));
  for (const line of alternates.split('\n')) if (line !== '') add('place', 'objects/info/alternates', line);
  // Older ways to name remotes, which git still reads.
  for (const kind of ['remotes', 'branches'])
    for (const name of await namesIn(path.join(commonDir, kind)))
      add('connection', latin(`${kind}/${name}`), await textOf(path.join(commonDir, kind, name)));
  // Attributes choose among the filters, but name no programs themselves.
  if (runs.length > 0) known.push(await textOf(path.join(commonDir, 'info', 'attributes')));
  const digest = sha256(JSON.stringify([root, gitDir, commonDir, known]));
  return { place, settings, runs, digest };
}

function parsed(bytes: Buffer, file: string): GitSetting[] {
  try {
    return parseGitConfig(bytes);
  } catch (error) {
    if (!(error instanceof GitConfigError)) throw error;
    throw unreadable(
      `${file} can’t be read: line ${error.line} isn’t valid. Correct it, then try again.`,
      error,
    );
  }
}

/** Returns the place that a setting names. `base`: the folder that relative paths start from. */
function placeIn(base: string, value: string | null, file: string): string {
  const text = gitText(value ?? '');
  // Git resolves these to the home of another user, or to the folder in which git is installed.
  if (text === '' || /^(?:~[^/]|%\()/.test(text) || isOnNetwork(text))
    throw unreadable(`${file} names a place that Porchlight can’t check: “${visible(value ?? '')}”.`);
  return text.startsWith('~') ? path.join(homedir(), text.slice(1)) : path.resolve(base, text);
}

function requireRoot(worktree: string, root: string): void {
  if (path.relative(worktree, root) === '') return;
  throw unreadable(`The repository’s files are in ${worktree} (core.worktree). Choose that folder instead.`);
}

/** Returns the sorted names in a folder; none if there is no such folder. */
async function namesIn(dir: string): Promise<string[]> {
  try {
    return (await readdir(dir)).sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw unreadable(`${dir} can’t be read.`, error);
  }
}

/** Returns the content of a file, one character per byte; empty if it doesn't exist. */
const textOf = async (file: string) => (await readRegularFile(file, limits.config))?.toString('latin1') ?? '';

const latin = (text: string) => Buffer.from(text).toString('latin1');

/** Returns the text of bytes for display. Control, format and other invisible characters become visible escapes. */
const visible = (bytes: string) =>
  gitText(bytes).replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16) ?? ''}}`,
  );

/**
 * The settings that can name no program and no place, whatever their values are. A setting that isn't listed here
 * counts as one that can, so a new setting of git has to be agreed to until somebody has added it.
 */
const harmless = new Set(
  [
    'core.repositoryFormatVersion core.bare core.fileMode core.ignoreCase core.logAllRefUpdates core.symlinks',
    'core.precomposeUnicode core.autocrlf core.eol core.safecrlf core.quotePath core.abbrev core.compression',
    'core.looseCompression core.bigFileThreshold core.sparseCheckout core.sparseCheckoutCone core.untrackedCache',
    'core.splitIndex core.preloadIndex core.fscache core.longpaths core.trustctime core.checkStat core.commentChar',
    'core.whitespace core.hideDotFiles core.sharedRepository core.commitGraph core.multiPackIndex',
    'extensions.objectFormat extensions.worktreeConfig extensions.noop init.defaultBranch pull.rebase pull.ff',
    'push.default push.autoSetupRemote push.followTags fetch.prune fetch.pruneTags rebase.autoStash',
    'rebase.autoSquash merge.ff merge.conflictStyle commit.gpgSign tag.gpgSign gc.auto maintenance.auto',
    'maintenance.strategy index.version index.threads index.sparse feature.manyFiles lfs.repositoryFormatVersion',
    'lfs.locksVerify lfs.allowIncompletePush lfs.skipDownloadErrors lfs.fetchInclude lfs.fetchExclude',
  ]
    .join(' ')
    .toLowerCase()
    .split(' '),
);

/** Harmless settings with a subsection, by section. The value decides for some of them. */
const harmlessParts: Readonly<Record<string, (setting: GitSetting) => boolean>> = {
  branch: ({ name, value }) => !['remote', 'pushremote'].includes(name) || isRemoteName(value),
  remote: ({ subsection, name, value }) =>
    isRemoteName(subsection) &&
    (['fetch', 'tagopt', 'prune', 'skipfetchall', 'gh-resolved'].includes(name) ||
      (['url', 'lfsurl', 'lfspushurl'].includes(name) && isRemoteUrl(value))),
  submodule: ({ name, value }) =>
    name === 'active' ||
    (name === 'url' && isRemoteUrl(value)) ||
    (name === 'update' && /^(?:checkout|rebase|merge|none)$/.test(value ?? '')),
  lfs: ({ name, value }) =>
    name === 'locksverify' ||
    (name === 'access' && /^(?:basic|none|private|ntlm|negotiate)$/.test(value ?? '')),
};

/** Returns whether a setting can make git run no program, and can direct it to no other place. */
export function isHarmless(setting: GitSetting): boolean {
  const { key, section, subsection, value } = setting;
  if (harmless.has(key)) return true;
  if (subsection !== null) return harmlessParts[section]?.(setting) ?? false;
  if (key === 'core.fsmonitor') return /^(?:false|no|off|0|)$/i.test(value ?? 'true');
  if (key === 'lfs.url' || key === 'lfs.pushurl') return isRemoteUrl(value);
  return ['user', 'color', 'advice'].includes(section);
}

/** Returns whether a text is the name of a remote that git can't take for a URL or a path. A dot is this repository. */
const isRemoteName = (name: string | null) =>
  name === '.' || (name !== null && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) && !name.includes('..'));

/** Returns whether a URL leads to a git server by https or ssh: `https://…`, `ssh://…` or `git@host:path`. */
function isRemoteUrl(url: string | null): boolean {
  if (url === null || !/^[\x21-\x7E]+$/.test(url)) return false;
  if (/^\w[\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?![:-])/.test(url)) return true;
  if (!/^(?:https|ssh):\/\//.test(url) || !URL.canParse(url)) return false;
  const { hostname, username } = new URL(url);
  return hostname !== '' && !hostname.startsWith('-') && !username.startsWith('-');
}

/** Returns the kind of a setting that isn't harmless. */
export function kindOf({ key, section }: GitSetting): FolderRun['kind'] {
  if (section.startsWith('include')) return 'place';
  if (['filter', 'diff', 'merge'].includes(section)) return 'filter';
  if (['remote', 'url', 'http', 'credential', 'ssh', 'protocol', 'submodule', 'lfs'].includes(section))
    return 'connection';
  if (['core.sshcommand', 'core.gitproxy', 'core.askpass'].includes(key)) return 'connection';
  if (['core.hookspath', 'core.attributesfile', 'core.excludesfile'].includes(key)) return 'place';
  const isProgram = ['gpg', 'alias', 'pager', 'browser', 'man', 'difftool', 'mergetool'].includes(section);
  const programs = [
    'core.fsmonitor',
    'core.editor',
    'core.pager',
    'sequence.editor',
    'core.alternaterefscommand',
  ];
  return isProgram || programs.includes(key) ? 'program' : 'setting';
}
