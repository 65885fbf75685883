import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rawZip } from './raw-zip.ts';

/** An archive that does harm unless it is read within limits, and a correct post in it. */
export interface HostileArchive {
  readonly name: string;
  write(dir: string): Promise<string>;
  /** What a check reports as skipped, or the error with which it refuses the archive. */
  readonly result:
    | { readonly skipped: readonly string[]; readonly found: number }
    | { readonly error: string };
}

const day = '2020-01-01T00:00:00Z';

async function written(dir: string, name: string, content: string | Uint8Array): Promise<string> {
  const file = join(dir, name);
  await writeFile(file, content);
  return file;
}

const feed = (...items: string[]) =>
  `{"version":"https://jsonfeed.org/version/1.1","items":[${items.join(',')}]}`;
const feedItem = (id: string, more: object = {}) =>
  JSON.stringify({ id, content_text: 'Words', date_published: day, ...more });

const tweet = (id: number, full_text: string, urls: readonly object[]) => ({
  tweet: { id_str: String(id), created_at: 'Mon Aug 31 10:00:00 +0000 2020', full_text, entities: { urls } },
});
const tweets = (...all: object[]) => `window.YTD.tweets.part0 = ${JSON.stringify(all)}`;

const outbox = (...contents: string[]) =>
  JSON.stringify({
    orderedItems: contents.map((content, index) => ({
      type: 'Create',
      published: day,
      object: { id: `https://social.example/${index}`, content },
    })),
  });

const wxr = (...items: string[]) =>
  `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>${items
    .map(
      (item, index) =>
        `<item><guid>${index}</guid><wp:post_date_gmt>2020-01-01 00:00:00</wp:post_date_gmt>${item}</item>`,
    )
    .join('')}</channel></rss>`;

const good = `---\ndate: ${day}\n---\nWords`;

