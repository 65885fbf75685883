import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { type Porchlight, startPorchlight } from '../../support/porchlight.ts';

let house: Porchlight;
let folder: string;
let blog: Site;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-comments-'));
  house = await startPorchlight();
  blog = await openSite();
});
afterEach(async () => {
  await house.remove();
  await blog.close();
  await rm(folder, { recursive: true, force: true });
});

interface Comment {
  readonly id: number;
  readonly author?: string;
  readonly url?: string;
  readonly approved?: string;
  readonly type?: string;
  readonly text?: string;
}

const commentXml = ({ id, author = '', url = '', approved = '1', type = '', text = 'Nice lamp' }: Comment) =>
  `<wp:comment><wp:comment_id>${id}</wp:comment_id><wp:comment_author>${author}</wp:comment_author>
  <wp:comment_author_url>${url}</wp:comment_author_url><wp:comment_content><![CDATA[${text}]]></wp:comment_content>
  <wp:comment_date_gmt>2015-01-0${id} 10:00:00</wp:comment_date_gmt><wp:comment_type>${type}</wp:comment_type>
  <wp:comment_approved>${approved}</wp:comment_approved></wp:comment>`;

const itemXml = (name: string, comments: readonly Comment[], type = 'post') =>
  `<item><title>${name}</title><link>${blog.origin}/${name}/</link><content:encoded>Words</content:encoded>
  <wp:post_date_gmt>2014-01-01 10:00:00</wp:post_date_gmt><wp:post_name>${name}</wp:post_name>
  <wp:post_type>${type}</wp:post_type>${comments.map(commentXml).join('')}</item>`;

async function exportOf(...items: readonly string[]): Promise<string> {
  const file = join(folder, 'export.xml');
  const start = '<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>';
  await writeFile(file, `${start}${items.join('')}</channel></rss>`);
  return file;
}

const sam = { id: 1, author: 'Sam', url: 'https://sam.example/' };
const importOf = (path: string, more = {}) => house.call('posts.import', { path, format: 'auto', ...more });
const allMentions = async () => (await house.call('webmentions.list', { limit: 100 })).items;
const pageOf = async (path: string) => (await fetch(house.base + path)).text();
const lamps = '/posts/2014/01/lamps';

/** Sends a mention of the post. Returns the URL that tells what became of it. */
async function send(source: string): Promise<string> {
  const body = new URLSearchParams({ source, target: house.base + lamps });
  const answer = await fetch(`${house.base}/webmention`, { method: 'POST', body });
  expect(answer.status).toBe(201);
  return answer.headers.get('location') ?? '';
}

const stateOf = async (url: string) => ((await (await fetch(url)).json()) as { status: string }).status;

test('comments of a WordPress export wait at their post, and one button approves them', async () => {
  await house.call('settings.update', {
    webmention: { hosts: [new URL(blog.origin).host], hold: 'nothing' },
  });
  const file = await exportOf(
    itemXml('about', [{ id: 7 }], 'page'),
    itemXml('lamps', [
      sam,
      { id: 2, text: 'Anonymous words' },
      { id: 3, approved: 'spam' },
      { id: 4, approved: '0' },
      { id: 5, type: 'order_note' },
    ]),
  );
  const reasons = [
    'Its post isn’t imported.',
    'In WordPress, the comment is spam.',
    'In WordPress, the comment still waits for approval.',
    'WordPress uses the comment for its own purposes.',
  ].map((why) => ({ why, count: 1 }));
  const check = await importOf(file, { dryRun: true });
  expect(check).toMatchObject({ found: 1, mentions: 2 });
  expect(check.reasons).toEqual(expect.arrayContaining(reasons));
  const report = await importOf(file);
  expect(report).toMatchObject({ imported: 1, mentions: 2 });
  expect(report.reasons).toEqual(expect.arrayContaining(reasons));

  const [anonymous, ofSam] = await allMentions();
  expect(ofSam).toMatchObject({
    status: 'held',
    comment: true,
    type: 'reply',
    source: `${blog.origin}/lamps/#comment-1`,
    target: house.base + lamps,
    received: '2015-01-01T10:00:00.000Z',
    author: { name: 'Sam', url: 'https://sam.example/' },
  });
  expect(anonymous).toMatchObject({ status: 'held', author: { name: 'Anonymous' } });
  // They are on a site of the owner, but others wrote them.
  expect(anonymous).not.toHaveProperty('own');
  expect(await pageOf(lamps)).not.toContain('Nice lamp');

  expect(await house.call('posts.approveImport', { id: report.id })).toEqual({ approved: 2 });
  expect(await house.call('posts.approveImport', { id: report.id })).toEqual({ approved: 0 });
  const shown = await pageOf(lamps);
  for (const words of ['Nice lamp', 'Anonymous words', 'https://sam.example/'])
    expect(shown).toContain(words);
  expect(await house.call('webmentions.counts', {})).toEqual([{ month: '2015-01', types: { reply: 2 } }]);
  const [latest] = (await house.call('activity.list', { area: 'mentions' })).items;
  expect(latest?.words).toBe('You approved 2 comments of an import.');
  expect(blog.requests).toEqual([]);
});

