import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { ImportLoss } from '../../../src-main/contract/post-import.ts';
import { openSite } from '../../support/client-app.ts';
import { patience } from '../../support/patience.ts';
import { drawing } from '../../support/picture-samples.ts';
import { importItemsTable } from '../../../src-main/importing/import-records.ts';
import { withClosedRecords } from '../../../src-main/storage/records/closed-records.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { sampleArchive, zipFolder } from '../../support/post-archives.ts';
import { openSubscriber } from '../../support/websub-subscriber.ts';
import { storedSubscriptions } from '../../support/stored-subscriptions.ts';

let house: Porchlight;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-archives-'));
  house = await startPorchlight();
});

afterEach(async () => {
  await house.remove();
  await rm(folder, { recursive: true, force: true });
});

const importOf = (path: string, more = {}) => house.call('posts.import', { path, format: 'auto', ...more });
const allPosts = async () => (await house.call('posts.list', { limit: 500 })).items;
const allFiles = async () => (await house.call('media.list', { limit: 500 })).items;
const codeOf = (error: unknown) => (error instanceof PorchlightError ? error.code : 'none');

/** A JSON Feed with `count` posts, from the number `from` on. */
async function feedOf(count: number, from = 0): Promise<string> {
  const items = Array.from({ length: count }, (_, index) => ({
    id: `https://old.example/${from + index}/post-${from + index}`,
    url: `https://old.example/${from + index}/post-${from + index}`,
    content_text: `Post number ${from + index}`,
    date_published: new Date(Date.UTC(2015, 0, 1) + (from + index) * 3_600_000).toISOString(),
  }));
  const file = join(folder, `feed-${from}-${count}.json`);
  await writeFile(file, JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items }));
  return file;
}

/** A folder of Markdown with these files. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const site = join(folder, 'site');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(site, path)), { recursive: true });
    await writeFile(join(site, path), text);
  }
  return site;
}

describe('a check', () => {
  test('describes an archive and what is skipped, and changes nothing', async () => {
    const report = await importOf(sampleArchive('wordpress.xml'), { dryRun: true });
    expect(report).toMatchObject({ format: 'wxr', state: 'checked', found: 6, imported: 0 });
    expect(report.kinds).toEqual([{ kind: 'article', count: 5 }]);
    expect(report.reasons).toContainEqual({ why: 'It is a page, not a post.', count: 1 });
    expect(report.samples[0]).toMatchObject({ kind: 'article', name: 'On lamps & doors' });
    expect(await allPosts()).toEqual([]);
    expect((await house.call('posts.imports', {})).items).toEqual([]);
  });
});

/** Sorts losses. Posts are written at the same time, so their order can vary. */
const byName = (losses: readonly ImportLoss[]) => losses.toSorted((a, b) => a.what.localeCompare(b.what));

test('a check and an import name each post that loses something, and what it loses', async () => {
  const item = (title: string, more: string) =>
    `<item><title>${title}</title><guid>${title}</guid><wp:post_date_gmt>2015-01-01 10:00:00</wp:post_date_gmt>${more}</item>`;
  const file = join(folder, 'export.xml');
  await writeFile(
    file,
    `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>
    ${item('Whole', '<content:encoded>Words [sic]</content:encoded>')}
    ${item('Form', '<content:encoded>Words [contact-form]</content:encoded>')}
    ${item('Long', `<excerpt:encoded>${'w'.repeat(1001)}</excerpt:encoded>`)}</channel></rss>`,
  );
  const losses = [
    { what: 'Form', lost: ['the shortcode [contact-form]'] },
    { what: 'Long', lost: ['the end of its summary'] },
  ];
  expect(await importOf(file, { dryRun: true })).toMatchObject({ losses, lossCount: 2 });
  const report = await importOf(file);
  expect(report).toMatchObject({ imported: 3, lossCount: 2 });
  expect(byName(report.losses)).toEqual(losses);
  expect(await importOf(file)).toMatchObject({ imported: 0, losses: [], lossCount: 0 });
});

