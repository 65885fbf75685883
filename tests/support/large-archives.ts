import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ArchiveFormat } from '../../src-main/contract/post-import.ts';
import { sampleArchive } from './post-archives.ts';

const words = 'porch lamp moth evening brass door rain garden tea letter visitor window swing'.split(' ');

/** Returns about 60 words that differ from post to post. */
const textOf = (index: number) =>
  Array.from({ length: 60 }, (_, at) => words[(index * 7 + at * at) % words.length]).join(' ');
const momentOf = (index: number) => new Date(Date.UTC(2012, 0, 1) + index * 7_200_000);

/** Writes pieces to a file without holding them in memory. */
const stream = (file: string, pieces: Iterable<string>) =>
  pipeline(Readable.from(pieces), createWriteStream(file));

function* joined(
  start: string,
  count: number,
  piece: (index: number) => string,
  end: string,
): Generator<string> {
  yield start;
  for (let index = 0; index < count; index += 1) yield (index === 0 ? '' : ',') + piece(index);
  yield end;
}

/** Writes an archive with `count` posts into `dir`, and resolves with its path. */
export async function largeArchive(
  format: Exclude<ArchiveFormat, 'porchlight'>,
  count: number,
  dir: string,
): Promise<string> {
  const root = join(dir, `${format}-${count}`);
  await mkdir(root, { recursive: true });
  switch (format) {
    case 'mastodon':
      await stream(
        join(root, 'outbox.json'),
        joined('{"type":"OrderedCollection","orderedItems":[', count, toot, ']}'),
      );
      return root;
    case 'twitter':
      await mkdir(join(root, 'data'));
      await stream(join(root, 'data/tweets.js'), joined('window.YTD.tweets.part0 = [', count, tweet, ']'));
      return root;
    case 'microblog': {
      const start = '{"version":"https://jsonfeed.org/version/1.1","items":[';
      await stream(
        join(root, 'feed.json'),
        joined(start, count, (index) => feedItem(index), ']}'),
      );
      return root;
    }
    case 'wxr': {
      const file = join(root, 'export.xml');
      await stream(file, [...wxrPieces(count)]);
      return file;
    }
    case 'markdown':
      for (let index = 0; index < count; index += 1)
        await writeFile(
          join(root, `post-${index}.md`),
          `---\ntitle: Post ${index}\ndate: ${momentOf(index).toISOString()}\ntags: [porch]\n---\n${textOf(index)}\n`,
        );
      return root;
  }
}

/** Writes a micro.blog archive in which each post shows a picture of its own. */
export async function illustratedArchive(count: number, dir: string): Promise<string> {
  const root = join(dir, 'illustrated');
  await mkdir(join(root, 'uploads'), { recursive: true });
  for (let index = 0; index < count; index += 1)
    await copyFile(sampleArchive('microblog/uploads/2021/porch.png'), join(root, `uploads/${index}.png`));
  const start = '{"version":"https://jsonfeed.org/version/1.1","items":[';
  const image = (index: number) => `<img src="https://old.example/uploads/${index}.png">`;
  await stream(
    join(root, 'feed.json'),
    joined(start, count, (index) => feedItem(index, image(index)), ']}'),
  );
  return root;
}

function toot(index: number): string {
  const id = `https://social.example/users/robin/statuses/${index}`;
  const to = ['https://www.w3.org/ns/activitystreams#Public'];
  const published = momentOf(index).toISOString();
  const object = {
    id,
    type: 'Note',
    published,
    url: id,
    to,
    cc: [],
    content: `<p>${textOf(index)}</p>`,
    attachment: [],
    tag: [],
  };
  return JSON.stringify({ id: `${id}/activity`, type: 'Create', published, to, cc: [], object });
}

function tweet(index: number): string {
  const entities = { hashtags: [], urls: [] };
  const full_text = textOf(index).slice(0, 280);
  return JSON.stringify({
    tweet: { id_str: String(1000 + index), created_at: momentOf(index).toUTCString(), full_text, entities },
  });
}

function feedItem(index: number, more = ''): string {
  const url = `https://old.example/posts/post-${index}.html`;
  const content_html = `<p>${textOf(index)}</p>${more}`;
  return JSON.stringify({
    id: url,
    url,
    content_html,
    date_published: momentOf(index).toISOString(),
    tags: ['porch'],
  });
}

function* wxrPieces(count: number): Generator<string> {
  yield '<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>';
  for (let index = 0; index < count; index += 1) {
    const date = momentOf(index).toISOString().slice(0, 19).replace('T', ' ');
    yield `<item><title>Post ${index}</title><link>https://old.example/post-${index}/</link><guid>https://old.example/?p=${index}</guid>
<content:encoded><![CDATA[${textOf(index)}]]></content:encoded><wp:post_date_gmt>${date}</wp:post_date_gmt><wp:post_name>post-${index}</wp:post_name>
<wp:status>publish</wp:status><wp:post_type>post</wp:post_type></item>`;
  }
  yield '</channel></rss>';
}
