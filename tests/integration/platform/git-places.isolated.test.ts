import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { posting, toOrigin, type GitScene } from '../../support/git-scene.ts';
import {
  cleanScene,
  configure,
  expectRefused,
  withAttributes,
  type Hostile,
} from '../../support/hostile-repository.ts';

const run = promisify(execFile);
const post = posting({ 'content/posts/one.md': 'One\n' });
const shout = 'tr a-z A-Z';

describe('a linked working tree', () => {
  test('a linked working tree is checked with the folder that its file .git names, the common one and its own configuration', async () => {
    const { scene, hostile, isAgreed, agree } = await cleanScene();
    await withAttributes(scene, 'content/posts/*.md filter=evil');
    await scene.owner('switch', '-q', '-c', 'draft');
    await scene.owner('worktree', 'add', '-q', '../linked', 'main');
    await scene.owner('config', 'extensions.worktreeConfig', 'true');
    const linked = path.join(scene.dir, 'linked');
    const git = scene.open({ folder: linked, isAgreed });
    expect(await git.inspect()).toMatchObject({ root: linked, branch: 'main', runs: [], isAgreed: true });
    const evil = await hostile.program('evil', shout);
    const own = path.join(scene.site, '.git/worktrees/linked/config.worktree');
    await writeFile(own, `[filter "evil"]\nclean = ${evil}\n`);
    const command = { command: evil, name: 'filter.evil.clean' };
    expect(await git.inspect()).toMatchObject({ runs: [command], isAgreed: false });
    await expectRefused(git, 'unagreed');
    // The other working tree may be updated from here, so its configuration counts here, too.
    expect(await scene.open({ isAgreed }).inspect()).toMatchObject({ runs: [command], isAgreed: false });
    expect(hostile.traces()).toEqual([]);

    await agree(linked);
    await git.publish([post], toOrigin);
    expect(await scene.published('content/posts/one.md')).toBe('ONE\n');
    // A hook of the common folder is one of this working tree.
    await cp(evil, path.join(scene.site, '.git/hooks/pre-push'));
    await expectRefused(git, 'unagreed');
  });

  test('a linked working tree whose list names another repository leaves that repository alone', async () => {
    const { scene, hostile, git } = await cleanScene();
    const other = path.join(scene.dir, 'other');
    await scene.clone('other');
    const evil = await hostile.program('evil');
    await configure(
      path.join(other, '.git/config'),
      `[core]\nfsmonitor = ${evil}\n[filter "evil"]\nsmudge = ${evil}\nclean = ${evil}`,
    );
    await writeFile(path.join(other, '.git/info/attributes'), '*.md filter=evil\n');
    const entry = path.join(scene.site, '.git/worktrees/other');
    await scene.owner('switch', '-q', '-c', 'draft');
    await mkdir(entry, { recursive: true });
    await writeFile(path.join(entry, 'gitdir'), `${other}/.git\n`);
    await writeFile(path.join(entry, 'commondir'), '../..\n');
    await writeFile(path.join(entry, 'HEAD'), 'ref: refs/heads/main\n');
    expect(await git.inspect()).toMatchObject({ branch: 'draft', runs: [], isAgreed: true });
    await git.publish([post], toOrigin);
    expect(await scene.published('content/posts/one.md')).toBe('One\n');
    expect(hostile.traces()).toEqual([]);
    await hostile.forget();
    await expect(readFile(path.join(other, 'content/posts/one.md'))).rejects.toThrow('ENOENT');
  });
});

describe('a repository that Porchlight can’t check', () => {
  /** Expects that the folder can't be used, that the owner reads why, and that nothing has run. */
  async function expectUnread(
    scene: GitScene,
    hostile: Hostile,
    folder: string,
    words: string,
  ): Promise<void> {
    const git = scene.open({ folder });
    expect(await git.inspect()).toMatchObject({
      branch: null,
      problem: expect.stringContaining(words) as string,
    });
    await expectRefused(git, 'unread');
    expect(hostile.traces()).toEqual([]);
  }

  test('a bare repository within the files of another one can’t be published to', async () => {
    const { scene, hostile } = await cleanScene();
    const embedded = path.join(scene.site, 'blog');
    await scene.in('.', 'init', '-q', '--bare', embedded);
    const evil = await hostile.program('evil');
    await configure(
      path.join(embedded, 'config'),
      `[core]\nbare = false\nworktree = ${embedded}\nfsmonitor = ${evil}`,
    );
    await mkdir(path.join(embedded, 'content'));
    for (const folder of [embedded, path.join(embedded, 'content')])
      await expectUnread(scene, hostile, folder, 'bare git repository');
  });

  test.each([
    ['with an invalid line', (config: string) => `${config}\n[core\n`, 'isn’t valid'],
    ['with a zero byte', (config: string) => `${config}\n[core]\na = b\0\n`, 'isn’t valid'],
    ['that is too large', (config: string) => `${config}\n${'# comment\n'.repeat(60_000)}`, 'larger'],
    ['that includes itself', (config: string) => `${config}\n[include]\npath = config\n`, 'too deeply'],
    [
      'that includes a device',
      (config: string) => `${config}\n[include]\npath = /dev/zero\n`,
      'isn’t a file',
    ],
    [
      'that includes another user’s file',
      (config: string) => `${config}\n[include]\npath = ~root/x\n`,
      'can’t check',
    ],
    [
      'whose files are elsewhere',
      (config: string) => `${config}\n[core]\nworktree = /tmp\n`,
      'core.worktree',
    ],
    [
      'with a command that is too long to be shown',
      (config: string) => `${config}\n[core]\nsshCommand = ${'x'.repeat(5000)}\n`,
      'too long',
    ],
    [
      'with more programs than can be shown',
      (config: string) =>
        `${config}\n${Array.from({ length: 400 }, (_, at) => `[alias]\na${at} = !x\n`).join('')}`,
      'more programs',
    ],
  ])('a repository with a configuration %s can’t be published to', async (_, change, words) => {
    const { scene, hostile, config } = await cleanScene();
    const evil = await hostile.program('evil');
    await configure(config, `[core]\nfsmonitor = ${evil}`);
    await writeFile(config, change(await readFile(config, 'utf8')));
    await expectUnread(scene, hostile, scene.site, words);
  });

  test('a repository with a pipe in place of a file can’t be published to, and nothing waits for the pipe', async () => {
    const { scene, hostile, config } = await cleanScene();
    await rm(config);
    await run('mkfifo', [config]);
    await expectUnread(scene, hostile, scene.site, 'isn’t a file');
  });

  test('a damaged repository can’t be published to, and git doesn’t use the repository around it instead', async () => {
    const { scene, hostile } = await cleanScene();
    const evil = await hostile.program('evil');
    await scene.in('.', 'init', '-q');
    await configure(path.join(scene.dir, '.git/config'), `[core]\nfsmonitor = ${evil}`);
    await writeFile(path.join(scene.site, '.git/HEAD'), 'damaged');
    // Git doesn't take this for a repository, but Porchlight can't tell.
    const git = scene.open();
    await expect(git.list(toOrigin)).rejects.toMatchObject({ kind: 'broken' });
    await rm(path.join(scene.site, '.git/HEAD'));
    await expectUnread(scene, hostile, scene.site, 'isn’t a git folder');
    await rm(path.join(scene.site, '.git'), { recursive: true });
    await writeFile(path.join(scene.site, '.git'), 'gitdir: ../nowhere\n');
    await expectUnread(scene, hostile, scene.site, 'isn’t a git folder');
  });
});
