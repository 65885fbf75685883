import path from 'node:path';
import { filesOnly, type GitPlace, readPlainFile } from './git-place.ts';

/** A remote in the folder's own configuration. */
interface FolderRemote {
  readonly urls: readonly string[];
  readonly pushUrls: readonly string[];
  /** Whether fetches and pushes update `refs/remotes/<name>`, as git sets up a clone. */
  readonly isTracked: boolean;
  /** Whether all addresses are ones that Porchlight pushes to. */
  readonly isUsable: boolean;
}

/** The few values that Porchlight takes from a folder's own configuration. */
export interface FolderSettings {
  /** The values for Porchlight's own configuration, except those about remotes. */
  readonly values: ReadonlyMap<string, string>;
  readonly remotes: ReadonlyMap<string, FolderRemote>;
  /** The remote and the ref that each branch follows, keyed by `branch.<name>.remote` and `branch.<name>.merge`. */
  readonly upstreams: ReadonlyMap<string, string>;
  /** Whether the repository's main git folder has no working tree of its own. */
  readonly isBare: boolean;
  /** The servers of Git LFS that the folder names: `lfs.url` and `lfs.pushurl`. */
  readonly lfs: ReadonlyMap<string, string>;
  /** The names of settings about connections that git would use in the folder, and that Porchlight doesn't use. */
  readonly unused: readonly string[];
}

/** The settings in a file of git's configuration, in its order. Sections and names are in lower case. */
type Entries = readonly (readonly [key: string, value: string])[];

/** Parses a file of git's configuration. `file`: its name, for the error. */
export type ParseConfig = (content: Buffer, file: string) => Promise<Entries>;

/** The maximum size of a configuration file, in bytes. */
const largestFile = 500_000;
/** The server of Git LFS for repositories without one. No name below `.invalid` exists. */
const noLfsServer = 'https://porchlight.invalid/';

const boolean = /^(?:true|false|yes|no|on|off|[01]|)$/i;
const oneLine = /^\P{Cc}{0,1000}$/u;
/** The settings that Porchlight takes over, with the values that it accepts. */
const taken = new Map<string, RegExp>([
  ...[
    'core.filemode',
    'core.ignorecase',
    'core.precomposeunicode',
    'core.symlinks',
    'core.longpaths',
    'core.sparsecheckout',
    'core.sparsecheckoutcone',
    'index.sparse',
  ].map((key): [string, RegExp] => [key, boolean]),
  ...['user', 'author', 'committer'].flatMap((role): [string, RegExp][] => [
    [`${role}.name`, oneLine],
    [`${role}.email`, oneLine],
  ]),
  ['core.autocrlf', /^(?:true|false|yes|no|on|off|[01]|input|)$/i],
  ['core.eol', /^(?:lf|crlf|native)$/i],
  ['extensions.objectformat', /^sha(?:1|256)$/i],
]);
/** The extensions of the repository's format that change nothing for Porchlight. */
const knownExtensions = new Set(['objectformat', 'worktreeconfig', 'relativeworktrees', 'noop']);
const aboutConnections =
  /^(?:core\.(?:sshcommand|gitproxy|askpass)|credential\..*|url\..*insteadof|http\..*)$/;

/**
 * Reads the few values that Porchlight takes from a repository's own configuration.
 * @throws GitTrouble `files_only` if a file can't be read, or if the repository has a form that Porchlight doesn't know
 */
export async function readFolderSettings(place: GitPlace, parse: ParseConfig): Promise<FolderSettings> {
  const { root, gitDir, commonDir } = place;
  const entriesIn = async (file: string): Promise<Entries> => {
    const content = await readPlainFile(file, largestFile);
    return content === undefined ? [] : parse(content, file);
  };
  const shared = await entriesIn(path.join(commonDir, 'config'));
  const hasOwn = isOn(new Map(shared).get('extensions.worktreeconfig'));
  const own = hasOwn ? await entriesIn(path.join(gitDir, 'config.worktree')) : [];
  const ofMain =
    hasOwn && gitDir !== commonDir ? await entriesIn(path.join(commonDir, 'config.worktree')) : own;
  const entries = [...shared, ...own];
  const isBare = isOn(new Map([...shared, ...ofMain]).get('core.bare'));
  requireKnownForm(entries);
  const tree = new Map(gitDir === commonDir ? entries : own).get('core.worktree');
  if (tree !== undefined && path.resolve(gitDir, tree) !== root)
    throw filesOnly(`The repository’s files are in ${tree} (core.worktree).`);
  if (isBare && gitDir === commonDir) throw filesOnly('The repository is a bare one (core.bare).');
  const ofLfs = [...(await entriesIn(path.join(root, '.lfsconfig'))), ...entries];
  return {
    values: new Map(entries.filter(([key, value]) => taken.get(key)?.test(value) === true)),
    remotes: remotesAmong(entries),
    upstreams: new Map(entries.filter(([key]) => /^branch\..*\.(?:remote|merge)$/s.test(key))),
    isBare,
    lfs: new Map(ofLfs.filter(([key, value]) => /^lfs\.(?:push)?url$/.test(key) && isRemoteUrl(value))),
    unused: [...new Set(entries.map(([key]) => key).filter((key) => aboutConnections.test(key)))],
  };
}

/**
 * Checks that Porchlight knows the repository's form.
 * @throws GitTrouble `files_only`
 */
