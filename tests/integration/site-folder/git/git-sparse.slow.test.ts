import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitScene, posting, toBranch, toOrigin } from '../../../support/git-scene.ts';

describe.each([
  ['by folders', ['--cone', 'content']],
  ['by folders, with an index that leaves the others out', ['--cone', '--sparse-index', 'content']],
  ['by patterns', ['--no-cone', '/*', '!/static/', '!/data/']],
])('a checkout that is sparse %s', (_, choice) => {
  test.each([
    ['pushed', toOrigin],
    ['committed', toBranch],
  ])('keeps what it leaves out when a post is %s', async (__, target) => {
    const scene = await gitScene();
    await scene.write('static/logo.png', 'logo');
    await scene.write('data/old.json', '{}\n');
    await scene.owner('add', '.');
    await scene.owner('commit', '-q', '-m', 'Folders');
    await scene.owner('push', '-q');
    await scene.owner('sparse-checkout', 'set', ...choice);
    await scene.write('content/about.md', 'Mine\n');
    await scene.write('content/untracked.md', 'Mine\n');
    const before = await scene.view();
    const git = scene.open();
    const post = (text: string) =>
      posting({ 'content/posts/one.md': text, 'static/one.jpg': text, 'data/old.json': `"${text}"\n` });

    expect(await git.publish([post('One')], target)).toMatchObject({ setAside: [], left: null });
    expect(await git.publish([post('Two')], target)).toMatchObject({ setAside: [], left: null });
    const place = target === toOrigin ? scene.remote : scene.site;
    for (const file of ['content/posts/one.md', 'static/one.jpg'])
      expect(await scene.in(place, 'show', `main:${file}`)).toBe('Two');
    expect(await scene.in(place, 'show', 'main:static/logo.png')).toBe('logo');
    expect(await readFile(path.join(scene.site, 'content/posts/one.md'), 'utf8')).toBe('Two');
    for (const folder of ['static', 'data']) expect(existsSync(path.join(scene.site, folder))).toBe(false);
    expect(await scene.view()).toBe(before);

    expect(
      await git.publish([posting({ 'content/posts/one.md': null, 'static/one.jpg': null })], target),
    ).toMatchObject({ left: null });
    expect(await scene.in(place, 'ls-tree', '-r', '--name-only', 'main')).toBe(
      'content/about.md\ndata/old.json\nhugo.toml\nstatic/logo.png\n',
    );
    expect(await scene.view()).toBe(before);
    await scene.owner('sparse-checkout', 'disable');
    expect(await readFile(path.join(scene.site, 'data/old.json'), 'utf8')).toBe('"Two"\n');
    expect(await scene.view()).toBe(before);
    await scene.check();
  });
});

test('a sparse checkout keeps a file of the owner in a folder that it leaves out', async () => {
  const scene = await gitScene();
  await scene.owner('sparse-checkout', 'set', 'content');
  await scene.write('static/one.jpg', 'Mine');
  const before = await scene.view();
  const { left } = await scene.open().publish([posting({ 'static/one.jpg': 'Ours' })], toOrigin);
  expect(left).toContain('static/one.jpg');
  expect(await readFile(path.join(scene.site, 'static/one.jpg'), 'utf8')).toBe('Mine');
  expect(await scene.view()).toBe(before);
});
