import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { readArchive, sampleArchive } from '../../support/post-archives.ts';
import { rawZip, type RawEntry } from '../../support/raw-zip.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-hostile-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function written(name: string, content: string | Uint8Array): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}
const zipped = (entries: readonly RawEntry[], claimedEntries?: number) =>
  written('archive.zip', rawZip(entries, claimedEntries));

/** Resolves with the code and the message of the error; fails if there is none. */
async function refusal(path: string, format: Parameters<typeof readArchive>[1] = 'auto'): Promise<string> {
  const error: unknown = await readArchive(path, format).catch((reason: unknown) => reason);
  if (!(error instanceof PorchlightError)) throw new Error('It was not refused.', { cause: error });
  return `${error.code}: ${error.message}`;
}

const feed = (items: string) => `{"version":"https://jsonfeed.org/version/1.1","items":[${items}]}`;
const item = (id: string, text = 'Words') =>
  JSON.stringify({ id, content_text: text, date_published: '2020-01-01T00:00:00Z' });
const wxr = (items: string, before = '', encoding = 'UTF-8') =>
  `<?xml version="1.0" encoding="${encoding}"?>${before}<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>${items}</channel></rss>`;
const wxrItem = (title: string) =>
  `<item><title>${title}</title><link>https://old.example/a</link><wp:post_date_gmt>2020-01-01 00:00:00</wp:post_date_gmt></item>`;

describe('a zip', () => {
  test('a zip that unpacks to far more than its size is refused before it is read', async () => {
    const content = new Uint8Array(20_000_000);
    const path = await zipped([{ name: 'feed.json', content, deflated: true }]);
    expect(await refusal(path)).toContain('archive_broken: The archive can’t be imported. It would unpack');
  });

  test('a zip whose small entries together unpack to far more than its size is refused', async () => {
    const entries = Array.from({ length: 12 }, (_, index) => ({
      name: `uploads/${index}.png`,
      content: new Uint8Array(1_000_000),
      deflated: true,
    }));
    const path = await zipped([{ name: 'feed.json', content: feed(item('1')) }, ...entries]);
    expect(await refusal(path)).toContain('It would unpack');
    expect(
      (await readArchive(await zipped([{ name: 'feed.json', content: feed(item('1')) }]))).posts,
    ).toHaveLength(1);
  });

  test('whose file names are longer than 50 MB in total is refused', async () => {
    const names = Array.from({ length: 800 }, (_, index) => ({ name: `${index}`.padEnd(65_000, 'x') }));
    expect(await refusal(await zipped(names))).toContain('It has too many files');
  });

  test('with more bytes in it than it says is refused', async () => {
    const path = await zipped([
      { name: 'feed.json', content: feed(item('1')).repeat(1000), claimedBytes: 10 },
    ]);
    expect(await refusal(path)).toContain('archive_broken');
  });

  test.each(['../feed.json', '/etc/feed.json', 'a/../../feed.json'])(
    'with the name %s is refused',
    async (name) => {
      expect(await refusal(await zipped([{ name, content: feed(item('1')) }]))).toContain('archive_broken');
    },
  );

  test('a zip with a symbolic link or an encrypted file is read without that file', async () => {
    const path = await zipped([
      { name: 'feed.json', content: feed(item('1')) },
      { name: 'uploads/link.png', content: '/etc/passwd', mode: 0o120777 },
      { name: 'uploads/locked.png', content: 'thirteen byte', claimedBytes: 1, flags: 1 },
    ]);
    const { posts, refused } = await readArchive(path);
    expect(posts).toHaveLength(1);
    expect(refused.map(({ what }) => what)).toEqual(['uploads/link.png', 'uploads/locked.png']);
  });

  test('that claims to have millions of files is refused', async () => {
    expect(await refusal(await zipped([{ name: 'feed.json', content: '{}' }], 10_000_000))).toContain(
      'It has too many files',
    );
  });

  test('that is cut off is refused', async () => {
    const whole = rawZip([{ name: 'feed.json', content: feed(item('1')) }]);
    expect(await refusal(await written('cut.zip', whole.subarray(0, whole.length - 40)))).toContain(
      'archive_broken: The archive can’t be imported. The zip is damaged or incomplete.',
    );
  });
});

