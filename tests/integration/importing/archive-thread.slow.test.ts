import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ArchiveItem } from '../../../src-main/importing/conversion.ts';
import { openInThread } from '../../../src-main/importing/archive-thread.ts';
import { largeArchive } from '../../support/large-archives.ts';
import { sampleArchive } from '../../support/post-archives.ts';

vi.setConfig({ testTimeout: 270_000 });

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-archive-thread-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const never = new AbortController().signal;
const slow = `---\n${'? '.repeat(400)}\n---\nWords`;

async function opened(path: string, deadlineMs?: number) {
  const archive = await openInThread({
    path,
    format: 'auto',
    signal: never,
    ...(deadlineMs !== undefined && { deadlineMs }),
  });
  onTestFinished(() => archive.close());
  return archive;
}

async function all(items: AsyncIterable<ArchiveItem>): Promise<ArchiveItem[]> {
  const list: ArchiveItem[] = [];
  for await (const item of items) list.push(item);
  return list;
}
const namesOf = (items: readonly ArchiveItem[]) =>
  items.map((item) => {
    if ('post' in item) return item.what;
    return 'skipped' in item ? `${item.skipped.what}: ${item.skipped.why}` : Object.keys(item.extra).join('');
  });

describe('the thread that reads an archive', () => {
  test('yields each post once and in order, as often as it is read, and the bytes of its files', async () => {
    const archive = await opened(await largeArchive('mastodon', 1500, folder));
    const first = await all(archive.items(never));
    expect(first).toHaveLength(1500);
    expect(new Set(first.map((item) => ('post' in item ? item.key : '')))).toHaveLength(1500);
    expect(await all(archive.items(never))).toEqual(first);

    const sample = await opened(sampleArchive('mastodon'));
    const chunks: Uint8Array[] = [];
    const path = 'media_attachments/files/109/original/lamp.png';
    for await (const chunk of sample.content({ path })) chunks.push(chunk);
    expect(Buffer.concat(chunks).subarray(1, 4).toString()).toBe('PNG');
    await expect(sample.content({ path: '../../etc/passwd' }).next()).rejects.toMatchObject({
      code: 'archive_broken',
    });
  });

  test('passes on posts whose size is limited, however large they are in the archive', async () => {
    const long = (count: number, text: string) =>
      Array.from({ length: count }, (_, index) => `${text}${index}`);
    const item = {
      id: `https://a.example/${'i'.repeat(5000)}`,
      title: 't'.repeat(100_000),
      summary: 's'.repeat(100_000),
      content_text: 'x'.repeat(200_000),
      tags: long(1000, 't'.repeat(500)),
      date_published: '2020-01-01T00:00:00Z',
      attachments: long(100, `https://a.example/${'a'.repeat(6000)}`).map((url) => ({
        url,
        mime_type: 'image/png',
        title: 'a'.repeat(5000),
      })),
    };
    const feed = { version: 'https://jsonfeed.org/version/1.1', items: [item] };
    await writeFile(join(folder, 'feed.json'), JSON.stringify(feed));
    const archive = await opened(join(folder, 'feed.json'));
    const items = await all(archive.items(never));
    expect(items).toHaveLength(1);
    expect(JSON.stringify(items[0]).length).toBeLessThan(1_000_000);
  });

  test('a thread is replaced after a file that’s too slow, which is skipped from then on', async () => {
    for (const name of ['a', 'c', 'e'])
      await writeFile(join(folder, `${name}.md`), `---\ntitle: ${name}\ndate: 2020-01-01\n---\nWords`);
    for (const name of ['b', 'd']) await writeFile(join(folder, `${name}.md`), slow);
    const archive = await opened(folder, 2000);
    const expected = ['a', 'b.md: It takes too long to read.', 'c', 'd.md: It takes too long to read.', 'e'];
    expect(namesOf(await all(archive.items(never)))).toEqual(expected);
    expect(namesOf(await all(archive.items(never)))).toEqual(expected);
  });

  test('an import ends with more than ten such files', async () => {
    for (let index = 0; index < 12; index += 1) await writeFile(join(folder, `${index}.md`), slow);
    const archive = await opened(folder, 500);
    await expect(all(archive.items(never))).rejects.toMatchObject({
      code: 'archive_broken',
      message: expect.stringContaining('Too many of its posts can’t be read') as string,
    });
  });

  test.each(['json', 'xml'])(
    'an import skips only the hostile posts of a %s file that contains many',
    async (type) => {
      const dates = ['01-01', '02-02', '01-03', '03-03', '04-04', '05-05', '01-06'].map(
        (day) => `2020-${day}`,
      );
      const posts = dates.map((date) =>
        type === 'json'
          ? JSON.stringify({ id: date, content_text: date, date_published: `${date}T00:00:00Z` })
          : `<item><title>${date}</title><guid>${date}</guid><content:encoded>Words</content:encoded>
           <wp:post_date_gmt>${date} 00:00:00</wp:post_date_gmt></item>`,
      );
      const name = `feed.${type}`;
      const text =
        type === 'json'
          ? `{"version":"https://jsonfeed.org/version/1.1","items":[${posts.join(',')}]}`
          : `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>${posts.join('')}</channel></rss>`;
      await writeFile(join(folder, name), text);
      const program = join(import.meta.dirname, '../../support/stubborn-archive-worker.ts');
      const archive = await openInThread({
        path: join(folder, name),
        format: 'auto',
        signal: never,
        program,
        deadlineMs: 3000,
      });
      onTestFinished(() => archive.close());
      const expected = [
        '2020-01-01',
        `Item 2 of “${name}”: It takes too long to read.`,
        '2020-01-03',
        `Item 4 of “${name}”: It can’t be read.`,
        `Item 5 of “${name}”: It can’t be read.`,
        expect.stringMatching(`^Item 6 of “${name}”: It takes too (?:much memory|long) to read.$`),
        '2020-01-06',
      ];
      expect(namesOf(await all(archive.items(never)))).toEqual(expected);
      expect(namesOf(await all(archive.items(never)))).toEqual(expected);
    },
  );

  test('ends at once when the import is cancelled', async () => {
    await writeFile(join(folder, 'slow.md'), slow);
    const archive = await opened(folder);
    const ending = new AbortController();
    const reading = all(archive.items(ending.signal));
    ending.abort();
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
  });
});
