import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  configFor,
  type ParseConfig,
  readFolderSettings,
} from '../../../../src-main/site-folder/git/git-settings.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

/** Reads one setting per line, as git prints it. */
const parse: ParseConfig = (content) =>
  Promise.resolve(
    content
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

async function settingsOf(files: Readonly<Record<string, readonly string[]>>) {
  const root = await temporaryFolder();
  const gitDir = path.join(root, '.git');
  await mkdir(gitDir);
  for (const [name, lines] of Object.entries(files)) await writeFile(path.join(root, name), lines.join('\n'));
  return readFolderSettings({ root, prefix: '', gitDir, commonDir: gitDir }, parse);
}

const origin = 'remote.origin.url=git@git.example:me/site.git';

test('Porchlight’s own configuration has the values that it knows, and nothing else', async () => {
  const settings = await settingsOf({
    '.git/config': [
      'core.repositoryformatversion=1',
      'core.autocrlf=input',
      'core.filemode=maybe',
      'core.sparsecheckout=false',
      'core.fsmonitor=evil',
      'core.hookspath=evil',
      'extensions.objectformat=sha256',
      'extensions.worktreeconfig=true',
      'user.name=Ada "A" \\ B',
      'user.email=a\tb',
      'filter.evil.clean=evil',
      'include.path=evil',
      origin,
      'remote.origin.pushurl=ssh://git@git.example/me/site.git',
      'remote.origin.fetch=+refs/heads/*:refs/remotes/origin/*',
      'remote.origin.uploadpack=evil',
      'remote.other.url=https://git.example/other.git',
      'remote.-evil.url=https://git.example/evil.git',
      'remote.a/../b.url=https://git.example/evil.git',
    ],
    '.git/config.worktree': ['core.sparsecheckout=true', 'index.sparse=true'],
  });
  expect([...settings.remotes.keys()]).toEqual(['origin', 'other']);
  expect(configFor(settings, 'origin').replaceAll('\n\t', ' ').split('\n')).toEqual([
    '[core] repositoryformatversion = "1"',
    '[core] bare = "false"',
    '[core] autocrlf = "input"',
    '[core] sparsecheckout = "true"',
    '[extensions] objectformat = "sha256"',
    '[user] name = "Ada \\"A\\" \\\\ B"',
    '[index] sparse = "true"',
    '[lfs] url = "git@git.example:me/site.git"',
    '[lfs] pushurl = "ssh://git@git.example/me/site.git"',
    '[remote "origin"] url = "git@git.example:me/site.git"',
    '[remote "origin"] pushurl = "ssh://git@git.example/me/site.git"',
    '[remote "origin"] fetch = "+refs/heads/*:refs/remotes/origin/*"',
    '',
  ]);
});

test.each([
  ['+refs/heads/main:refs/remotes/origin/main', true],
  ['refs/heads/*:refs/remotes/origin/*', true],
  ['+refs/heads/*:refs/heads/*', false],
  ['+refs/heads/main:refs/heads/draft', false],
  ['+refs/heads/*:refs/remotes/../heads/*', false],
])('fetches update the branch of the remote, and no other: %s', async (line, isTracked) => {
  const settings = await settingsOf({ '.git/config': [origin, `remote.origin.fetch=${line}`] });
  expect(settings.remotes.get('origin')).toMatchObject({ isTracked });
});

test.each([
  ['https://git.example/a.git', true],
  ['ssh://git@git.example:22/a.git', true],
  ['git@git.example:a.git', true],
  ['http://git.example/a.git', false],
  ['git://git.example/a.git', false],
  ['file:///a.git', false],
  ['/a.git', false],
  ['../a.git', false],
  ['C:\\a.git', false],
  ['\\\\host\\a.git', false],
  ['//host/a.git', false],
  ['ext::evil', false],
  ['fd::3', false],
  ['ssh://-oProxyCommand=evil/a.git', false],
  ['-oProxyCommand=evil@git.example:a.git', false],
  ['git@-oProxyCommand=evil:a.git', false],
  ['git@git.example:-a', false],
  ['https:///a.git', false],
  ['https://git.example/a b.git', false],
])('Porchlight pushes to addresses by https and ssh only: %s is %s', async (url, isUsable) => {
  for (const name of ['url', 'pushurl']) {
    const settings = await settingsOf({
      '.git/config': ['remote.origin.url=https://git.example/', `remote.origin.${name}=${url}`],
    });
    expect(settings.remotes.get('origin')).toMatchObject({ isUsable });
    if (!isUsable) expect(configFor(settings, 'origin')).not.toContain('[remote');
  }
});

describe('the server of Git LFS', () => {
  const lfsOf = async (files: Parameters<typeof settingsOf>[0], remote: string | null = 'origin') =>
    [...configFor(await settingsOf(files), remote).matchAll(/\[lfs\]\n\t(\w+) = "(.*)"/g)].map(
      ([, name, value]) => `${name} ${value}`,
    );

  test('Git LFS gets no server but one by https or ssh', async () => {
    const config = ['remote.origin.url=https://git.example/me/site'];
    const derived = ['url', 'pushurl'].map((name) => `${name} https://git.example/me/site.git/info/lfs`);
    expect(await lfsOf({ '.git/config': config })).toEqual(derived);
    const hostile = ['lfs.url=file:///evil', 'lfs.pushurl=http://evil.example/'];
    expect(await lfsOf({ '.git/config': [...config, ...hostile], '.lfsconfig': hostile })).toEqual(derived);
    expect(await lfsOf({ '.git/config': config }, null)).toEqual([
      'url https://porchlight.invalid/',
      'pushurl https://porchlight.invalid/',
    ]);
  });

  test('is the one in .lfsconfig, unless the configuration names another one', async () => {
    const files = { '.git/config': [origin], '.lfsconfig': ['lfs.url=https://lfs.example/'] };
    expect(await lfsOf(files)).toEqual(['url https://lfs.example/', 'pushurl https://lfs.example/']);
    expect(
      await lfsOf({ ...files, '.git/config': [origin, 'lfs.pushurl=ssh://git@lfs.example/push'] }),
    ).toEqual(['url https://lfs.example/', 'pushurl ssh://git@lfs.example/push']);
  });
});