function requireKnownForm(entries: Entries): void {
  for (const [key, value] of entries) {
    const [, extension] = /^extensions\.(.*)$/s.exec(key) ?? [];
    const isPartial =
      extension === 'partialclone' ||
      /^remote\..*\.partialclonefilter$/s.test(key) ||
      (/^remote\..*\.promisor$/s.test(key) && isOn(value));
    if (isPartial)
      throw filesOnly('The repository is a partial clone, which fetches files when it needs them.');
    const isUnknown =
      (extension !== undefined && !knownExtensions.has(extension)) ||
      (key === 'core.repositoryformatversion' && !/^[01]$/.test(value));
    if (isUnknown)
      throw filesOnly(`The repository has a form that Porchlight doesn’t know (${key} ${value}).`);
  }
}

function remotesAmong(entries: Entries): Map<string, FolderRemote> {
  const found = new Map<string, Record<'url' | 'pushurl' | 'fetch', string[]>>();
  for (const [key, value] of entries) {
    const [, name = '', part] = /^remote\.(.+)\.(url|pushurl|fetch)$/s.exec(key) ?? [];
    if (part === undefined || !isRemoteName(name)) continue;
    const remote = found.get(name) ?? { url: [], pushurl: [], fetch: [] };
    remote[part as keyof typeof remote].push(value);
    found.set(name, remote);
  }
  return new Map(
    [...found].flatMap(([name, { url: urls, pushurl: pushUrls, fetch }]): [string, FolderRemote][] => {
      const isTracked = fetch.some((line) => {
        const [, branches = ''] = /^\+?refs\/heads\/([^:]+):/.exec(line) ?? [];
        return line.endsWith(`refs/heads/${branches}:refs/remotes/${name}/${branches}`);
      });
      const isUsable = [...urls, ...pushUrls].every(isRemoteUrl);
      return urls.length === 0 ? [] : [[name, { urls, pushUrls, isTracked, isUsable }]];
    }),
  );
}

/** Returns whether a text is the name of a remote that git can't take for a URL, a path or an option. */
const isRemoteName = (name: string) =>
  /^[A-Za-z0-9][\w.-]*(?:\/\w[\w.-]*)*$/.test(name) && !/\.\.|\.lock(?:\/|$)|\.$/.test(name);

/** Returns whether a URL leads to a git server by https or ssh: `https://…`, `ssh://…` or `git@host:path`. */
function isRemoteUrl(url: string): boolean {
  if (!/^[\x21-\x5B\x5D-\x7E]+$/.test(url)) return false;
  if (/^\w[\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?![:-])/.test(url)) return true;
  if (!/^(?:https|ssh):\/\/[^/]/.test(url) || !URL.canParse(url)) return false;
  const { hostname, username } = new URL(url);
  return hostname !== '' && !hostname.startsWith('-') && !username.startsWith('-');
}

const isOn = (value: string | undefined) => value !== undefined && !/^(?:false|no|off|0|)$/i.test(value);

/**
 * Returns the text of Porchlight's own configuration for a repository. `remote`: the only remote that it knows; null for
 * none.
 */
export function configFor(settings: FolderSettings, remote: string | null): string {
  const { values, remotes, lfs } = settings;
  const version = values.has('extensions.objectformat') ? '1' : '0';
  const found = remote === null ? undefined : remotes.get(remote);
  const usable = found?.isUsable === true ? found : undefined;
  const [fetched, pushed] = [usable?.urls[0], (usable?.pushUrls ?? []).concat(usable?.urls ?? [])[0]];
  // Git LFS would read other servers from .lfsconfig if one of these were missing.
  const lfsUrl = lfs.get('lfs.url') ?? lfsServerOf(fetched);
  const lfsPushUrl = lfs.get('lfs.pushurl') ?? lfs.get('lfs.url') ?? lfsServerOf(pushed);
  const about = (name: string, list: readonly string[]) =>
    list.map((value): [string, string] => [`remote.${remote ?? ''}.${name}`, value]);
  const entries: (readonly [string, string])[] = [
    ['core.repositoryformatversion', version],
    ['core.bare', 'false'],
    ...values,
    ['lfs.url', lfsUrl],
    ['lfs.pushurl', lfsPushUrl],
    ...about('url', usable?.urls ?? []),
    ...about('pushurl', usable?.pushUrls ?? []),
    ...about('fetch', usable?.isTracked === true ? [`+refs/heads/*:refs/remotes/${remote ?? ''}/*`] : []),
  ];
  return entries.map(([key, value]) => lineFor(key, value)).join('');
}

/** Returns the server of Git LFS for the address of a remote, by the rules of Git LFS. */
function lfsServerOf(url: string | undefined): string {
  if (url === undefined) return noLfsServer;
  if (!url.startsWith('https:')) return url;
  const plain = url.replace(/\/+$/, '');
  return `${plain}${plain.endsWith('.git') ? '' : '.git'}/info/lfs`;
}

function lineFor(key: string, value: string): string {
  const [, section = '', , subsection, name = ''] = /^([^.]+)(\.(.+))?\.([^.]+)$/s.exec(key) ?? [];
  const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
  const header = subsection === undefined ? section : `${section} ${quoted(subsection)}`;
  return `[${header}]\n\t${name} = ${quoted(value)}\n`;
}
