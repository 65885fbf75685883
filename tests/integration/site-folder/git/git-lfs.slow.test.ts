import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileContent } from '../../../../src-main/site-folder/git/git-commits.ts';
import { remoteUrl } from '../../../support/built-site.ts';
import { gitScene, posting, toOrigin, type GitScene } from '../../../support/git-scene.ts';

const isThere = (() => {
  try {
    execFileSync('git', ['lfs', 'version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
if (!isThere) console.log('Git LFS isn’t installed (apt-get install git-lfs): its tests are skipped.');

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const photo = Buffer.from([0xff, 0xd8, 0, 13, 10, 1]);
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(photo)}\nsize ${photo.length}\n`;

/** Returns what the remote keeps under a file's hash; undefined if it has no such file. */
const kept = (scene: GitScene, content: Buffer) => {
  const hash = sha256(content);
  const place = ['lfs', 'objects', hash.slice(0, 2), hash.slice(2, 4), hash];
  return readFile(path.join(scene.remote, ...place)).catch(() => undefined);
};

/** Sets up a repository that keeps certain files in Git LFS. */
async function lfsScene(pattern = '*.jpg'): Promise<GitScene> {
  const scene = await gitScene();
  await scene.owner('lfs', 'install', '--skip-repo');
  // Git LFS derives its server from the remote's address. In tests, it is the bare repository.
  await scene.owner('config', '--global', `url.file://${scene.remote}.insteadOf`, `${remoteUrl}/info/lfs`);
  await scene.write('.gitattributes', `${pattern} filter=lfs diff=lfs merge=lfs -text\n`);
  await scene.owner('add', '.');
  await scene.owner('commit', '-q', '-m', 'LFS');
  await scene.owner('push', '-q');
  return scene;
}

/** Returns a post with a photo, which is copied from another file. */
async function postWithPhoto(scene: GitScene) {
  const file = path.join(scene.dir, 'photo');
  await writeFile(file, photo);
  const files = new Map<string, FileContent>([
    ['content/posts/one.md', { text: 'One\n' }],
    ['static/one.jpg', { copyOf: file }],
  ]);
  return { files, message: 'Post' };
}

describe.skipIf(!isThere)('a repository with Git LFS', () => {
  test.each([
    ['with the hook of Git LFS', []],
    ['whose hooks are elsewhere, so that the hook of Git LFS never runs', ['core.hooksPath', 'hooks']],
  ])('%s gets a pointer, and its server the photo', async (_, setting) => {
    const scene = await lfsScene();
    if (setting.length > 0) await scene.owner('config', ...setting);
    // The owner's own git lets Git LFS write its hooks there.
    await writeFile(`${scene.site}/.git/info/exclude`, 'hooks/\n');
    await scene.write('content/about.md', 'Mine\n');
    await scene.write('untracked.jpg', 'Mine\n');
    const before = await scene.view();
    const git = scene.open();
    const change = await postWithPhoto(scene);
    expect(await git.publish([change], toOrigin)).toMatchObject({ setAside: [], left: null });
    expect(await scene.published('static/one.jpg')).toBe(pointer);
    expect(await scene.published('content/posts/one.md')).toBe('One\n');
    expect(await kept(scene, photo)).toEqual(photo);
    expect(existsSync(`${scene.site}/hooks`)).toBe(false);
    // The owner has the photo itself, and nothing else has changed.
    expect(await readFile(`${scene.site}/static/one.jpg`)).toEqual(photo);
    expect(await scene.view()).toBe(before);
    expect(await git.hashes(['static/one.jpg'], toOrigin)).toEqual(
      new Map([['static/one.jpg', sha256(photo)]]),
    );
    const { commit } = await git.publish([change], toOrigin);
    expect(await scene.owner('rev-list', '--count', commit ?? '')).toBe('3\n');
    await scene.check();
  });

  test('gets posts as pointers, too, and they are read as they were written', async () => {
    const scene = await lfsScene('content/posts/**');
    const git = scene.open();
    await git.publish([posting({ 'content/posts/one.md': 'One\n' })], toOrigin);
    expect(await scene.published('content/posts/one.md')).toContain('oid sha256:');
    expect((await git.read('content/posts/one.md', toOrigin))?.toString()).toBe('One\n');
    expect(await kept(scene, Buffer.from('One\n'))).toEqual(Buffer.from('One\n'));
  });

  test('whose server doesn’t answer gets nothing until it does', async () => {
    const scene = await lfsScene();
    await scene.owner('config', 'lfs.url', 'https://127.0.0.1:1/');
    await scene.owner('config', '--global', 'lfs.transfer.maxretries', '1');
    const git = scene.open();
    const change = await postWithPhoto(scene);
    await expect(git.publish([change], toOrigin)).rejects.toMatchObject({ kind: 'offline' });
    expect(await scene.published('content/posts/one.md')).toBeNull();
    await scene.owner('config', '--unset', 'lfs.url');
    await git.publish([change], toOrigin);
    expect(await scene.published('static/one.jpg')).toBe(pointer);
    expect(await kept(scene, photo)).toEqual(photo);
    await scene.check();
  });

  test('whose server lost somebody else’s photo moves the owner’s checkout all the same', async () => {
    const scene = await lfsScene();
    const other = await scene.clone('other');
    await writeFile(path.join(other, 'theirs.jpg'), photo);
    await scene.in(other, 'add', '.');
    await scene.in(other, 'commit', '-q', '-m', 'Theirs');
    await scene.in(other, 'push', '-q');
    await rm(path.join(scene.remote, 'lfs'), { recursive: true });
    const git = scene.open();
    expect(await git.publish([posting({ 'two.md': 'Two\n' })], toOrigin)).toMatchObject({ left: null });
    expect(await readFile(`${scene.site}/two.md`, 'utf8')).toBe('Two\n');
    expect(await readFile(`${scene.site}/theirs.jpg`, 'utf8')).toBe(pointer);
    expect(await scene.view()).toBe('\n\n');
    await scene.check();
  });

  test('on a computer without Git LFS explains what to do, and is left unchanged', async () => {
    const scene = await lfsScene();
    const program = path.join(scene.dir, 'git-without-lfs');
    const lame = 'filter.lfs.process=/nowhere/git-lfs filter-process';
    await writeFile(program, `#!/bin/sh\nexec git -c '${lame}' -c filter.lfs.clean=/nowhere/git-lfs "$@"\n`, {
      mode: 0o755,
    });
    const before = await scene.view();
    await expect(
      scene.open({ program }).publish([await postWithPhoto(scene)], toOrigin),
    ).rejects.toMatchObject({ kind: 'lfs', words: expect.stringContaining('Install Git LFS') as string });
    expect(await scene.view()).toBe(before);
    expect(await scene.published('content/posts/one.md')).toBeNull();
    await scene.check();
  });
});
