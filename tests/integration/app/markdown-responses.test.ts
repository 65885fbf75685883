import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

let folder: string;
let house: Porchlight;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-markdown-'));
  house = await startPorchlight();
});
afterEach(async () => {
  await house.remove();
  await rm(folder, { recursive: true, force: true });
});

const there = 'https://bo.example/post';

test('Markdown posts without text that read, watch, listen or follow are imported', async () => {
  const posts: Readonly<Record<string, readonly [front: string, properties: object]>> = {
    read: [
      'read-of: ["The Left Hand, again"]\nread-status: finished',
      { 'read-of': ['The Left Hand, again'], 'read-status': ['finished'] },
    ],
    name: ['read-of: The Left Hand of Darkness', { 'read-of': ['The Left Hand of Darkness'] }],
    cite: [`watch_of: { url: "${there}", name: A film }`, { 'watch-of': [there] }],
    watch: [`watch-of: ${there}`, { 'watch-of': [there] }],
    listen: [`listen-of:\n  - ${there}`, { 'listen-of': [there] }],
    follow: [`follow-of: ${there}`, { 'follow-of': [there] }],
    jam: [`extra:\n  jam-of: ["${there}"]`, { 'jam-of': [there] }],
    rsvp: [`in-reply-to: ${there}\nrsvp: yes\n`, { 'in-reply-to': [there] }],
    answer: [`in-reply-to: ${there}\nrsvp: "maybe"\n`, { 'in-reply-to': [there], rsvp: ['maybe'] }],
  };
  for (const [name, [front]] of Object.entries(posts))
    await writeFile(join(folder, `${name}.md`), `---\ndate: 2024-05-01T10:00:00Z\n${front}\n---\n`);
  await writeFile(join(folder, 'script.md'), '---\ndate: 2024-05-01\nread-of: "javascript:alert(1)"\n---\n');
  const report = await house.call('posts.import', { path: folder, format: 'auto' });
  expect(report).toMatchObject({ found: 10, imported: 9, reasons: [{ why: 'It is empty.', count: 1 }] });
  for (const [name, [, properties]] of Object.entries(posts)) {
    const { post } = await house.call('posts.get', { url: `${house.base}/posts/2024/05/${name}` });
    expect(post.properties, name).toMatchObject(properties);
  }
});

test('a Markdown post that is only a cover is imported', async () => {
  const cover = 'https://bo.example/cover.png';
  await writeFile(join(folder, 'cover.md'), `---\ndate: 2024-05-01T10:00:00Z\ncover: ${cover}\n---\n`);
  expect(await house.call('posts.import', { path: folder, format: 'auto' })).toMatchObject({ imported: 1 });
  const { post } = await house.call('posts.get', { url: `${house.base}/posts/2024/05/cover` });
  expect(post.properties).toMatchObject({ featured: [cover] });
});
