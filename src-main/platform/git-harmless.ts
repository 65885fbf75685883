import type { FolderRun } from '../contract/site-folder.ts';
import type { GitSetting } from './git-config-file.ts';

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
