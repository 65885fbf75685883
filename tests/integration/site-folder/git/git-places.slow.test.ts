import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { gitScene, posting, toBranch, toOrigin, type GitScene } from '../../../support/git-scene.ts';
import { configure, hostileScene, type Hostile } from '../../../support/hostile-repository.ts';

const run = promisify(execFile);
const post = posting({ 'content/posts/one.md': 'One\n' });

/** Settings that make git run a program at almost every call. */
const evilConfig = (program: string) =>
  `[core]\nfsmonitor = ${program}\nsshCommand = ${program}\nhooksPath = ${path.dirname(program)}/evil-hooks\n`;

/** Makes a program, and a folder of hooks that run it. */
async function evilProgram({ dir }: GitScene, hostile: Hostile): Promise<string> {
  const program = await hostile.program('evil', 'cat >/dev/null 2>&1');
  await mkdir(path.join(dir, 'evil-hooks'), { recursive: true });
  for (const name of ['pre-push', 'reference-transaction', 'post-index-change'])
    await cp(program, path.join(dir, 'evil-hooks', name));
  return program;
}

/** Makes `link`, so that `link/../evil` in the folder isn't `evil` in the folder. Returns the folder `evil` that it is. */
async function linkedPlace({ dir }: GitScene, folder: string): Promise<string> {
  await mkdir(path.join(dir, 'outside/inner'), { recursive: true });
  await symlink(path.join(dir, 'outside/inner'), path.join(folder, 'link'));
  return path.join(dir, 'outside/evil');
}

async function expectRefused(scene: GitScene, words: string, folder = scene.site): Promise<void> {
  const git = scene.open({ folder });
  const problem = expect.stringContaining(words) as string;
  expect(await git.inspect()).toMatchObject({ branch: null, remote: null, problem });
  expect(await git.warning(toOrigin)).toEqual(problem);
  for (const use of [
    () => git.list(toOrigin),
    () => git.hashes(['content/about.md'], toOrigin),
    () => git.read('content/about.md', toOrigin),
    () => git.publish([post], toOrigin),
    () => git.publish([post], toBranch),
  ])
    await expect(use()).rejects.toMatchObject({ kind: 'files_only', words: problem });
}

async function expectPublished(scene: GitScene, folder = scene.site): Promise<void> {
  const git = scene.open({ folder });
  expect(await git.inspect()).toMatchObject({ branch: 'main', remote: 'origin', problem: null });
  await git.publish([post], toOrigin);
  expect(await scene.published('content/posts/one.md')).toBe('One\n');
}

