import { createHash } from 'node:crypto';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { remoteUrl } from '../../../support/built-site.ts';
import { mountSmallDisk } from '../../../support/small-disk.ts';
import { gitScene, posting, toBranch, toOrigin } from '../../../support/git-scene.ts';

describe.each([
  ['pushed to a remote', true, toOrigin],
  ['committed to the branch', false, toBranch],
])('a post that is %s', (_, remote, target) => {
  test('arrives in one commit, and the owner’s changes stay unchanged', async () => {
    const scene = await gitScene({ remote });
    await scene.write('staged.md', 'staged\n');
    await scene.owner('add', 'staged.md');
    await scene.write('content/about.md', 'About me\n');
    await scene.write('untracked.md', 'untracked\n');
    await scene.write('intended.md', 'intended\n');
    await scene.owner('add', '-N', 'intended.md');
    const before = await scene.view();
    const git = scene.open();
    const photo = Buffer.from([0xff, 0xd8, 0, 13, 10, 1]);
    const changes = posting({ 'content/posts/one.md': 'One\r\n' });
    await writeFile(`${scene.dir}/photo`, photo);
    changes.files.set('static/one.jpg', { copyOf: `${scene.dir}/photo` });
    const published = await git.publish([changes], target);
    expect(published).toMatchObject({ rebased: false, setAside: [], left: null });
    expect(await scene.published('content/posts/one.md')).toBe('One\r\n');
    expect(await scene.view()).toBe(before);
    expect((await scene.owner('rev-parse', 'HEAD')).trim()).toBe(published.commit);
    expect(await git.hashes(['static/one.jpg', 'nothing.md'], target)).toEqual(
      new Map([
        ['static/one.jpg', createHash('sha256').update(photo).digest('hex')],
        ['nothing.md', null],
      ]),
    );
    expect(await git.list(target)).toEqual(
      new Set(['hugo.toml', 'content/about.md', 'content/posts/one.md', 'static/one.jpg']),
    );
    expect(await git.publish([changes], target)).toEqual({ ...published, rebased: false });
    const both = [posting({ 'content/posts/two.md': 'Two\n' }), posting({ 'content/posts/two.md': null })];
    const { commit } = await git.publish([...both, posting({ 'content/posts/one.md': null })], target);
    expect(await scene.owner('rev-list', '--count', `${published.commit}..${commit}`)).toBe('3\n');
    expect(await scene.published('content/posts/two.md')).toBeNull();
    expect(await scene.published('content/posts/one.md')).toBeNull();
    expect(await scene.view()).toBe(before);
    expect(await scene.owner('for-each-ref', 'refs/porchlight/tip', 'refs/porchlight/base')).toBe('');
    await scene.check();
  });
});

test('a copy of a large file arrives byte for byte, and is compared by its hash', async () => {
  const scene = await gitScene();
  const video = `${scene.dir}/video.mp4`;
  const bytes = Buffer.alloc(20_000_000, 'frame\r\n');
  await writeFile(video, bytes);
  const git = scene.open();
  const names = ['one', 'two'].map((name) => `static/${name}.mp4`);
  const files = new Map(names.map((name) => [name, { copyOf: video }]));
  const expected = new Map(names.map((name) => [name, null]));
  await git.publish([{ files, expected, message: 'Film' }], toOrigin);
  const hash = createHash('sha256').update(bytes).digest('hex');
  expect([...(await git.hashes([...names, 'static/three.mp4'], toOrigin)).values()]).toEqual([
    hash,
    hash,
    null,
  ]);
  expect((await readFile(`${scene.site}/static/one.mp4`)).equals(bytes)).toBe(true);
  await expect(git.publish([{ files, expected, message: 'Film' }], toOrigin)).rejects.toMatchObject({
    kind: 'conflict',
    files: names,
  });
  await scene.check();
});