describe('a folder', () => {
  test('with a symbolic link is read without it', async () => {
    await written('secret.md', '---\ndate: 2020-01-01\n---\nSecret');
    await mkdir(join(folder, 'posts'));
    await symlink(join(folder, 'secret.md'), join(folder, 'posts', 'link.md'));
    await symlink(folder, join(folder, 'posts', 'loop'));
    await writeFile(join(folder, 'posts', 'own.md'), '---\ndate: 2020-01-01\n---\n![x](../secret.md)');
    const { posts, refused } = await readArchive(join(folder, 'posts'));
    expect(posts.map(({ text, media }) => ({ text, media }))).toEqual([
      { text: '![x](../secret.md)', media: [] },
    ]);
    expect(refused.map(({ what }) => what)).toEqual(['link.md', 'loop']);
  });

  test('that is empty is refused', async () => {
    expect(await refusal(folder)).toContain('archive_broken');
  });
});

describe('JSON', () => {
  test('that ends too early is refused', async () => {
    const path = await written('feed.json', feed(item('1')).slice(0, -2));
    expect(await refusal(path)).toContain('A file in it ends too early.');
  });

  test('with a post that is nested too deeply, too long or invalid is read without it', async () => {
    const deep = `{"id":"deep","a":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    const long = item('long', 'x'.repeat(2_000_001));
    const path = await written(
      'feed.json',
      feed([item('1'), deep, long, '{"id":oops}', item('2')].join(',')),
    );
    const { posts, skipped } = await readArchive(path);
    expect(posts.map(({ key }) => key)).toEqual(['1', '2']);
    expect(skipped).toHaveLength(3);
  });

  test('is read across pieces, with quotes, brackets and escapes in its texts', async () => {
    const text = 'A "quoted" [bracket] {brace} \\ ☂ '.repeat(5000);
    const path = await written('feed.json', feed([item('1', text), item('2', text)].join(' , ')));
    const { posts } = await readArchive(path);
    expect(posts.map((post) => post.text)).toEqual([text, text]);
  });

  test('in UTF-16 is read, and other bytes are refused', async () => {
    const text = feed(item('1', 'Grüße'));
    const path = await written(
      'feed.json',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
    );
    expect((await readArchive(path)).posts.map((post) => post.text)).toEqual(['Grüße']);
    const latin = await written('latin.json', Buffer.from(text, 'latin1'));
    expect(await refusal(latin, 'microblog')).toContain('archive_unknown');
  });
});

describe('a tweet', () => {
  const tweets = (...all: Record<string, unknown>[]) =>
    written('tweets.js', `window.YTD.tweets.part0 = ${JSON.stringify(all.map((tweet) => ({ tweet })))}`);
  const tweet = (id: number, text: string, urls: unknown) => ({
    id_str: String(id),
    created_at: 'Mon Aug 31 10:00:00 +0000 2020',
    full_text: text,
    entities: { urls },
  });

  test('whose short links occur in one another’s full URLs is expanded once', async () => {
    const [one, two] = ['https://t.co/one', 'https://t.co/two'];
    const urls = Array.from({ length: 9 }, () => [
      { url: one, expanded_url: `https://x.example/?${`${two},`.repeat(9)}` },
      { url: two, expanded_url: `https://x.example/?${`${one},`.repeat(9)}` },
      { url: 'a', expanded_url: `https://x.example/${'a'.repeat(20)}` },
      { url: '', expanded_url: 'https://x.example/' },
    ]).flat();
    const { posts } = await readArchive(await tweets(tweet(1, `a ${one} b`, urls)));
    expect(posts.map(({ text }) => text)).toEqual([`a https://x.example/?${`${two},`.repeat(9)} b`]);
  });

  test('that would become longer than 100 KB is skipped by its first words, and the others are read', async () => {
    const long = { url: 'https://t.co/long', expanded_url: `https://x.example/${'a'.repeat(4000)}` };
    const path = await tweets(
      tweet(1, `Long ${'https://t.co/long '.repeat(1000)}`, [long]),
      tweet(2, 'x'.repeat(200_000), []),
      tweet(3, 'Good https://t.co/long', [long]),
    );
    const { posts, skipped } = await readArchive(path);
    expect(posts.map(({ text }) => text)).toEqual([`Good ${long.expanded_url}`]);
    expect(skipped.map(({ what, why }) => `${what.slice(0, 5)}: ${why}`)).toEqual([
      'Long : Its text is too long.',
      'xxxxx: Its text is too long.',
    ]);
  });
});