describe('no program runs, although its name is hidden', () => {
  test('in a git folder that the file .git names through a symlink', async () => {
    const { scene, hostile } = await hostileScene();
    const program = await evilProgram(scene, hostile);
    const place = await linkedPlace(scene, scene.site);
    await rename(path.join(scene.site, '.git'), place);
    // What the path would name without the symlink.
    await cp(place, path.join(scene.site, 'evil'), { recursive: true });
    await configure(path.join(place, 'config'), evilConfig(program));
    await writeFile(path.join(scene.site, '.git'), 'gitdir: link/../evil\n');
    await expectPublished(scene);
    expect(hostile.traces()).toEqual([]);
  });

  test('in a common folder that the file commondir names through a symlink', async () => {
    const { scene, hostile } = await hostileScene();
    const program = await evilProgram(scene, hostile);
    const gitDir = path.join(scene.site, '.git');
    await cp(gitDir, await linkedPlace(scene, gitDir), { recursive: true });
    await configure(path.join(scene.dir, 'outside/evil/config'), evilConfig(program));
    await writeFile(path.join(gitDir, 'commondir'), 'link/../evil\n');
    await expectRefused(scene, 'isn’t the git folder of a working tree as git creates it');
    expect(hostile.traces()).toEqual([]);
  });

  test('behind a path that isn’t UTF-8', async () => {
    const { scene, hostile } = await hostileScene();
    const program = await evilProgram(scene, hostile);
    const gitDir = path.join(scene.site, '.git');
    const evil = Buffer.concat([Buffer.from(`${scene.dir}/g`), Buffer.from([0xff])]);
    await run('sh', ['-c', `cp -r '${gitDir}' "$(printf '${scene.dir}/g\\377')"`]);
    await appendFile(Buffer.concat([evil, Buffer.from('/config')]), evilConfig(program));
    // What a reader finds that replaces the byte.
    await rename(gitDir, path.join(scene.dir, 'g\uFFFD'));
    await writeFile(gitDir, Buffer.concat([Buffer.from('gitdir: '), evil, Buffer.from('\n')]));
    await expectRefused(scene, 'isn’t a git folder that Porchlight can use');
    expect(hostile.traces()).toEqual([]);
  });

  test('in a linked working tree whose git folder is elsewhere', async () => {
    const { scene, hostile } = await hostileScene();
    const program = await evilProgram(scene, hostile);
    await scene.owner('switch', '-q', '-c', 'draft');
    await scene.owner('worktree', 'add', '-q', '../linked', 'main');
    await rename(path.join(scene.site, '.git/worktrees/linked'), path.join(scene.dir, 'elsewhere'));
    await configure(path.join(scene.site, '.git/config'), evilConfig(program));
    const linked = path.join(scene.dir, 'linked');
    await writeFile(path.join(linked, '.git'), `gitdir: ${scene.dir}/elsewhere\n`);
    await writeFile(path.join(scene.dir, 'elsewhere/commondir'), `${scene.site}/.git\n`);
    await expectRefused(scene, 'isn’t the git folder of a working tree as git creates it', linked);
    expect(hostile.traces()).toEqual([]);
  });

  test('in a configuration that is included through a symlink', async () => {
    const { scene, hostile, config } = await hostileScene();
    const program = await evilProgram(scene, hostile);
    await writeFile(await linkedPlace(scene, path.dirname(config)), evilConfig(program));
    await configure(config, '[include]\npath = link/../evil');
    await expectPublished(scene);
    expect(hostile.traces()).toEqual([]);
  });

  test('in hooks that core.hooksPath names through a symlink', async () => {
    const { scene, hostile, config } = await hostileScene();
    await evilProgram(scene, hostile);
    const place = await linkedPlace(scene, scene.site);
    await cp(path.join(scene.dir, 'evil-hooks'), place, { recursive: true });
    await configure(config, '[core]\nhooksPath = link/../evil');
    await expectPublished(scene);
    expect(hostile.traces()).toEqual([]);
  });

  test('in a bare repository within the files of another one', async () => {
    const { scene, hostile } = await hostileScene();
    const embedded = path.join(scene.site, 'blog');
    await scene.in('.', 'init', '-q', '--bare', embedded);
    const program = await evilProgram(scene, hostile);
    await configure(
      path.join(embedded, 'config'),
      `[core]\nbare = false\nworktree = ${embedded}\n${evilConfig(program)}`,
    );
    await mkdir(path.join(embedded, 'content'));
    for (const folder of [embedded, path.join(embedded, 'content')])
      await expectRefused(scene, 'bare git repository', folder);
    expect(hostile.traces()).toEqual([]);
  });
});