describe('another client that pushes', () => {
  test('keeps its commits, and gets ours on top', async () => {
    const scene = await gitScene();
    const other = await scene.clone('other');
    const git = scene.open({ freshFor: 60_000 });
    await git.list(toOrigin);
    await scene.in(other, 'commit', '-q', '--allow-empty', '-m', 'Other');
    await scene.in(other, 'push', '-q');
    const published = await git.publish([posting({ 'content/posts/one.md': 'One\n' })], toOrigin);
    expect(published).toMatchObject({ rebased: true, setAside: [], left: null });
    expect((await scene.in(scene.remote, 'log', '--format=%s', 'main')).split('\n')).toEqual([
      'Post',
      'Other',
      'Start',
      '',
    ]);
    await scene.check();
  });

  test('and is always ahead of a push of many commits gets them in smaller parts', async () => {
    const scene = await gitScene();
    const git = scene.open();
    await git.list(toOrigin);
    // While each push of more than two commits arrives, the other client pushes one of its own.
    const hook = `#!/bin/sh
read -r theirs ours _
[ "$(git rev-list --count "$theirs..$ours")" -le 2 ] && exit 0
unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
git update-ref refs/heads/main "$(git commit-tree -p main -m Other 'main^{tree}')"
`;
    await writeFile(`${scene.remote}/hooks/pre-receive`, hook, { mode: 0o755 });
    const names = Array.from({ length: 9 }, (_, index) => `Post ${index}`);
    const published = await git.publish(
      names.map((name) => posting({ [`posts/${name}.md`]: name }, name)),
      toOrigin,
    );
    expect(published).toMatchObject({ rebased: true, setAside: [], left: null });
    const subjects = (await scene.in(scene.remote, 'log', '--reverse', '--format=%s', 'main')).split('\n');
    expect(subjects.filter((name) => name.startsWith('Post'))).toEqual(names);
    expect(subjects).toContain('Other');
    expect((await scene.owner('rev-parse', 'HEAD', 'origin/main')).split('\n')[0]).toBe(published.commit);
    expect(await scene.view()).toBe('\n\n');
    await scene.check();
  });

  test('is in conflict only about the files that it changed', async () => {
    const scene = await gitScene();
    const other = await scene.clone('other');
    const git = scene.open({ freshFor: 60_000 });
    await git.list(toOrigin);
    await scene.in(other, 'rm', '-q', 'content/about.md');
    await scene.in(other, 'commit', '-q', '-m', 'Other');
    await scene.in(other, 'push', '-q');
    const first = posting({ 'content/about.md': 'Ours\n', 'static/a.txt': 'a' });
    const second = posting({ 'content/posts/two.md': 'Two\n' });
    const { setAside } = await git.publish([first, second], toOrigin);
    expect(setAside).toEqual([
      { files: ['content/about.md', 'static/a.txt'], conflicts: ['content/about.md'] },
    ]);
    expect(await scene.published('content/posts/two.md')).toBe('Two\n');
    expect(await scene.published('content/about.md')).toBeNull();
    await scene.check();
  });

  test('another client never gets commits that the owner hasn’t pushed', async () => {
    const scene = await gitScene();
    await scene.owner('commit', '-q', '--allow-empty', '-m', 'Private');
    const git = scene.open();
    const { left } = await git.publish([posting({ 'content/posts/one.md': 'One\n' })], toOrigin);
    expect(left).toContain('commits of its own');
    expect(await scene.in(scene.remote, 'log', '--format=%s', 'main')).toBe('Post\nStart\n');
    expect(await scene.owner('log', '--format=%s')).toBe('Private\nStart\n');
  });
});