describe('XML', () => {
  test('XML that defines entities is refused', async () => {
    const bomb = '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>';
    expect(await refusal(await written('export.xml', wxr(wxrItem('&b;'), bomb)))).toContain(
      'The XML has definitions of its own',
    );
  });

  test('keeps unknown entities as text, and reads its own encoding', async () => {
    const text = wxr(wxrItem('Caf\u00e9 &file; &#8364;'), '', 'ISO-8859-1');
    const { posts } = await readArchive(await written('export.xml', Buffer.from(text, 'latin1')));
    expect(posts.map(({ name }) => name)).toEqual(['Café &file; €']);
  });

  test.each([
    ['ends too early', wxr(wxrItem('A')).slice(0, -60)],
    ['closes the wrong element', wxr('<item><title>A</item></title>')],
    ['has a tag without an end', wxr(`<item><title ${'a'.repeat(50_000)}`)],
    ['has an unknown encoding', wxr(wxrItem('A'), '', 'x-unknown')],
    ['is nested too deeply', wxr(`<item>${'<a>'.repeat(100)}`)],
  ])('that %s is refused', async (_how, text) => {
    expect(await refusal(await written('export.xml', text), 'wxr')).toMatch(/^archive_(?:broken|unknown): /);
  });

  test('with a post that is too long is read without it', async () => {
    const text = wxr(wxrItem('A') + wxrItem(`<![CDATA[${'x<item>'.repeat(1_500_000)}]]>`) + wxrItem('B'));
    const { posts, skipped } = await readArchive(await written('export.xml', text));
    expect(posts.map(({ name }) => name)).toEqual(['A', 'B']);
    expect(skipped).toHaveLength(1);
  });
});

test('front matter with repeated references is skipped, not expanded', async () => {
  const levels = Array.from({ length: 12 }, (_, index) =>
    index === 0 ? 'a0: &a0 [x, x, x, x, x]' : `a${index}: &a${index} [${`*a${index - 1}, `.repeat(9)}x]`,
  );
  await written('bomb.md', `---\n${levels.join('\n')}\ndate: 2020-01-01\n---\nText`);
  await written('good.md', '---\ndate: 2020-01-01\n---\nText');
  const { posts, skipped } = await readArchive(folder);
  expect(posts).toHaveLength(1);
  expect(skipped.map(({ what }) => what)).toEqual(['bomb.md']);
});

test('a file that isn’t an archive is refused with the reason', async () => {
  expect(await refusal(join(folder, 'missing.zip'))).toMatch(/^not_found: /);
  expect(await refusal(await written('lamp.png', '\x89PNG'))).toMatch(/^archive_unknown: /);
  expect(await refusal(await written('archive.tar.gz', Buffer.from([0x1f, 0x8b, 8, 0])))).toContain(
    'Unpack the .tar.gz file first',
  );
  expect(await refusal(sampleArchive('mastodon'), 'twitter')).toContain('Try “Detect automatically”.');
});
