import { rename } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { updateAdopted } from '../../../../src-main/posts/micropub/actions.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { adoptedTable } from '../../../../src-main/site-folder/adopted/adopted-index.ts';
import { OlderPosts } from '../../../../src-main/site-folder/adopted/adopted-posts.ts';
import { LiveAddresses } from '../../../../src-main/site-folder/adopted/live-addresses.ts';
import { writeBackTo } from '../../../../src-main/site-folder/adopted/folder-files.ts';
import { gitTarget } from '../../../../src-main/site-folder/publishing/folder-target.ts';
import { parseHere } from '../../../support/folder-reading.ts';
import { adoptingSettings } from '../../../support/adoption.ts';
import { gitScene, posting, toOrigin } from '../../../support/git-scene.ts';
import { memoryRecords } from '../../../support/memory-records.ts';

test('an edit of an older post that can’t be pushed is refused as a whole, and arrives when it is repeated', async () => {
  const scene = await gitScene();
  const git = scene.open();
  const target = () => gitTarget(git, { ...toOrigin, push: true });
  await git.list(toOrigin);
  const edit = { file: 'content/about.md', before: 'About\n', after: 'About me\n', message: 'Update' };
  await rename(scene.remote, `${scene.remote}.away`);
  await expect(writeBackTo(target, edit)).rejects.toMatchObject({ status: 503 });
  await rename(`${scene.remote}.away`, scene.remote);
  // The app was told that nothing has changed, so nothing of it goes out with the next post.
  await git.publish([posting({ 'content/posts/one.md': 'One\n' })], toOrigin);
  expect(await scene.published(edit.file)).toBe('About\n');
  expect(await scene.view()).toBe('\n\n');

  await writeBackTo(target, edit);
  await writeBackTo(target, edit);
  expect(await scene.published(edit.file)).toBe('About me\n');
  expect(await scene.in(scene.remote, 'log', '--format=%s', 'main')).toBe('Update\nPost\nStart\n');
  await scene.check();
});

test('an edit that the owner’s checkout can’t take yet is what apps read and edit next', async () => {
  const scene = await gitScene();
  const file = 'content/posts/fog.md';
  await scene.write('hugo.toml', 'baseURL = "https://me.example/"\n');
  await scene.write(file, '---\ntitle: Fog\ndate: 2026-01-01\n---\nOld words\n');
  await scene.owner('add', '-A');
  await scene.owner('commit', '-qm', 'Fog');
  await scene.owner('push', '-q', 'origin', 'main');
  await scene.write('notes.txt', 'Mine');
  await scene.owner('add', '-A');
  await scene.owner('commit', '-qm', 'Not pushed yet');
  const git = scene.open();
  const target = () => gitTarget(git, { ...toOrigin, push: true });
  const settings = adoptingSettings(scene.site, 'hugo');
  const url = 'https://me.example/posts/fog/';
  const adopted = new OlderPosts({
    records: memoryRecords([adoptedTable]),
    settings: () => settings,
    log: silentLog,
    read: parseHere,
    scan: parseHere,
    live: () => Promise.resolve(new LiveAddresses([url], settings.baseUrl)),
    isOwn: () => Promise.resolve(false),
    writeBack: (change) => writeBackTo(target, change),
  });
  await adopted.refresh();
  const edit = (content: string) =>
    updateAdopted(
      adopted,
      url,
      { replace: new Map([['content', [content]]]), add: new Map(), drop: [], remove: new Map() },
      { scopes: ['update'], now: Date.now(), zone: 'UTC' },
    );
  const content = async () => (await adopted.at(url))?.properties.content;
  for (const words of ['New words', 'Newer words']) {
    expect((await edit(words))?.post.properties.content).toEqual([words]);
    expect(await scene.published(file)).toContain(`\n${words}\n`);
    expect(await content()).toEqual([words]);
  }
  // Once the owner has both, the folder counts again.
  await scene.owner('pull', '-q', '--rebase', 'origin', 'main');
  expect(await content()).toEqual(['Newer words']);
  await scene.write(file, '---\ntitle: Fog\ndate: 2026-01-01\n---\nMy words\n');
  expect(await content()).toEqual(['My words']);
  await expect(edit('Too late')).rejects.toMatchObject({ status: 409 });
});