describe('the owner’s checkout', () => {
  test('stays unchanged while a file in the way is dirty, and moves later', async () => {
    const scene = await gitScene();
    const git = scene.open();
    await scene.write('.gitignore', '*.log\n');
    await scene.owner('add', '.');
    await scene.owner('commit', '-q', '-m', 'Ignore');
    await scene.owner('push', '-q');
    await scene.write('content/about.md', 'Mine\n');
    await scene.write('notes.log', 'Mine\n');
    const before = await scene.view();
    expect((await git.publish([posting({ 'content/about.md': 'Ours\n' })], toOrigin)).left).toContain(
      'content/about.md',
    );
    expect((await git.publish([posting({ 'notes.log': 'Ours\n' })], toOrigin)).left).toContain('notes.log');
    expect(await scene.view()).toBe(before);
    await scene.owner('checkout', '-q', '--', 'content/about.md');
    await rm(`${scene.site}/notes.log`);
    expect((await git.publish([posting({ 'three.md': 'Three\n' })], toOrigin)).left).toBeNull();
    expect(await readFile(`${scene.site}/content/about.md`, 'utf8')).toBe('Ours\n');
    expect(await scene.published('content/about.md')).toBe('Ours\n');
    await scene.check();
  });

  test.each([['assume-unchanged'], ['skip-worktree']])(
    'keeps a changed file that is marked %s',
    async (mark) => {
      const scene = await gitScene();
      const git = scene.open();
      await scene.owner('update-index', `--${mark}`, 'content/about.md');
      await scene.write('content/about.md', 'Mine\n');
      expect((await git.publish([posting({ 'content/about.md': 'Ours\n' })], toOrigin)).left).toContain(
        'content/about.md',
      );
      await scene.owner('update-index', `--no-${mark}`, 'content/about.md');
      expect(await scene.owner('diff')).toContain('+Mine');
    },
  );

  test('without a remote: a file that the owner is changing is a conflict, and other posts go through', async () => {
    const scene = await gitScene({ remote: false });
    const git = scene.open();
    await scene.write('content/about.md', 'Mine\n');
    const before = await scene.view();
    const first = posting({ 'content/about.md': 'Ours\n' });
    const { setAside } = await git.publish([first, posting({ 'content/posts/two.md': 'Two\n' })], toBranch);
    expect(setAside).toEqual([{ files: ['content/about.md'], conflicts: ['content/about.md'] }]);
    expect(await scene.view()).toBe(before);
    expect(await scene.published('content/posts/two.md')).toBe('Two\n');
    await scene.check();
  });

  test('waits while a merge is under way; without a remote, so does the post', async () => {
    const scene = await gitScene();
    const git = scene.open();
    await scene.owner('switch', '-q', '-c', 'side');
    await scene.write('content/about.md', 'Side\n');
    await scene.owner('commit', '-qam', 'Side');
    await scene.owner('switch', '-q', 'main');
    await scene.write('content/about.md', 'Main\n');
    await scene.owner('commit', '-qam', 'Main');
    await scene.owner('push', '-q');
    await expect(scene.owner('merge', 'side')).rejects.toThrow();
    const before = await scene.view();
    expect((await git.publish([posting({ 'one.md': 'One\n' })], toOrigin)).left).toContain('merge');
    expect(await scene.published('one.md')).toBe('One\n');
    const two = posting({ 'two.md': 'Two\n' });
    await expect(git.publish([two], toBranch)).rejects.toMatchObject({ kind: 'busy' });
    expect(await scene.view()).toBe(before);
    await scene.owner('merge', '--abort');
    await scene.owner('reset', '-q', '--hard', 'origin/main');
    await git.publish([two], toBranch);
    expect(await scene.owner('show', 'main:two.md')).toBe('Two\n');
    await scene.check();
  });

  test('stays unchanged if others have moved a submodule, and posts are published all the same', async () => {
    const scene = await gitScene();
    const head = (await scene.owner('rev-parse', 'HEAD')).trim();
    await scene.owner('update-index', '--add', '--cacheinfo', `160000,${head},theme`);
    await scene.owner('commit', '-q', '-m', 'Theme');
    await scene.owner('push', '-q');
    const other = await scene.clone('other');
    await scene.in(other, 'commit', '-q', '--allow-empty', '-m', 'Newer');
    const newer = (await scene.in(other, 'rev-parse', 'HEAD')).trim();
    await scene.in(other, 'update-index', '--cacheinfo', `160000,${newer},theme`);
    await scene.in(other, 'commit', '-q', '-m', 'Newer theme');
    await scene.in(other, 'push', '-q');
    const before = await scene.view();
    const { left } = await scene.open().publish([posting({ 'one.md': 'One\n' })], toOrigin);
    expect(left).toContain('A submodule has changed');
    expect(await scene.view()).toBe(before);
    expect(await scene.published('one.md')).toBe('One\n');
    expect(await scene.in(scene.remote, 'rev-parse', 'main:theme')).toBe(`${newer}\n`);
  });

  test.each([
    ['another branch', ['switch', '-q', '-c', 'draft']],
    ['no branch (a detached HEAD)', ['checkout', '-q', '--detach']],
  ])('of %s stays', async (_, step) => {
    const scene = await gitScene();
    await scene.owner(...step);
    await scene.write('content/about.md', 'Mine\n');
    const before = await scene.view();
    const git = scene.open();
    expect((await git.publish([posting({ 'one.md': 'One\n' })], toOrigin)).left).toBe(
      'The branch isn’t checked out.',
    );
    expect(await scene.published('one.md')).toBe('One\n');
    expect((await git.publish([posting({ 'two.md': 'Two\n' })], toBranch)).left).toBeNull();
    expect(await scene.owner('show', 'main:two.md')).toBe('Two\n');
    expect(await scene.view()).toBe(before);
  });
});

