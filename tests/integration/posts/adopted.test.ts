import { writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { adoptedTable } from '../../../src-main/site-folder/adopted/adopted-index.ts';
import { writeBackTo } from '../../../src-main/site-folder/adopted/folder-files.ts';
import { PublishingTrouble } from '../../../src-main/site-folder/publishing/folder-target.ts';
import { adoptFolder, adoptingSettings, writeTree } from '../../support/adoption.ts';
import { jsonOf } from '../../support/answers.ts';
import { memoryFolder } from '../../support/folder-scene.ts';
import { memoryRecords } from '../../support/memory-records.ts';
import { openMicropub } from '../../support/micropub-server.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const fog = `---
# mine
title: Fog # grey
date: 2020-01-02
tags:
- sea
theme: {dark: yes}
---

It was *grey*.
`;
const url = 'https://me.example/posts/fog/';

/** A folder with posts that were already there, and Micropub beside it. */
async function open(
  files: Readonly<Record<string, string>> = { 'content/posts/fog.md': fog },
  meanwhile?: (folder: string) => Promise<void>,
) {
  const online = ['/posts/fog/', '/posts/later/'];
  const folder = await temporaryFolder();
  await writeTree(folder, files);
  const settings = adoptingSettings(folder, 'hugo');
  const opened = await adoptFolder(settings, {
    online,
    ...(meanwhile && { meanwhile: () => meanwhile(folder) }),
  });
  const server = await openMicropub({ adopted: opened.adopted });
  onTestFinished(() => server.close());
  const source = async (token = 'update', address = url) => server.query(`q=source&url=${address}`, token);
  const update = (change: object, token = 'create.update', address = url) =>
    server.send({ action: 'update', url: address, ...change }, { token });
  const file = () => readFile(join(folder, 'content/posts/fog.md'), 'utf8');
  return { ...opened, folder, settings, server, source, update, file, online };
}

test('q=source returns a post that was already in the folder', async () => {
  const { source, server } = await open();
  expect(await jsonOf(await source())).toEqual({
    type: ['h-entry'],
    properties: { name: ['Fog'], published: ['2020-01-02'], category: ['sea'], content: ['It was *grey*.'] },
  });
  const some = await server.query(`q=source&url=${url}&properties[]=name&properties[]=url`, 'create');
  expect(await jsonOf(some)).toEqual({ properties: { name: ['Fog'], url: [url] } });
  expect(await jsonOf(await server.query('q=source', 'update'))).toEqual({ items: [], paging: {} });
  expect((await source('update', 'https://me.example/posts/none/')).status).toBe(400);
});

test('an update changes its file and keeps everything else byte for byte', async () => {
  const { update, file, source, messages } = await open();
  const answer = await update({ replace: { name: ['Fog: a study'] }, add: { category: ['new'] } });
  expect(answer.status).toBe(204);
  expect(await file()).toBe(fog.replace('Fog', '"Fog: a study"').replace('- sea\n', '- sea\n- "new"\n'));
  expect(await jsonOf(await source())).toMatchObject({ properties: { name: ['Fog: a study'] } });
  await update({ replace: { content: ['Blue.'] } });
  expect(await file()).toContain('theme: {dark: yes}\n---\n\nBlue.\n');
  expect(messages).toEqual(['Update “Fog”', 'Update “Fog: a study”']);
});

test('an update succeeds although the folder disappears while it is written', async () => {
  const { update, file, adopted } = await open(undefined, async (folder) => {
    await rename(folder, `${folder}-gone`);
    await adopted.refresh();
    await rename(`${folder}-gone`, folder);
  });
  const answer = await update({ replace: { name: ['Mist'] } });
  expect(answer.status).toBe(204);
  expect(await file()).toContain('title: "Mist"');
});

test('a date is read as in other posts, and the file stays unchanged if it has no valid date', async () => {
  const { update, file, source } = await open();
  expect((await update({ replace: { published: ['next monday'] } })).status).toBe(400);
  expect((await update({ add: { published: ['2020-01-03'] } })).status).toBe(400);
  expect(await file()).toBe(fog);
  expect((await update({ replace: { published: ['20200103T0930'] } })).status).toBe(204);
  expect(await file()).toContain('date: 2020-01-03T09:30:00Z\n');
  expect(await jsonOf(await source())).toMatchObject({ properties: { published: ['2020-01-03T09:30:00Z'] } });
});

test('each change of a file is reported, and an update without changes is not', async () => {
  const { update, server } = await open();
  await update({ replace: { name: ['Mist'] } });
  await update({ replace: { name: ['Mist'] } });
  await update({ replace: { 'mp-slug': ['mist'] } });
  await update({ replace: { content: ['Blue.'] } });
  expect(server.adoptedChanges).toEqual(['content/posts/fog.md', 'content/posts/fog.md']);
});

test('a change that the file can’t hold is refused with a reason, and the file stays unchanged', async () => {
  const { update, file, server } = await open();
  const refused = async (answer: Promise<Response>, words: string) => {
    const response = await answer;
    expect(response.status).toBe(400);
    expect(await jsonOf(response)).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining(words) as string,
    });
  };
  await refused(update({ replace: { content: [{ html: '<b>x</b>' }] } }), 'Send its text as Markdown');
  await refused(update({ replace: { 'mp-slug': ['other'] } }), 'cannot change its URL');
  await refused(update({ replace: { 'mp-syndicate-to': ['x'] } }), 'mp-syndicate-to');
  await refused(update({ replace: { visibility: ['private'] } }), 'visibility');
  await refused(update({ replace: { location: ['geo:1,2'] } }), "write 'location'");
  await refused(server.send({ action: 'delete', url }, { token: 'delete' }), 'Delete its file instead');
  await refused(server.send({ action: 'undelete', url }, { token: 'delete' }), 'Delete its file instead');
  expect(await file()).toBe(fog);
});

test('an app that may not change posts sees no drafts and none from the future', async () => {
  const { source, update, folder, server } = await open({
    'content/posts/fog.md': fog.replace('# mine', 'draft: true'),
    'content/posts/later.md': fog.replace('2020', '2090'),
  });
  expect((await source('create')).status).toBe(400);
  expect((await source('create', 'https://me.example/posts/later/')).status).toBe(400);
  const deletion = await server.send({ action: 'delete', url }, { token: 'delete' });
  expect(await jsonOf(deletion)).toMatchObject({
    error_description: 'The post with the requested URL was not found.',
  });
  expect(await jsonOf(await source())).toMatchObject({ properties: { 'post-status': ['draft'] } });
  const publish = { replace: { 'post-status': ['published'] } };
  expect((await update(publish, 'update')).status).toBe(403);
  expect((await update(publish)).status).toBe(204);
  expect(await readFile(join(folder, 'content/posts/fog.md'), 'utf8')).toContain('\ndraft: false\n');
  expect((await source('create')).status).toBe(200);
});

test('nothing is adopted while the owner has it turned off', async () => {
  const { source, settings } = await open();
  Object.assign(settings, { adopt: false });
  expect((await source()).status).toBe(400);
});

test('a post that Porchlight published itself is not adopted', async () => {
  const folder = await temporaryFolder();
  await writeTree(folder, { 'content/posts/fog.md': fog });
  const { adopted } = await adoptFolder(adoptingSettings(folder, 'hugo'), {
    isOwn: (one) => Promise.resolve(one === url),
  });
  expect(await adopted.at(url)).toBeUndefined();
  expect(adopted.summary()).toEqual({ posts: 0, problems: [], isCut: false });
});

test('files that changed are read again; links out of the folder are not followed', async () => {
  const { adopted, folder, online } = await open({ 'content/posts/fog.md': fog });
  const outside = await temporaryFolder();
  await writeTree(outside, { 'secret.md': fog, 'inner/secret.md': fog });
  await symlink(join(outside, 'secret.md'), join(folder, 'content/posts/linked.md'));
  await symlink(join(outside, 'inner'), join(folder, 'content/inner'));
  await writeTree(folder, {
    'content/posts/new.md': fog,
    'content/posts/two.md': fog.replace('title', 'url: /posts/new/\ntitle'),
    'content/posts/bad.md': 'no front matter',
    'content/posts/fog.md': fog.replace('title', 'slug: mist\ntitle'),
  });
  await writeFile(join(folder, 'content/posts/latin.md'), Buffer.from([0x2d, 0xff]));
  await mkdir(join(folder, 'content/folder.md'));
  online.push('/posts/mist/', '/posts/new/', '/posts/linked/', '/inner/secret/');
  await adopted.refresh();
  expect(await adopted.at(url)).toBeUndefined();
  expect(await adopted.at('https://me.example/posts/mist/#top')).toMatchObject({
    file: 'content/posts/fog.md',
  });
  expect(await adopted.at('https://me.example/inner/secret/')).toBeUndefined();
  expect(await adopted.at('https://me.example/posts/linked/')).toBeUndefined();
  // Two files have this URL, so neither is certain.
  expect(await adopted.at('https://me.example/posts/new/')).toBeUndefined();
  expect(adopted.summary().problems).toEqual([
    { words: 'It has no front matter.', files: 1, example: 'content/posts/bad.md' },
    { words: 'It isn’t UTF-8 text.', files: 1, example: 'content/posts/latin.md' },
  ]);
});

test('a file that changes between reading and writing is not overwritten', async () => {
  const { adopted, folder, file } = await open();
  const haze = fog.replace('Fog', 'Haze');
  const changed = adopted.change(url, ({ properties, status }) => {
    writeFileSync(join(folder, 'content/posts/fog.md'), haze);
    return { properties: { ...properties, name: ['Mist'] }, status };
  });
  await expect(changed).rejects.toThrow('The file has changed.');
  expect(await file()).toBe(haze);
  expect(await adopted.at(url)).toMatchObject({ properties: { name: ['Haze'] } });
});

test('a change is written as a commit of the folder, and never over somebody else’s change', async () => {
  const { target, files, history, state } = memoryFolder();
  files.set('a.md', 'old');
  const change = { file: 'a.md', before: 'old', after: 'new', message: 'Update “A”' };
  await writeBackTo(() => target, change);
  expect(history).toEqual([{ message: 'Update “A”', files: ['a.md'] }]);
  // An attempt whose push failed is repeated.
  await writeBackTo(() => target, change);
  expect(history).toHaveLength(1);
  files.set('a.md', 'theirs');
  await expect(writeBackTo(() => target, change)).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(files.get('a.md')).toBe('theirs');
  files.set('a.md', 'new');
  state.trouble = new PublishingTrouble('The disk isn’t there.');
  const next = { ...change, before: 'new', after: 'newer' };
  await expect(writeBackTo(() => target, next)).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    message: 'The disk isn’t there.',
  });
});

test('ten changes at once all arrive', async () => {
  const { update, source } = await open();
  const tags = Array.from({ length: 10 }, (_, number) => `tag-${number}`);
  await Promise.all(tags.map((tag) => update({ add: { category: [tag] } })));
  const { properties } = (await jsonOf(await source())) as { properties: { category: string[] } };
  expect(new Set(properties.category)).toEqual(new Set(['sea', ...tags]));
});

test('a post is adopted once its page is online, and stays while the site doesn’t answer', async () => {
  const folder = await temporaryFolder();
  await writeTree(folder, { 'content/posts/fog.md': fog });
  const settings = adoptingSettings(folder, 'hugo');
  const records = memoryRecords([adoptedTable]);
  const adopt = (online: readonly string[] | null) => adoptFolder(settings, { records, online });
  const { adopted: before } = await adopt(['/posts/', '/tags/fog/']);
  expect(await before.at(url)).toBeUndefined();
  expect(before.summary().problems).toEqual([
    {
      words: 'Your site’s sitemap or feed doesn’t have exactly one address that fits it.',
      files: 1,
      example: 'content/posts/fog.md',
    },
  ]);
  expect(await (await adopt(['/posts/fog/', '/tags/fog/'])).adopted.at(url)).toBeDefined();
  const { adopted: offline } = await adopt(null);
  expect(await offline.at(url)).toBeDefined();
  expect(offline.summary()).toMatchObject({ posts: 1, problems: [{ example: 'sitemap.xml' }] });
  expect(await (await adopt(['/tags/fog/'])).adopted.at(url)).toBeUndefined();
});

test('a missing folder harms nothing', async () => {
  const { adopted, folder, settings } = await open();
  Object.assign(settings, { path: join(folder, 'gone') });
  await adopted.refresh();
  expect(await adopted.at(url)).toBeUndefined();
});
