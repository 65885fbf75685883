import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { repositoryAbove } from '../../../../src-main/platform/folder-files.ts';
import { openGit } from '../../../../src-main/site-folder/git/git.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { remoteUrl } from '../../../support/built-site.ts';
import { gitScene, posting, toBranch, toOrigin } from '../../../support/git-scene.ts';

test('a folder in no repository, without git, or that is missing has no facts', async () => {
  const scene = await gitScene();
  const at = (folder: string, program?: string) => openGit({ folder, log: silentLog, program }).inspect();
  expect(await at(scene.dir)).toBeNull();
  expect(await at(path.join(scene.dir, 'nothing'))).toBeNull();
  expect(await at(scene.site, 'no-such-git')).toBeNull();
  expect(await at(scene.site)).toEqual({
    branch: 'main',
    remotes: ['origin'],
    remote: 'origin',
    problem: null,
  });
});

test('a git that is too old can’t commit, and the message names the version that the owner needs', async () => {
  const scene = await gitScene();
  const program = path.join(scene.dir, 'old-git');
  const write = (version: string) =>
    writeFile(
      program,
      `#!/bin/sh\n[ "$1" = --version ] && echo 'git version ${version}' && exit\nexec git "$@"\n`,
      {
        mode: 0o755,
      },
    );
  for (const version of ['2.37.7', '1.99.0', 'none']) {
    await write(version);
    const git = scene.open({ program });
    expect(await git.inspect()).toMatchObject({
      branch: null,
      problem: expect.stringContaining('Install git 2.38 or newer') as string,
    });
    await expect(git.list(toOrigin)).rejects.toMatchObject({ kind: 'old_git' });
  }
  await write('2.38.0');
  expect(await scene.open({ program }).inspect()).toMatchObject({ branch: 'main', problem: null });
});

test('the root of the repository is found above a folder, and not if it is the folder', async () => {
  const scene = await gitScene();
  expect(await repositoryAbove(path.join(scene.site, 'content'))).toBe(scene.site);
  expect(await repositoryAbove(path.join(scene.site, 'content/missing'))).toBe(scene.site);
  expect(await repositoryAbove(scene.site)).toBeUndefined();
  expect(await repositoryAbove(scene.dir)).toBeUndefined();
});

test('a detached HEAD and an ignored folder are problems', async () => {
  const scene = await gitScene();
  await scene.owner('checkout', '-q', '--detach');
  expect(await scene.open().inspect()).toMatchObject({
    branch: null,
    problem: 'No branch is checked out. Check out a branch (git switch).',
  });
  await scene.owner('switch', '-q', 'main');
  await mkdir(path.join(scene.site, 'out'));
  await writeFile(path.join(scene.site, '.gitignore'), 'out\n');
  const git = scene.open({ folder: path.join(scene.site, 'out') });
  expect(await git.inspect()).toMatchObject({
    problem: 'The repository ignores this folder. Remove it from .gitignore.',
  });
});

test('a folder that only .git/info/exclude ignores is a problem, too', async () => {
  const scene = await gitScene();
  await mkdir(path.join(scene.site, 'out'));
  const git = scene.open({ folder: path.join(scene.site, 'out') });
  expect(await git.inspect()).toMatchObject({ problem: null });
  await writeFile(path.join(scene.site, '.git/info/exclude'), 'out\n');
  expect(await git.inspect()).toMatchObject({
    problem: 'The repository ignores this folder. Remove it from .gitignore.',
  });
});

test('private directories of git that a killed process left behind are removed after an hour', async () => {
  const scene = await gitScene();
  const [old, fresh] = ['old', 'fresh'].map((name) =>
    path.join(tmpdir(), `porchlight-git-${name}-${path.basename(scene.dir)}`),
  ) as [string, string];
  for (const dir of [old, fresh]) {
    await mkdir(dir);
    await symlink(path.join(scene.site, '.git/objects'), path.join(dir, 'objects'));
  }
  const then = Date.now() / 1000 - 7200;
  await utimes(old, then, then);
  await scene.open().publish([posting({ 'a.md': 'x' })], toOrigin);
  expect(existsSync(old)).toBe(false);
  expect(existsSync(fresh)).toBe(true);
  await rm(fresh, { recursive: true });
  await scene.check();
});

test('a site in a folder of the repository, in a linked worktree and in a shallow clone', async () => {
  const scene = await gitScene();
  const bare = path.join(scene.dir, 'bare.git');
  await scene.in('.', 'clone', '-q', '--bare', scene.remote, bare);
  await scene.in(bare, 'worktree', 'add', '-q', '../linked', 'main');
  await scene.in('.', 'clone', '-q', '--depth', '1', `file://${scene.remote}`, 'shallow');
  for (const folder of [bare, 'shallow']) await scene.in(folder, 'remote', 'set-url', 'origin', remoteUrl);
  for (const [name, target] of [
    ['linked', toBranch],
    ['shallow', toOrigin],
    ['site', toOrigin],
  ] as const) {
    const git = scene.open({ folder: path.join(scene.dir, name, 'content') });
    expect(await git.inspect()).toMatchObject({ branch: 'main', problem: null });
    expect(await git.list(target)).toContain('about.md');
    expect(await git.publish([posting({ [`${name}.md`]: 'x' })], target), name).toMatchObject({
      setAside: [],
    });
    expect(await scene.in(name, 'show', `HEAD:content/${name}.md`).catch(() => '')).toBe('x');
    expect(await scene.in(name, 'status', '--porcelain')).toBe('');
  }
  await scene.check();
});

test('a folder that vanishes is trouble, not a missing git', async () => {
  const scene = await gitScene();
  const git = scene.open();
  await git.list(toOrigin);
  await rm(scene.site, { recursive: true });
  await expect(git.publish([posting({ 'a.md': 'x' })], toOrigin)).rejects.toMatchObject({ kind: 'missing' });
});