test('a page shows the paragraphs, code and captions of a WordPress post, and no shortcode', async () => {
  const content = [
    'First para',
    '<pre>code\n\nmore</pre>',
    '[caption width="512"]<img src="http://127.0.0.1:9/x.png" alt="x"> [A, B] != [B, A][/caption]',
    '[embed]https://video.example/1[/embed] [contact-form]',
  ].join('\n\n');
  const file = join(folder, 'export.xml');
  await writeFile(
    file,
    `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><item><title>Post</title>
    <content:encoded><![CDATA[${content}]]></content:encoded>
    <wp:post_date_gmt>2015-01-01 10:00:00</wp:post_date_gmt></item></channel></rss>`,
  );
  expect(await importOf(file)).toMatchObject({ imported: 1 });
  const [post] = await allPosts();
  const page = await (await fetch(post?.url ?? '')).text();
  expect(page).toContain('<p>First para</p>\n<pre>code\n\nmore</pre>\n<figure>');
  expect(page).toContain('<figcaption>[A, B] != [B, A]</figcaption></figure>');
  expect(page).toMatch(
    /<p><a href="https:\/\/video\.example\/1"[^>]*>https:\/\/video\.example\/1<\/a>\s*<\/p>/,
  );
  expect(page).not.toMatch(/\[\/?(?:caption|embed|contact-form)/);
});

test('NI09 NI35 a category has its own name, and a picture in the text is lost by name', async () => {
  const picture = 'data:image/png;base64,iVBORw0KGgo=';
  const file = join(folder, 'export.xml');
  await writeFile(
    file,
    `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><item><title>Post</title>
    <content:encoded><![CDATA[Words <img src="${picture}">]]></content:encoded>
    <category domain="category" nicename="cafe-tea"><![CDATA[Café &amp; Tea]]></category>
    <wp:post_date_gmt>2015-01-01 10:00:00</wp:post_date_gmt></item></channel></rss>`,
  );
  const lost = ['a picture that is part of its text'];
  expect(await importOf(file)).toMatchObject({ imported: 1, losses: [{ what: 'Post', lost }] });
  const [post] = await allPosts();
  const page = await (await fetch(post?.url ?? '')).text();
  expect(page).toContain('Café &amp; Tea<');
  const note = await folderOf({ 'a.md': `---\ntitle: Note\ndate: 2020-01-02\n---\nWords ![x](${picture})` });
  expect(await importOf(note)).toMatchObject({ imported: 1, losses: [{ what: 'Note', lost }] });
});

test('an import names the post of each file that it can’t copy', async () => {
  const attachment = (url: string) => ({ type: 'Document', mediaType: 'image/png', url });
  const outbox = {
    orderedItems: ['/media_attachments/none.png', '/media_attachments/text.png'].map((url, index) => ({
      type: 'Create',
      published: '2020-01-01T00:00:00Z',
      object: { id: `https://s.example/${index}`, content: `Post ${index}`, attachment: [attachment(url)] },
    })),
  };
  await mkdir(join(folder, 'mastodon/media_attachments'), { recursive: true });
  await writeFile(join(folder, 'mastodon/outbox.json'), JSON.stringify(outbox));
  await writeFile(join(folder, 'mastodon/media_attachments/text.png'), 'no picture');
  const report = await importOf(join(folder, 'mastodon'));
  expect(report).toMatchObject({ imported: 2, lossCount: 2 });
  expect(byName(report.losses)).toEqual([
    { what: 'Post 0', lost: ['the file /media_attachments/none.png'] },
    { what: 'Post 1', lost: ['the file media_attachments/text.png'] },
  ]);
});

describe('an import', () => {
  test('copies the pictures inside the HTML of WordPress, so that pages show them from here', async () => {
    const blog = await openSite();
    onTestFinished(() => blog.close());
    const picture = await drawing().png().toBuffer();
    blog.pages.set('/lamp.png', (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
    });
    const item = `<title>On lamps</title><link>https://old.example/1/</link>
      <content:encoded><![CDATA[<p>Words <img src="${blog.origin}/lamp.png" alt="Lamp"></p>]]></content:encoded>
      <wp:post_date_gmt>2015-01-01 10:00:00</wp:post_date_gmt><wp:status>publish</wp:status><wp:post_type>post</wp:post_type>`;
    const file = join(folder, 'export.xml');
    const start = '<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>';
    await writeFile(file, `${start}<item>${item}</item></channel></rss>`);
    expect(await importOf(file)).toMatchObject({ imported: 1 });
    const [post] = await allPosts();
    await vi.waitFor(async () => {
      const shown = await (await fetch(post?.url ?? '')).text();
      expect(shown).toMatch(/<img src="[^"]*\/media\/[^"]*" alt="Lamp"/);
      expect(shown).not.toContain(blog.origin);
    }, patience);
    expect(blog.requests.filter((line) => line === 'GET /lamp.png')).toHaveLength(1);
  });

  test('keeps date, address, source, pictures and syndication URL, and notifies nobody', async () => {
    const subscriber = await openSubscriber();
    onTestFinished(() => subscriber.close());
    const subscriptions = async () => JSON.stringify(await storedSubscriptions(house.dataDir));
    await subscriber.ask(`${house.base}/websub`, { topic: `${house.base}/feed.atom` });
    await expect.poll(subscriptions, patience).toContain('feed.atom');
    const report = await importOf(sampleArchive('markdown'));
    expect(report).toMatchObject({ format: 'markdown', state: 'done', found: 5, imported: 3 });
    const item = (await allPosts()).find(({ name }) => name === 'A light for the porch');
    expect(item).toMatchObject({
      path: '/posts/2020/03/porch-light',
      published: '2020-03-01T19:30:00+01:00',
    });
    const source = await house.call('posts.source', { url: item?.url ?? '' });
    expect(source.format).toBe('markdown');
    expect(source.text).toMatch(
      /!\[A brass lamp\]\(http[^)]*\/media\/\d{4}\/\d\d\/[\w-]+-lamp\.png "Brass"\)/,
    );
    const page = await (await fetch(item?.url ?? '')).text();
    expect(page).toContain('<strong>brass</strong>');
    expect(page).not.toContain('<script');
    const second = (await allPosts()).find(({ name }) => name === 'Second light');
    const withHtml = await (await fetch(second?.url ?? '')).text();
    expect(withHtml).toContain('<p>They <em>burn</em>.</p>');
    expect(withHtml).not.toMatch(/<script|onclick|alert/);
    const files = await allFiles();
    expect(files.map(({ name }) => name).toSorted()).toEqual(['door.png', 'lamp.png']);
    expect((await fetch(files[0]?.url ?? '')).status).toBe(200);
    const activity = (await house.call('activity.list', { area: 'posts' })).items;
    expect(activity.map(({ words }) => words)).toEqual(['You imported 3 posts from Markdown files.']);
    expect(house.events.filter(({ name }) => name === 'post.changed')).toEqual([]);
    for (const { url } of await allPosts())
      expect(await house.call('webmentions.deliveries', { source: url })).toEqual([]);
    // The subscriber hears of a post that is written afterwards, and of nothing before it.
    await house.call('posts.create', {
      text: 'Written here',
      status: 'published',
      visibility: 'public',
      categories: [],
      photos: [],
    });
    await expect.poll(() => subscriber.deliveries.at(-1)?.body, patience).toContain('Written here');
    expect(subscriber.deliveries).toHaveLength(1);
  });

  test('I30 reads dates as apps’ dates are read, and skips a post whose date does not exist', async () => {
    await house.call('settings.update', { site: { timeZone: 'America/Los_Angeles' } });
    const dates = {
      day: '2020-03-01',
      local: '2020-07-01 09:30',
      jekyll: '2020-03-01 23:30:00 -0800',
      basic: '20200301T093000Z',
      never: '2023-02-29',
      words: 'next monday',
    };
    const notes = join(folder, 'notes');
    await mkdir(notes);
    for (const [name, date] of Object.entries(dates))
      await writeFile(join(notes, `${name}.md`), `---\ntitle: ${name}\ndate: ${date}\n---\nText\n`);
    await writeFile(join(notes, 'toml.md'), '+++\ntitle = "toml"\ndate = 2020-03-01\n+++\nText\n');
    expect(await importOf(notes)).toMatchObject({
      found: 7,
      imported: 5,
      reasons: [{ why: 'It has no date between 1970 and 9999.', count: 2 }],
    });
    const posts = new Map((await allPosts()).map((post) => [post.name, post]));
    expect([...posts.values()].map(({ name, published }) => [name, published]).toSorted()).toEqual([
      ['basic', '2020-03-01T09:30:00Z'],
      ['day', '2020-03-01T00:00:00-08:00'],
      ['jekyll', '2020-03-01T23:30:00-08:00'],
      ['local', '2020-07-01T09:30:00-07:00'],
      ['toml', '2020-03-01T00:00:00-08:00'],
    ]);
    expect(posts.get('day')?.path).toBe('/posts/2020/03/day');
    expect(await (await fetch(posts.get('day')?.url ?? '')).text()).toContain('1 March 2020');
    // A second import recognizes each post, wherever the owner is then.
    await house.call('settings.update', { site: { timeZone: 'Asia/Tokyo' } });
    expect(await importOf(notes)).toMatchObject({ imported: 0 });
    expect(await allPosts()).toHaveLength(5);
  });

  test('X12 an import sanitizes HTML in Markdown, with its pictures, and names what a post lost', async () => {
    const site = join(folder, 'site');
    await mkdir(join(site, '_posts'), { recursive: true });
    await mkdir(join(site, 'i'));
    await writeFile(join(site, '_config.yml'), 'baseurl: /blog\n');
    await writeFile(join(site, 'i/x.png'), await drawing().png().toBuffer());
    await writeFile(
      join(site, '_posts/2020-01-02-html.md'),
      [
        'Line<br>two <em onclick="alert(1)">em</em> and `{% raw %}{{ code }}{% endraw %}`[^1]',
        '<figure><img src="{{ site.baseurl }}/i/x.png" alt="X"><figcaption>Cap</figcaption></figure>',
        '<!-- more -->',
        '<script>alert(1)</script> {% include newsletter.html %}',
        '[^1]: The <b>note</b>',
      ].join('\n\n'),
    );
    const report = await importOf(site);
    expect(report).toMatchObject({ imported: 1, files: 1, lossCount: 1 });
    expect(report.losses[0]?.lost).toEqual(['the template code {% include newsletter.html %}', 'a script']);
    const [post] = await allPosts();
    expect(post).toMatchObject({ path: '/posts/2020/01/html', kind: 'note' });
    const page = await (await fetch(post?.url ?? '')).text();
    expect(page).toContain('Line<br />two <em>em</em> and <code>{{ code }}</code>');
    expect(page).toMatch(
      /<figure>.*<img src="[^"]*\/media\/[^"]*" alt="X".*<figcaption>Cap<\/figcaption><\/figure>/s,
    );
    expect(page).toMatch(/<li id="p[0-9a-f]{8}-fn1">\s*<p>The <b>note<\/b>/);
    expect(page).not.toMatch(/&lt;|<!--|<script|onclick|newsletter|\{%|porchlight-import/);
    expect((await house.call('posts.source', { url: post?.url ?? '' })).format).toBe('html');
  });

  test('reads a zip, and shows a photo with its alt text', async () => {
    const zip = await zipFolder(sampleArchive('mastodon'), join(folder, 'archive.zip'));
    const report = await importOf(zip);
    expect(report).toMatchObject({ format: 'mastodon', found: 7, imported: 6, files: 1 });
    const photo = (await allPosts()).find(({ kind }) => kind === 'photo');
    const { post } = await house.call('posts.get', { url: photo?.url ?? '' });
    expect(post.properties).toMatchObject({
      photo: [{ alt: 'A brass lamp beside a door' }],
      syndication: ['https://social.example/@robin/109000000000000002'],
      summary: ['Lamp, bright'],
    });
    const reply = (await allPosts()).find(({ kind }) => kind === 'reply');
    expect(await house.call('webmentions.deliveries', { source: reply?.url ?? '' })).toEqual([]);
    const hidden = (await allPosts()).find(({ summary }) => summary.includes('Only for followers'));
    expect((await fetch(hidden?.url ?? '')).status).toBe(404);
  });

  test('shows in lists and pages that were already requested', async () => {
    const page = async () => (await fetch(`${house.base}/`)).text();
    expect(await page()).not.toContain('A long post');
    await importOf(sampleArchive('microblog'));
    const shown = await page();
    expect(shown).toContain('A short one.');
    expect(shown).toContain('/posts/2021/05/hello-porch');
  });

  test('imports nothing twice, also from overlapping archives and after a restart', async () => {
    await importOf(await feedOf(20));
    expect(await importOf(await feedOf(20))).toMatchObject({ imported: 0, found: 20, state: 'done' });
    await house.stop();
    house = await startPorchlight({ dataDir: house.dataDir });
    const report = await importOf(await feedOf(20, 15));
    expect(report).toMatchObject({ imported: 15 });
    expect(report.reasons).toEqual([{ why: 'An earlier import contains it.', count: 5 }]);
    expect(await allPosts()).toHaveLength(35);
    expect((await house.call('posts.imports', {})).items.map(({ posts, state }) => [posts, state])).toEqual([
      [15, 'done'],
      [20, 'done'],
    ]);
  });

  test('NI31 takes posts in different folders for different posts, and copies of one for the same', async () => {
    const post = (title: string, text: string) => `---\ntitle: ${title}\ndate: 2020-01-02\n---\n${text}\n`;
    const folder = await folderOf({
      'content/en/posts/lamp.md': post('Lamp', 'A light'),
      'content/de/posts/lamp.md': post('Lampe', 'Ein Licht'),
      'content/notes/1.md': post('One', 'A note'),
      'content/links/1.md': post('One', 'A link'),
      'content/copies/1.md': post('One', 'A link'),
      'content/a/index.fr.md': post('A', 'Un'),
      'content/b/index.fr.md': post('B', 'Deux'),
    });
    const report = await importOf(folder);
    expect(report).toMatchObject({ found: 7, imported: 6 });
    expect(report.reasons).toEqual([{ why: 'The archive contains it twice.', count: 1 }]);
    expect((await allPosts()).map(({ path }) => path.split('/').at(-1)).sort()).toEqual(
      ['one', 'one-2', 'a', 'b', 'lamp', 'lamp-2'].sort(),
    );
    expect(await importOf(folder)).toMatchObject({ imported: 0 });
  });

  test('an import of an earlier version is recognized, and brings what that version skipped', async () => {
    const post = (text: string) => `---\ntitle: Lamp\ndate: 2020-01-02T00:00:00Z\n---\n${text}\n`;
    const folder = await folderOf({ 'de/lamp.md': post('Ein Licht'), 'en/lamp.md': post('A light') });
    await importOf(folder);
    const german = (await allPosts()).find(({ path }) => path.endsWith('/lamp'));
    await house.call('posts.delete', { url: (await allPosts()).find((one) => one !== german)?.url ?? '' });
    await house.stop();
    // Earlier versions imported the first of the two, under a key without its folder.
    const former = createHash('sha256')
      .update('markdown lamp.md lamp 2020-01-02T00:00:00Z')
      .digest('base64url');
    await withClosedRecords(house.dataDir, [importItemsTable], (database) => {
      database.prepare('DELETE FROM import_items WHERE place <> ?').run(german?.path ?? '');
      database.prepare('UPDATE import_items SET key = ?').run(former.slice(0, 22));
    });
    house = await startPorchlight({ dataDir: house.dataDir });
    const report = await importOf(folder);
    expect(report).toMatchObject({ imported: 1 });
    expect(report.reasons).toEqual([{ why: 'An earlier import contains it.', count: 1 }]);
    expect(await importOf(folder)).toMatchObject({ imported: 0 });
  });

  test('does not bring back a post that the owner deleted', async () => {
    await importOf(await feedOf(2));
    const [first] = await allPosts();
    await house.call('posts.delete', { url: first?.url ?? '' });
    expect(await importOf(await feedOf(2))).toMatchObject({ imported: 0 });
    expect(await allPosts()).toHaveLength(1);
  });

  test('imports a post although another post is at the path that an earlier import recorded for it', async () => {
    const file = await feedOf(1);
    await importOf(file);
    const [imported] = await allPosts();
    await house.call('posts.create', {
      text: 'My own post',
      slug: 'mine',
      photos: [],
      categories: [],
      visibility: 'public',
      status: 'published',
    });
    const own = (await allPosts()).find(({ path }) => path.endsWith('/mine'));
    await house.stop();
    // An import that was killed before it wrote its post may have recorded a path that another post got later.
    await withClosedRecords(house.dataDir, [importItemsTable], (database) =>
      database
        .prepare("UPDATE import_items SET place = ? WHERE kind = 'post' AND place = ?")
        .run(own?.path ?? '', imported?.path ?? ''),
    );
    house = await startPorchlight({ dataDir: house.dataDir });
    expect(await importOf(file)).toMatchObject({ imported: 1, skipped: [] });
    expect((await allPosts()).map(({ summary }) => summary).sort()).toEqual([
      'My own post',
      'Post number 0',
      'Post number 0',
    ]);
  });

  test('that is cancelled keeps what it imported, says so, and continues with the same call', async () => {
    const file = await feedOf(1000);
    const running = importOf(file);
    await vi.waitFor(
      () =>
        expect(
          house.events.some(
            (event) => event.name === 'posts.importProgress' && event.data.state === 'importing',
          ),
        ).toBe(true),
      patience,
    );
    await expect(importOf(file).catch(codeOf)).resolves.toBe('busy');
    expect(await house.call('posts.cancelImport', {})).toEqual({ cancelled: true });
    const report = await running;
    expect(report.state).toBe('cancelled');
    expect(report.imported).toBeGreaterThan(0);
    expect(report.imported).toBeLessThan(1000);
    const { items, progress } = await house.call('posts.imports', {});
    expect(items).toMatchObject([{ id: report.id, state: 'cancelled', posts: report.imported }]);
    expect(progress?.words).toContain(`keeps the ${report.imported.toLocaleString('en')} post`);
    const rest = await importOf(file);
    expect(rest).toMatchObject({ id: report.id, state: 'done', imported: 1000 - report.imported });
    expect((await house.call('posts.imports', {})).items).toMatchObject([{ posts: 1000, state: 'done' }]);
  }, 360_000);

  test('that a stop interrupts is listed, and continues after the next start', async () => {
    const file = await feedOf(800);
    const running = importOf(file).catch(codeOf);
    await vi.waitFor(
      () =>
        expect(
          house.events.some(
            (event) => event.name === 'posts.importProgress' && event.data.state === 'importing',
          ),
        ).toBe(true),
      patience,
    );
    await house.stop();
    await running;
    house = await startPorchlight({ dataDir: house.dataDir });
    const { items } = await house.call('posts.imports', {});
    expect(items).toMatchObject([{ state: 'interrupted' }]);
    const before = (await house.call('posts.list', { limit: 500 })).items.length;
    expect(before).toBeGreaterThan(0);
    const report = await importOf(file);
    expect(report.id).toBe(items[0]?.id);
    expect((await house.call('posts.undoImport', { id: report.id })).deleted).toBe(800);
  }, 360_000);
});

describe('files of an archive', () => {
  const attachment = (url: string) => ({ type: 'Document', mediaType: 'image/png', url, name: '' });
  const toot = (id: number, content: string, urls: string[]) => ({
    type: 'Create',
    published: '2022-11-06T18:20:11Z',
    to: ['https://www.w3.org/ns/activitystreams#Public'],
    object: { id: `https://social.example/${id}`, type: 'Note', content, attachment: urls.map(attachment) },
  });

  test('that are missing or no pictures are reported, and the rest of the post is imported', async () => {
    const media = join(folder, 'media_attachments/files');
    await mkdir(media, { recursive: true });
    await writeFile(join(media, 'page.png'), '<html><script>alert(1)</script>');
    await writeFile(join(media, 'empty.png'), '');
    const orderedItems = [
      toot(1, '<p>Words</p>', ['/media_attachments/files/missing.png', '/media_attachments/files/page.png']),
      toot(2, '', ['/media_attachments/files/empty.png']),
      toot(3, '', ['/media_attachments/files/../../../../etc/passwd']),
    ];
    await writeFile(join(folder, 'outbox.json'), JSON.stringify({ orderedItems }));
    const report = await importOf(folder);
    expect(report).toMatchObject({ found: 3, imported: 1, state: 'done' });
    expect(report.skipped.map(({ what }) => what).toSorted()).toEqual([
      '/media_attachments/files/../../../../etc/passwd',
      '/media_attachments/files/missing.png',
      'https://social.example/2',
      'https://social.example/3',
      'media_attachments/files/empty.png',
      'media_attachments/files/page.png',
    ]);
    expect((await allPosts()).map(({ summary }) => summary)).toEqual(['Words']);
    expect(await allFiles()).toEqual([]);
  });
});

describe('undoing an import', () => {
  test('deletes its posts and files, also after a restart, and keeps what the owner changed', async () => {
    const report = await importOf(sampleArchive('markdown'));
    const kept = (await allPosts()).find(({ name }) => name === 'Second light');
    await house.call('posts.update', { url: kept?.url ?? '', text: 'Mine now.' });
    await house.stop();
    house = await startPorchlight({ dataDir: house.dataDir });
    const result = await house.call('posts.undoImport', { id: report.id });
    expect(result).toMatchObject({ deleted: 2, files: 2, keptCount: 1 });
    expect(result.kept).toEqual([
      { what: `${house.base}${kept?.path ?? ''}`, why: 'You have changed this post since.' },
    ]);
    expect((await allPosts()).map(({ name }) => name)).toEqual(['Second light']);
    expect(await allFiles()).toEqual([]);
    expect((await fetch(`${house.base}/posts/2020/03/porch-light`)).status).toBe(410);
    expect((await house.call('posts.imports', {})).items).toMatchObject([{ state: 'undone' }]);
  });

  test('keeps a file that another post uses', async () => {
    const report = await importOf(sampleArchive('microblog'));
    const [file] = await allFiles();
    await house.call('posts.create', {
      text: 'Again',
      photos: [{ url: file?.url ?? '', alt: '' }],
      categories: [],
      visibility: 'public',
      status: 'published',
    });
    const result = await house.call('posts.undoImport', { id: report.id });
    expect(result).toMatchObject({ deleted: 2, files: 0, kept: [{ what: 'porch.png' }] });
    expect(await allFiles()).toHaveLength(1);
  });

  test('keeps a file that the site shows', async () => {
    const report = await importOf(sampleArchive('microblog'));
    const [file] = await allFiles();
    await house.call('settings.update', { site: { about: `![Porch](${file?.url ?? ''})` } });
    expect(await house.call('posts.undoImport', { id: report.id })).toMatchObject({
      deleted: 2,
      files: 0,
      kept: [{ what: 'porch.png', why: 'Your site uses this file.' }],
    });
    expect(await allFiles()).toHaveLength(1);
  });

  test('brings nothing back, when the import is repeated, that the owner had deleted', async () => {
    const file = await feedOf(3);
    const { id } = await importOf(file);
    const [before, edited] = await allPosts();
    await house.call('posts.delete', { url: before?.url ?? '' });
    await house.call('posts.update', { url: edited?.url ?? '', text: 'Mine now' });
    expect(await house.call('posts.undoImport', { id })).toMatchObject({ deleted: 1, keptCount: 1 });
    await house.call('posts.delete', { url: edited?.url ?? '' });
    expect(await importOf(file)).toMatchObject({ imported: 1 });
    expect(await allPosts()).toHaveLength(1);
  });

  test('brings back no post that the owner restored and deleted after an undo', async () => {
    const file = await feedOf(2);
    const { id } = await importOf(file);
    const [restored] = await allPosts();
    await house.call('posts.undoImport', { id });
    await house.call('posts.undelete', { url: restored?.url ?? '' });
    await house.call('posts.delete', { url: restored?.url ?? '' });
    expect(await importOf(file)).toMatchObject({ imported: 1 });
    expect((await allPosts()).map(({ path }) => path)).not.toContain(restored?.path);
  });

  test('can be cancelled, and continued', async () => {
    const { id } = await importOf(await feedOf(600));
    const undoing = house.call('posts.undoImport', { id });
    await vi.waitFor(
      () =>
        expect(
          house.events.some(
            (event) => event.name === 'posts.importProgress' && event.data.state === 'undoing',
          ),
        ).toBe(true),
      patience,
    );
    await house.call('posts.cancelImport', {});
    const { deleted } = await undoing;
    expect(deleted).toBeLessThan(600);
    expect((await house.call('posts.imports', {})).progress).toMatchObject({ state: 'cancelled' });
    expect((await house.call('posts.undoImport', { id })).deleted).toBe(600 - deleted);
    expect(await allPosts()).toEqual([]);
  });

  test('leaves the addresses free for the same posts, imported again', async () => {
    const first = await importOf(sampleArchive('markdown'));
    const paths = (await allPosts()).map(({ path }) => path);
    await house.call('posts.undoImport', { id: first.id });
    const second = await importOf(sampleArchive('markdown'));
    expect(second.imported).toBe(3);
    expect(second.id).not.toBe(first.id);
    const posts = await allPosts();
    expect(posts.map(({ path }) => path)).toEqual(paths);
    const { post } = await house.call('posts.get', { url: posts[0]?.url ?? '' });
    expect(post).not.toHaveProperty('editedAt');
    expect(await allFiles()).toHaveLength(2);
    expect((await house.call('posts.undoImport', { id: second.id })).deleted).toBe(3);
  });

  test('does not touch a later post at a path that a kill left unused', async () => {
    await importOf(await feedOf(1));
    const { items } = await house.call('posts.imports', {});
    await house.call('posts.create', {
      text: 'My own post',
      slug: 'mine',
      photos: [],
      categories: [],
      visibility: 'public',
      status: 'published',
    });
    const own = (await allPosts()).find(({ path }) => path.endsWith('/mine'));
    await house.stop();
    // The record of a process that was killed before it wrote the post.
    await withClosedRecords(house.dataDir, [importItemsTable], (database) =>
      database
        .prepare(
          "INSERT INTO import_items (run, kind, key, part, place, at) VALUES (?, 'post', 'k', '', ?, ?)",
        )
        .run(items[0]?.id ?? '', own?.path ?? '', '2020-01-01T00:00:00.000Z'),
    );
    house = await startPorchlight({ dataDir: house.dataDir });
    expect(await house.call('posts.undoImport', { id: items[0]?.id ?? '' })).toMatchObject({ deleted: 1 });
    expect((await allPosts()).map(({ summary }) => summary)).toEqual(['My own post']);
  });

  test('of an unknown import fails, whatever its id', async () => {
    for (const id of ['nothing', '../../settings', '00000000-0000-0000-0000-000000000000'])
      await expect(house.call('posts.undoImport', { id }).catch(codeOf)).resolves.toBe('not_found');
  });
});