describe('a repository without commits', () => {
  test.each([
    ['and without a remote', false, toBranch],
    ['and with an empty remote', true, toOrigin],
  ])('%s gets its first one', async (_, remote, target) => {
    const scene = await gitScene({ remote, empty: true });
    await scene.write('staged.md', 'staged\n');
    await scene.owner('add', '.');
    const before = await scene.owner('status', '--porcelain');
    const git = scene.open();
    expect(await git.list(target)).toEqual(new Set());
    expect(await git.publish([posting({ 'one.md': 'One\n' })], target)).toMatchObject({ left: null });
    expect(await scene.published('one.md')).toBe('One\n');
    expect(await scene.owner('status', '--porcelain')).toBe(before);
    await scene.check();
  });

  test('of its own gets no branch at a remote that lacks it', async () => {
    const scene = await gitScene();
    await scene.owner('switch', '-q', '-c', 'draft');
    await scene.owner('commit', '-q', '--allow-empty', '-m', 'Draft');
    await expect(
      scene.open().publish([posting({ 'one.md': 'One' })], { branch: 'draft', remote: 'origin' }),
    ).rejects.toMatchObject({ kind: 'no_branch' });
  });
});

describe('trouble', () => {
  const one = posting({ 'posts/one.md': 'One\n' });

  test('is reported for a path through a symlink, a submodule, a file, or a similar name', async () => {
    const scene = await gitScene();
    await scene.owner('rm', '-q', '--cached', 'content/about.md');
    const head = (await scene.owner('rev-parse', 'HEAD')).trim();
    await scene.owner('update-index', '--add', '--cacheinfo', `160000,${head},module`);
    await symlink('content', `${scene.site}/link`);
    await scene.owner('add', 'link', 'content/about.md');
    await scene.owner('commit', '-q', '-m', 'Links');
    await scene.owner('push', '-q');
    const git = scene.open();
    const kindOf = (file: string) =>
      git.publish([posting({ [file]: 'x' })], toOrigin).then(
        () => 'written',
        (error: unknown) => (error as { kind: string }).kind,
      );
    expect(await kindOf('link/a.md')).toBe('conflict');
    expect(await kindOf('link')).toBe('conflict');
    expect(await kindOf('module/a.md')).toBe('submodule');
    expect(await kindOf('content/about.md/a')).toBe('conflict');
    expect(await kindOf('content')).toBe('conflict');
    expect(await kindOf('Content/a.md')).toBe('conflict');
    expect(await kindOf('content/ABOUT.md')).toBe('conflict');
    expect(await kindOf('../a.md')).toBe('conflict');
    expect(await kindOf('.git/config')).toBe('conflict');
    expect(await kindOf('content/Ünï “x”.md')).toBe('written');
  });

  test('is reported for a hook of the server', async () => {
    const scene = await gitScene();
    const git = scene.open();
    await git.list(toOrigin);
    const hook = `${scene.remote}/hooks/pre-receive`;
    await writeFile(hook, '#!/bin/sh\necho not today >&2\nexit 1\n', { mode: 0o755 });
    await expect(git.publish([one], toOrigin)).rejects.toMatchObject({ kind: 'hook' });
    await writeFile(hook, '#!/bin/sh\ncat >/dev/null\nexit 0\n', { mode: 0o755 });
    await git.publish([one], toOrigin);
    expect(await scene.published('posts/one.md')).toBe('One\n');
    await scene.check();
  });

  test('is reported for a lock of another program, which stays', async () => {
    const scene = await gitScene({ remote: false });
    const lock = `${scene.site}/.git/index.lock`;
    const git = scene.open({ deadlines: { lock: 100 } });
    await writeFile(lock, '');
    await expect(git.publish([one], toBranch)).rejects.toMatchObject({ kind: 'locked' });
    await rm(lock);
    await git.publish([one], toBranch);
    expect(await scene.published('posts/one.md')).toBe('One\n');
    await scene.check();
  });

  test('is reported for a remote that hangs, is missing or is unknown', async () => {
    const scene = await gitScene();
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const git = scene.open({ deadlines: { quiet: 300 } });
    try {
      await scene.lead(`git://127.0.0.1:${port}/x`);
      await expect(git.list(toOrigin)).rejects.toMatchObject({ kind: 'hangs' });
    } finally {
      server.close();
    }
    await scene.lead(`${scene.dir}/nothing`);
    await expect(git.list(toOrigin)).rejects.toMatchObject({ kind: 'offline' });
    await expect(git.list({ branch: 'main', remote: 'other' })).rejects.toMatchObject({ kind: 'no_remote' });
  });

  test('is reported for a server that asks for a password, and nobody is asked', async () => {
    const scene = await gitScene();
    const server = createHttpServer((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      const { port } = server.address() as { port: number };
      await scene.lead(`http://127.0.0.1:${port}/site.git`);
      await expect(scene.open().publish([one], toOrigin)).rejects.toMatchObject({
        kind: 'credentials',
        words: expect.stringContaining('Run “git push” in the folder in a terminal') as string,
      });
      await scene.check();
    } finally {
      server.close();
    }
  });

  test('is reported for a repository that can’t be written to, which gets the post later', async (context) => {
    const disk = await mountSmallDisk(context, '20m');
    try {
      const scene = await gitScene();
      const folder = `${disk.dir}/site`;
      await scene.in('.', 'clone', '-q', remoteUrl, folder);
      const git = scene.open({ folder });
      await disk.setWritable(false);
      await expect(git.publish([one], toOrigin)).rejects.toMatchObject({ kind: 'broken' });
      await disk.setWritable(true);
      expect(await git.publish([one], toOrigin)).toMatchObject({ left: null });
      expect(await scene.published('posts/one.md')).toBe('One\n');
      expect(await scene.in(folder, 'status', '--porcelain')).toBe('');
    } finally {
      await disk.remove();
    }
  });

  test('is reported for Git LFS that isn’t set up', async () => {
    const scene = await gitScene();
    await scene.write('.gitattributes', '*.jpg filter=lfs diff=lfs merge=lfs -text\n');
    await scene.owner('add', '.');
    await scene.owner('commit', '-q', '-m', 'LFS');
    await scene.owner('push', '-q');
    const git = scene.open();
    await expect(git.publish([posting({ 'a.jpg': 'x' })], toOrigin)).rejects.toMatchObject({
      kind: 'lfs',
      files: ['a.jpg'],
    });
    await scene.check();
  });
});
