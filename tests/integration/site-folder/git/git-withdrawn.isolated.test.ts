import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { gitScene, posting, toBranch, toOrigin, type GitScene } from '../../../support/git-scene.ts';

const secret = 'Not for others\n';
const first = posting({ 'posts/one.md': secret, 'posts/two.md': 'Two\n' }, 'Publish 2 posts');
const withdrawn = posting({ 'posts/one.md': null }, 'Remove posts/one.md');
const rest = posting({ 'posts/two.md': 'Two\n' }, 'Publish two');

/** Returns every text that a branch's history adds or removes, and every object that a remote has. */
async function everReached(scene: GitScene, isRemote = true): Promise<string> {
  const place = isRemote ? scene.remote : scene.site;
  const run = (...args: string[]) => scene.in(place, ...args);
  const history = await run('log', '-p', '--format=%s', 'main');
  if (!isRemote) return history;
  const objects = await run('cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)');
  const blobs = objects.split('\n').filter((line) => line.endsWith(' blob'));
  const texts = await Promise.all(blobs.map((line) => run('cat-file', 'blob', line.split(' ')[0] ?? '')));
  return [history, ...texts].join('\n');
}

describe('a post that is withdrawn before its push succeeds', () => {
  test('never reaches the remote, and the other posts do', async () => {
    const scene = await gitScene();
    const git = scene.open();
    await git.list(toOrigin);
    await rename(scene.remote, `${scene.remote}.away`);
    await expect(git.publish([first], toOrigin)).rejects.toMatchObject({ kind: 'offline' });
    await expect(git.publish([withdrawn], toOrigin)).rejects.toMatchObject({ kind: 'offline' });
    await rename(`${scene.remote}.away`, scene.remote);
    const again = scene.open();
    expect(await again.hashes(['posts/one.md'], toOrigin)).toEqual(new Map([['posts/one.md', null]]));
    await again.publish([withdrawn, rest], toOrigin);
    expect(await scene.in(scene.remote, 'log', '--format=%s', 'main')).toBe('Publish two\nStart\n');
    expect(await everReached(scene)).not.toContain(secret.trim());
    expect(await scene.published('posts/two.md')).toBe('Two\n');
    expect(await scene.owner('for-each-ref', 'refs/porchlight/tip', 'refs/porchlight/base')).toBe('');
    await scene.check();
  });

  test('never reaches the branch either, if there is no remote', async () => {
    const scene = await gitScene({ remote: false });
    const git = scene.open({ deadlines: { lock: 100 } });
    const lock = `${scene.site}/.git/index.lock`;
    await writeFile(lock, '');
    await expect(git.publish([first], toBranch)).rejects.toMatchObject({ kind: 'locked' });
    await rm(lock);
    await git.publish([withdrawn, rest], toBranch);
    expect(await scene.published('posts/one.md')).toBeNull();
    expect(await scene.published('posts/two.md')).toBe('Two\n');
    expect(await everReached(scene, false)).not.toContain(secret.trim());
    await scene.check();
  });

  test('is removed if the push did arrive, although this computer never heard of it', async () => {
    const scene = await gitScene();
    const hook = `${scene.remote}/hooks/post-receive`;
    await writeFile(hook, '#!/bin/sh\nkill -9 $PPID\n', { mode: 0o755 });
    const git = scene.open();
    await expect(git.publish([first], toOrigin)).rejects.toMatchObject({ name: 'GitTrouble' });
    await rm(hook);
    expect(await scene.published('posts/one.md')).toBe(secret);
    expect(await scene.owner('status', '--porcelain')).toBe('');
    const [hash] = (await git.hashes(['posts/one.md'], toOrigin)).values();
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    // The owner's checkout follows, too.
    expect(await readFile(`${scene.site}/posts/one.md`, 'utf8')).toBe(secret);
    await git.publish([withdrawn], toOrigin);
    expect(await scene.published('posts/one.md')).toBeNull();
    expect(await scene.published('posts/two.md')).toBe('Two\n');
    expect(await scene.owner('status', '--porcelain')).toBe('');
    await scene.check();
  });
});