test('an approved comment makes nobody known, neither by the button nor by itself', async () => {
  await house.call('settings.update', { webmention: { hold: 'strangers' } });
  const report = await importOf(await exportOf(itemXml('lamps', [sam, { ...sam, id: 2 }])));
  const [second] = await allMentions();
  await house.call('webmentions.setStatus', { id: second?.id ?? '', status: 'approved' });
  expect(await house.call('posts.approveImport', { id: report.id })).toEqual({ approved: 1 });
  const source = `${blog.origin}/reply`;
  const author = '<a class="p-author h-card" href="https://sam.example/">Sam</a>';
  const link = `<a class="u-in-reply-to" href="${house.base}${lamps}">lamps</a>`;
  blog.pages.set(
    '/reply',
    page(`<div class="h-entry">${author} ${link} <p class="e-content">Hello</p></div>`),
  );
  await send(source);
  await house.call('webmentions.process', {});
  expect((await allMentions()).find((one) => one.source === source)).toMatchObject({
    status: 'held',
    admission: 'stranger',
  });
});

test('the former address of a comment is never read, also if somebody sends it', async () => {
  const report = await importOf(await exportOf(itemXml('lamps', [sam])));
  await house.call('posts.approveImport', { id: report.id });
  const sent = await send(`${blog.origin}/lamps/#comment-1`);
  await house.call('webmentions.process', {});
  // The server may have begun with it by itself.
  await expect.poll(() => stateOf(sent)).toBe('failed');
  expect(blog.requests).toEqual([]);
  expect(await allMentions()).toMatchObject([{ status: 'approved' }]);
});

test('an import repeated adds no comment twice, and none that the owner deleted', async () => {
  const file = await exportOf(itemXml('lamps', [sam, { id: 2 }]));
  await importOf(file);
  const [second] = await allMentions();
  await house.call('webmentions.delete', { id: second?.id ?? '' });
  await importOf(await exportOf(itemXml('lamps', [sam, { id: 2 }, { id: 3 }])));
  expect((await allMentions()).map(({ source, status }) => [source.slice(-1), status])).toEqual([
    ['3', 'held'],
    ['2', 'deleted'],
    ['1', 'held'],
  ]);
});

test('undoing an import removes its comments, also approved ones, and keeps what the owner hid', async () => {
  const report = await importOf(await exportOf(itemXml('lamps', [sam, { id: 2 }])));
  await house.call('posts.approveImport', { id: report.id });
  const [second] = await allMentions();
  await house.call('webmentions.setStatus', { id: second?.id ?? '', status: 'hidden' });
  expect(await house.call('posts.undoImport', { id: report.id })).toMatchObject({
    deleted: 1,
    mentions: 1,
    kept: [{ what: `${blog.origin}/lamps/#comment-2`, why: 'This mention has changed since.' }],
  });
  expect(await allMentions()).toHaveLength(1);
});