describe('a repository in which git would leave its folder isn’t used', () => {
  test.each([
    ['objects'],
    ['refs'],
    ['HEAD'],
    ['packed-refs'],
    ['index'],
    ['shallow'],
    ['worktrees'],
    ['refs/heads'],
    ['refs/heads/main'],
    ['refs/remotes/origin'],
    ['refs/porchlight'],
    ['logs'],
    ['logs/HEAD'],
    ['logs/refs/heads/main'],
    ['logs/refs/remotes/origin/main'],
    ['logs/refs/porchlight'],
  ])('if %s is a symlink', async (name) => {
    const scene = await gitScene();
    const place = path.join(scene.site, '.git', name);
    const outside = path.join(scene.dir, 'outside');
    if (existsSync(place)) await rename(place, outside);
    else if (/packed-refs|shallow/.test(name)) await writeFile(outside, '');
    else await mkdir(outside);
    await mkdir(path.dirname(place), { recursive: true });
    await symlink(outside, place);
    const before = await run('find', [outside, '-type', 'f', '-exec', 'sha256sum', '{}', '+']);
    const git = scene.open();
    await expect(git.publish([post], toOrigin)).rejects.toMatchObject({
      kind: 'files_only',
      words: expect.stringContaining(`${place} is neither a file nor a folder`) as string,
    });
    expect(await run('find', [outside, '-type', 'f', '-exec', 'sha256sum', '{}', '+'])).toEqual(before);
    expect(await scene.published('content/posts/one.md')).toBeNull();
  });

  test('if its branch stands for another one', async () => {
    const scene = await gitScene();
    await scene.owner('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    const git = scene.open();
    await expect(git.publish([post], { branch: 'alias', remote: null })).rejects.toMatchObject({
      kind: 'files_only',
    });
  });

  test('if a file is a pipe, and nothing waits for the pipe', async () => {
    for (const name of ['config', 'packed-refs', 'index']) {
      const scene = await gitScene();
      await rm(path.join(scene.site, '.git', name), { force: true });
      await run('mkfifo', [path.join(scene.site, '.git', name)]);
      await expectRefused(scene, name);
    }
  });

  test('if it uses the objects of another one', async () => {
    const scene = await gitScene();
    const file = path.join(scene.site, '.git/objects/info/alternates');
    await writeFile(file, '');
    await expectPublished(scene);
    await writeFile(file, `${scene.remote}/objects\n`);
    await expectRefused(scene, 'objects/info/alternates');
  });
});

describe('a repository of a form that Porchlight doesn’t know isn’t used', () => {
  test.each([
    ['a newer form', '[core]\nrepositoryFormatVersion = 2', 'core.repositoryformatversion 2'],
    [
      'reftable',
      '[core]\nrepositoryFormatVersion = 1\n[extensions]\nrefStorage = reftable',
      'refstorage reftable',
    ],
    ['an unknown extension', '[extensions]\npreciousObjects = true', 'extensions.preciousobjects'],
    ['a partial clone', '[remote "origin"]\npromisor = true', 'partial clone'],
    ['a partial clone by its extension', '[extensions]\npartialClone = origin', 'partial clone'],
    ['files elsewhere', '[core]\nworktree = /tmp', 'core.worktree'],
    ['no files', '[core]\nbare = true', 'core.bare'],
    ['an invalid line', '[core\n', 'isn’t valid'],
    ['a configuration that is too large', '# comment\n'.repeat(60_000), 'larger than Porchlight reads'],
  ])('with %s', async (_, text, words) => {
    const { scene, config } = await hostileScene();
    await configure(config, text);
    await expectRefused(scene, words);
  });

  test.each([['worktreeConfig = true'], ['relativeWorktrees = true'], ['noop = true']])(
    'but the extension %s is known',
    async (line) => {
      const { scene, config } = await hostileScene();
      await configure(config, `[core]\nrepositoryFormatVersion = 1\n[extensions]\n${line}`);
      await expectPublished(scene);
    },
  );

  test('a damaged repository isn’t used, and git doesn’t use the repository around it instead', async () => {
    const { scene, hostile } = await hostileScene();
    const program = await evilProgram(scene, hostile);
    await scene.in('.', 'init', '-q');
    await configure(path.join(scene.dir, '.git/config'), evilConfig(program));
    await writeFile(path.join(scene.site, '.git/HEAD'), 'damaged');
    await expect(scene.open().list(toOrigin)).rejects.toMatchObject({ kind: 'broken' });
    await rm(path.join(scene.site, '.git/HEAD'));
    await expectRefused(scene, 'isn’t a git folder');
    await rm(path.join(scene.site, '.git'), { recursive: true });
    await writeFile(path.join(scene.site, '.git'), 'gitdir: ../nowhere\n');
    await expectRefused(scene, 'isn’t a git folder');
    expect(hostile.traces()).toEqual([]);
  });

  test('with ids by SHA-256 is used', async () => {
    const scene = await gitScene({ remote: false, empty: true });
    await rm(path.join(scene.site, '.git'), { recursive: true });
    await scene.owner('init', '-q', '--object-format=sha256');
    await scene.owner('commit', '-q', '--allow-empty', '-m', 'Start');
    const { commit } = await scene.open().publish([post], toBranch);
    expect(commit).toMatch(/^[0-9a-f]{64}$/);
    expect(await scene.owner('show', 'main:content/posts/one.md')).toBe('One\n');
    await scene.check();
  });
});

describe('several working trees', () => {
  /** A repository whose main working tree has the branch `draft`, and a linked one with `main`. */
  async function linkedScene() {
    const scene = await gitScene();
    await scene.owner('switch', '-q', '-c', 'draft');
    await scene.owner('worktree', 'add', '-q', '../linked', 'main');
    const gitDir = path.join(scene.site, '.git/worktrees/linked');
    return { scene, linked: path.join(scene.dir, 'linked'), gitDir };
  }
  const unknown = expect.stringContaining('which working tree has the branch main') as string;
  const stays = async ({ scene }: { scene: GitScene }) => {
    const git = scene.open();
    const before = await scene.owner('rev-parse', 'main');
    expect((await git.publish([post], toOrigin)).left).toEqual(unknown);
    await expect(git.publish([posting({ 'two.md': 'x' })], toBranch)).rejects.toMatchObject({
      words: unknown,
    });
    expect(await scene.owner('rev-parse', 'main')).toBe(before);
  };

  test('the one that has the branch is updated with it, from either of them', async () => {
    const { scene, linked } = await linkedScene();
    for (const [at, folder] of [scene.site, linked].entries()) {
      const name = `post-${at}.md`;
      const { left } = await scene.open({ folder }).publish([posting({ [name]: 'x' })], toOrigin);
      expect(left).toBeNull();
      expect(await readFile(path.join(linked, name), 'utf8')).toBe('x');
      expect(existsSync(path.join(scene.site, name))).toBe(false);
      for (const one of [scene.site, linked]) expect(await scene.in(one, 'status', '--porcelain')).toBe('');
    }
    await scene.check();
  });

  test('and the main one has the branch: it is updated from the linked one', async () => {
    const scene = await gitScene();
    await scene.owner('worktree', 'add', '-q', '-b', 'draft', '../linked');
    const git = scene.open({ folder: path.join(scene.dir, 'linked') });
    expect(await git.publish([post], toOrigin)).toMatchObject({ left: null });
    expect(await readFile(path.join(scene.site, 'content/posts/one.md'), 'utf8')).toBe('One\n');
    expect(await scene.owner('status', '--porcelain')).toBe('');
  });

  test('a linked one that git’s configuration makes relative is found', async () => {
    const { scene, linked, gitDir } = await linkedScene();
    await writeFile(path.join(gitDir, 'gitdir'), '../../../../linked/.git\n');
    await writeFile(path.join(linked, '.git'), 'gitdir: ../site/.git/worktrees/linked\n');
    expect(await scene.open().publish([post], toOrigin)).toMatchObject({ left: null });
    expect(await readFile(path.join(linked, 'content/posts/one.md'), 'utf8')).toBe('One\n');
  });

  test('the branch stays while the one that has it is missing', async () => {
    const { scene, linked } = await linkedScene();
    await rename(linked, `${linked}-away`);
    await stays({ scene });
    await rename(`${linked}-away`, linked);
    expect(await scene.open().publish([posting({ 'two.md': 'Two\n' })], toOrigin)).toMatchObject({
      left: null,
    });
    expect(await readFile(path.join(linked, 'content/posts/one.md'), 'utf8')).toBe('One\n');
    await scene.check();
  });

  test.each([
    ['has a HEAD that is a symlink', (gitDir: string) => replaceByLink(path.join(gitDir, 'HEAD'))],
    ['has an unreadable HEAD', (gitDir: string) => writeFile(path.join(gitDir, 'HEAD'), 'x')],
    ['isn’t below worktrees', (gitDir: string) => replaceByLink(gitDir)],
    [
      'has another common folder',
      (gitDir: string) => writeFile(path.join(gitDir, 'commondir'), '../.././\n'),
    ],
  ])('the branch stays if one %s', async (_, change) => {
    const { scene, gitDir } = await linkedScene();
    await change(gitDir);
    await stays({ scene });
  });

  test('the branch stays if two of them have it, or if one has it by another name', async () => {
    const { scene, linked, gitDir } = await linkedScene();
    await scene.owner('worktree', 'add', '-q', '--force', '../second', 'main');
    await stays({ scene });
    await scene.owner('worktree', 'remove', '--force', '../second');
    await scene.in(linked, 'switch', '-q', '--detach');
    await scene.owner('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    await writeFile(path.join(gitDir, 'HEAD'), 'ref: refs/heads/alias\n');
    await expect(scene.open().publish([posting({ 'three.md': 'x' })], toBranch)).rejects.toMatchObject({
      words: unknown,
    });
  });

  test('the branch stays while one of them rebases it', async () => {
    const { scene, linked, gitDir } = await linkedScene();
    await scene.in(linked, 'switch', '-q', '--detach');
    await mkdir(path.join(gitDir, 'rebase-merge'));
    await writeFile(path.join(gitDir, 'rebase-merge/update-refs'), 'refs/heads/main\nx\ny\n');
    expect((await scene.open().publish([post], toOrigin)).left).toContain('rebase');
  });

  test('a repository that the list names, but that is another one, is left alone', async () => {
    const { scene, hostile } = await hostileScene();
    const other = await scene.clone('other');
    const program = await evilProgram(scene, hostile);
    await configure(path.join(other, '.git/config'), evilConfig(program));
    const entry = path.join(scene.site, '.git/worktrees/other');
    await scene.owner('switch', '-q', '-c', 'draft');
    await mkdir(entry, { recursive: true });
    await writeFile(path.join(entry, 'gitdir'), `${other}/.git\n`);
    await writeFile(path.join(entry, 'commondir'), '../..\n');
    await writeFile(path.join(entry, 'HEAD'), 'ref: refs/heads/main\n');
    await hostile.forget();
    await stays({ scene });
    expect(hostile.traces()).toEqual([]);
    await expect(readFile(path.join(other, 'content/posts/one.md'))).rejects.toThrow('ENOENT');
  });

  test('a folder that claims to be a working tree of a repository that doesn’t list it isn’t used', async () => {
    const { scene, gitDir } = await linkedScene();
    const thief = path.join(scene.dir, 'thief');
    await mkdir(thief);
    await writeFile(path.join(thief, '.git'), `gitdir: ${gitDir}\n`);
    await expectRefused(scene, 'git worktree repair', thief);
  });
});

async function replaceByLink(place: string): Promise<void> {
  await rename(place, `${place}-outside`);
  await symlink(`${place}-outside`, place);
}