/** Archives of each format. Most of them blocked the server for minutes, or used up its memory. */
export const hostileArchives: readonly HostileArchive[] = [
  {
    name: 'a Twitter archive whose short links contain one another',
    write: (dir) =>
      written(
        dir,
        'tweets.js',
        tweets(
          tweet(
            1,
            'a',
            Array.from({ length: 9 }, () => ({
              url: 'a',
              expanded_url: `https://x.example/${'a'.repeat(14)}`,
            })),
          ),
          tweet(2, 'https://t.co/a '.repeat(2000), [
            { url: 'https://t.co/a', expanded_url: `https://x.example/${'a'.repeat(4000)}` },
          ]),
          tweet(3, 'Words', []),
        ),
      ),
    result: {
      found: 3,
      skipped: ['https://t.co/a https://t.co/a https://t.co/a https://t.co/a …: Its text is too long.'],
    },
  },
  {
    name: 'an X archive with more long texts than memory, all of the same moment',
    async write(dir) {
      const notes = Array.from({ length: 90 }, (_, index) => ({
        noteTweet: {
          createdAt: '2020-08-31T10:00:00.000Z',
          core: { text: `${index} ${'a '.repeat(500_000)}`, urls: [{}, 7, null] },
        },
      }));
      await written(dir, 'note-tweet.js', `window.YTD.note_tweet.part0 = ${JSON.stringify(notes)}`);
      await written(dir, 'tweets.js', tweets(tweet(1, 'Words', []), tweet(2, '@sam '.repeat(15_000), [])));
      return dir;
    },
    result: {
      found: 2,
      skipped: [
        ...Array.from(
          { length: 29 },
          (_, index) =>
            `${`${index} ${'a '.repeat(30)}`.slice(0, 60)}…: The archive doesn’t contain the post of this long text.`,
        ),
        'Long texts: It is damaged or too long.',
      ],
    },
  },
  {
    name: 'Markdown files whose front matter takes hours to read, or is nested too deeply',
    async write(dir) {
      await written(dir, 'a.md', good);
      await written(dir, 'b.md', `---\n${'? '.repeat(400)}\n---\nWords`);
      await written(dir, 'c.md', `---\na: ${'{? '.repeat(2000)}\n---\nWords`);
      await written(dir, 'd.md', good);
      return dir;
    },
    result: {
      found: 4,
      skipped: ['b.md: It takes too long to read.', 'c.md: It is damaged or too long.'],
    },
  },
  {
    name: 'Markdown whose references repeat a long URL',
    async write(dir) {
      const url = `https://x.example/${'a'.repeat(90_000)}`;
      await written(dir, 'a.md', `---\ndate: ${day}\n---\n[a]: ${url}\n\n${'[a] '.repeat(2000)}`);
      await written(dir, 'b.md', good);
      return dir;
    },
    result: { found: 2, skipped: [] },
  },
  {
    name: 'a micro.blog archive with a post of millions of objects',
    write: (dir) =>
      written(
        dir,
        'feed.json',
        feed(
          feedItem('1'),
          `{"id":"2","content_text":"Words","date_published":"${day}","a":[${'{},'.repeat(3_000_000)}{}]}`,
          feedItem('3'),
        ),
      ),
    result: { found: 3, skipped: ['A post: It is damaged or too long.'] },
  },
  {
    name: 'a micro.blog archive with a million values that are no posts',
    write: (dir) => written(dir, 'feed.json', feed(feedItem('1'), `${'0,'.repeat(1_000_000)}0`)),
    result: { error: 'The archive can’t be imported. It has too many posts.' },
  },
  {
    name: 'a Mastodon archive with file names of many folders and a line break',
    async write(dir) {
      const path = `${'media_attachments/'.repeat(3500)}\n`;
      const names = Array.from({ length: 60 }, (_, index) => ({ name: `${index}/${path}`, content: '' }));
      return written(
        dir,
        'archive.zip',
        rawZip([...names, { name: 'outbox.json', content: outbox('<p>Words</p>') }]),
      );
    },
    result: { found: 1, skipped: [] },
  },
  {
    name: 'a Mastodon archive whose posts are only unclosed tags',
    write: (dir) =>
      written(dir, 'outbox.json', outbox('<a '.repeat(66_000), '<'.repeat(199_000), '<p>Words</p>')),
    result: { found: 3, skipped: [] },
  },
  {
    name: 'a WordPress export with captions, comments and tags without an end',
    write: (dir) =>
      written(
        dir,
        'export.xml',
        wxr(
          `<title>A</title><content:encoded><![CDATA[${'[caption]<a <img '.repeat(11_000)}]]></content:encoded>`,
          `<title>B</title><content:encoded><![CDATA[${'<!--'.repeat(49_000)}]]></content:encoded>`,
          `<title>C</title><content:encoded><![CDATA[${'a\n\n'.repeat(1_000_000)}]]></content:encoded>`,
          `<title>D</title><content:encoded>Words</content:encoded>`,
        ),
      ),
    result: { found: 4, skipped: ['C: Its text is too long.'] },
  },
  {
    name: 'a WordPress export whose shortcodes, tags and galleries multiply or have no end',
    write: (dir) =>
      written(
        dir,
        'export.xml',
        wxr(
          ...[
            '[caption]'.repeat(22_000),
            `${'[embed]'.repeat(28_000)}[/embed]`,
            `${'[code]'.repeat(33_000)}[/code]`,
            `<a b='" c="`.repeat(18_000),
            `[a ${'b="'.repeat(66_000)}]`,
            '<pre><code>[[x'.repeat(14_000),
            'https://x.example\n\n'.repeat(10_000),
            '[gallery ids="7"]'.repeat(11_000),
          ].map(
            (html, index) => `<title>${index}</title><content:encoded><![CDATA[${html}]]></content:encoded>`,
          ),
          `<wp:post_type>attachment</wp:post_type><wp:post_id>7</wp:post_id>
          <wp:attachment_url>https://x.example/${'a'.repeat(4000)}.png</wp:attachment_url>`,
          `<title>D</title><content:encoded>Words</content:encoded>`,
        ),
      ),
    result: {
      found: 9,
      skipped: [
        ...['6', '7'].map((title) => `${title}: Its text is too long.`),
        'A post: It is an uploaded file. Porchlight copies it if a post shows it.',
      ],
    },
  },
  {
    name: 'a Porchlight export with posts and mentions that are too large',
    async write(dir) {
      await mkdir(join(dir, 'porchlight'));
      const post = (slug: string, properties: string, more = '') =>
        `{"path":"/posts/2020/01/${slug}","type":["h-entry"],"properties":${properties},"commands":{},"status":"published","visibility":"public","createdAt":"${day}","updatedAt":"${day}","deletedAt":null${more}}`;
      const all = [
        post('a', `{"content":["${'a'.repeat(6_000_000)}"]}`),
        post('b', `{"a":[${'{},'.repeat(1_500_000)}{}]}`),
        post('c', `{"a":[${'{"b":[1]},'.repeat(20_000)}1]}`),
        post('d', `{"a":[${'['.repeat(90)}${']'.repeat(90)}]}`),
        post('e', '{"content":["Words"]}', `,"markdown":"${'[a] '.repeat(100_000)}"`),
        post('f', `{"content":["${'/media/2020/01/a '.repeat(250_000)}"]}`),
        post('g', '{"content":["Words"]}', `,"history":[${'{},'.repeat(1_000_000)}{}]`),
      ];
      await written(dir, 'porchlight/posts.json', `[${all.join(',\n')}]`);
      const mention = (html: string) =>
        JSON.stringify({
          format: 1,
          id: html.slice(0, 5),
          wmId: 1,
          source: `https://bo.example/${html.length}`,
          target: 'https://me.example/',
          received: day,
          parsed: day,
          status: 'approved',
          chosen: true,
          history: [],
          facts: { type: 'reply', property: 'in-reply-to', content: { html, value: '' } },
        });
      const mentions = [
        mention('<a '.repeat(66_000)),
        mention('<'.repeat(90_000)),
        mention('<!--'.repeat(24_000)),
      ];
      await written(dir, 'porchlight/mentions.json', `[${mentions.join(',\n')}]`);
      return dir;
    },
    result: {
      found: 7,
      skipped: [
        'A post: It is damaged or too long.',
        'A post: It is damaged or too long.',
        '/posts/2020/01/c: It is damaged or too long.',
        '/posts/2020/01/d: It is damaged or too long.',
        '/posts/2020/01/e: Its text is too long.',
        'A post: It is damaged or too long.',
        'A mention: It is damaged.',
      ],
    },
  },
];

/** Writes a hostile archive into a folder of its own below `dir`, and resolves with its path. */
export async function hostileArchive(archive: HostileArchive, dir: string): Promise<string> {
  const own = join(dir, archive.name.replace(/\W+/g, '-'));
  await mkdir(own);
  return archive.write(own);
}
