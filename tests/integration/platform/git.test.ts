import { describe, expect, test } from 'vitest';
import { gitScene, posting, toBranch, toOrigin } from '../../support/git-scene.ts';

describe.each([
  ['pushed to a remote', true, toOrigin],
  ['committed to the branch', false, toBranch],
])('a post that is %s', (_, remote, target) => {
  test('arrives in one commit, and the owner’s changes stay as they are', async () => {
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
    changes.files.set('static/one.jpg', photo);
    const commit = await git.commit(changes, target);
    expect(await git.publish(target)).toEqual({ commit, rebased: false, setAside: [], left: null });
    expect(await scene.published('content/posts/one.md')).toBe('One\r\n');
    expect(await scene.view()).toBe(before);
    expect((await scene.owner('rev-parse', 'HEAD')).trim()).toBe(commit);
    expect(await git.read(['static/one.jpg', 'nothing.md'], target)).toEqual(
      new Map([
        ['static/one.jpg', photo],
        ['nothing.md', null],
      ]),
    );
    expect(await git.list(target)).toEqual(
      new Set(['hugo.toml', 'content/about.md', 'content/posts/one.md', 'static/one.jpg']),
    );
    expect(await git.commit(changes, target)).toBeUndefined();
    await git.commit(posting({ 'content/posts/one.md': null }), target);
    await git.publish(target);
    expect(await scene.published('content/posts/one.md')).toBeNull();
    expect(await scene.view()).toBe(before);
    expect(await scene.owner('for-each-ref', 'refs/porchlight/tip', 'refs/porchlight/base')).toBe('');
    await scene.check();
  });
});

describe('another client that pushes', () => {
  test('keeps its commits, and gets ours on top', async () => {
    const scene = await gitScene();
    const other = await scene.clone('other');
    const git = scene.open({ freshFor: 60_000 });
    await git.commit(posting({ 'content/posts/one.md': 'One\n' }), toOrigin);
    await scene.in(other, 'commit', '-q', '--allow-empty', '-m', 'Other');
    await scene.in(other, 'push', '-q');
    const published = await git.publish(toOrigin);
    expect(published).toMatchObject({ rebased: true, setAside: [], left: null });
    expect((await scene.in(scene.remote, 'log', '--format=%s', 'main')).split('\n')).toEqual([
      'Post',
      'Other',
      'Start',
      '',
    ]);
    await scene.check();
  });

  test('is in conflict only about the files that it changed', async () => {
    const scene = await gitScene();
    const other = await scene.clone('other');
    const git = scene.open({ freshFor: 60_000 });
    await git.commit(posting({ 'content/about.md': 'Ours\n', 'static/a.txt': 'a' }), toOrigin);
    await git.commit(posting({ 'content/posts/two.md': 'Two\n' }), toOrigin);
    await scene.in(other, 'rm', '-q', 'content/about.md');
    await scene.in(other, 'commit', '-q', '-m', 'Other');
    await scene.in(other, 'push', '-q');
    const { setAside } = await git.publish(toOrigin);
    expect(setAside).toEqual([
      { files: ['content/about.md', 'static/a.txt'], conflicts: ['content/about.md'] },
    ]);
    expect(await scene.published('content/posts/two.md')).toBe('Two\n');
    expect(await scene.published('content/about.md')).toBeNull();
    await scene.check();
  });

  test('never gets commits that the owner hasn’t pushed', async () => {
    const scene = await gitScene();
    await scene.owner('commit', '-q', '--allow-empty', '-m', 'Private');
    const git = scene.open();
    await git.commit(posting({ 'content/posts/one.md': 'One\n' }), toOrigin);
    const { left } = await git.publish(toOrigin);
    expect(left).toContain('commits of its own');
    expect(await scene.in(scene.remote, 'log', '--format=%s', 'main')).toBe('Post\nStart\n');
    expect(await scene.owner('log', '--format=%s')).toBe('Private\nStart\n');
  });
});
