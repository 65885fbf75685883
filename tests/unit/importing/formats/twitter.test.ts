import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readArchive } from '../../../support/post-archives.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-twitter-'));
  await mkdir(join(folder, 'data'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const file = (name: string, variable: string, items: readonly object[]) =>
  writeFile(join(folder, 'data', name), `window.YTD.${variable} = ${JSON.stringify(items)}`);

const tweet = (id: number, full_text: string, more: object = {}) => ({
  tweet: { id_str: String(id), created_at: 'Tue Sep 05 10:00:07 +0000 2023', full_text, ...more },
});
const note = (
  text: string,
  { id = 'n1', at = '2023-09-05T10:00:07.000Z', ...core }: Record<string, unknown> = {},
) => ({
  noteTweet: { noteTweetId: id, createdAt: at, core: { text, ...core } },
});

const start = 'The porch is long &amp; the evenings are longer, so here is all of it, from the first lamp';
const whole =
  'The porch is long & the evenings are longer, so here is all of it, from the first lamp to the last.\n\nThe end.';

describe('a long post of an X archive', () => {
  test('I18 has its whole text, although its tweet is cut off', async () => {
    await file('tweets.js', 'tweets.part0', [tweet(1, `${start}… https://t.co/abc`), tweet(2, 'Short')]);
    await file('note-tweet.js', 'note_tweet.part0', [note(whole)]);
    const { posts, skipped } = await readArchive(folder);
    expect(posts.map(({ text, lost }) => ({ text, lost }))).toEqual([
      { text: whole, lost: [] },
      { text: 'Short', lost: [] },
    ]);
    expect(skipped).toEqual([]);
  });

  test.each([
    ['replies to somebody', `@sam @kim ${start}… https://t.co/abc`, note(whole)],
    ['has pictures', `${start}… https://t.co/abc https://t.co/pic`, note(whole)],
    ['has an escaped text', `${start}… https://t.co/abc`, note(whole.replace('&', '&amp;'))],
    ['has a text with the same ID', 'Other words… https://t.co/abc', note(whole, { id: '1', at: '' })],
  ])('is found if it %s', async (_name, text, long) => {
    await file('tweets.js', 'tweets.part0', [tweet(1, text)]);
    await file('note-tweet.js', 'note_tweet.part0', [note('Another text of that second', { id: 'x' })]);
    await file('note-tweet-part1.js', 'note_tweet.part1', [long]);
    expect((await readArchive(folder)).posts[0]?.text).toBe(whole);
  });

  test('has the full URLs and the hashtags of its whole text', async () => {
    await file('tweets.js', 'tweets.part0', [
      tweet(1, `${start}… https://t.co/abc`, { entities: { hashtags: [{ text: 'porch' }] } }),
    ]);
    const urls = [{ shortUrl: 'https://t.co/xyz', expandedUrl: 'https://porches.example/lamps' }];
    const hashtags = [{ text: 'lamp' }];
    await file('note-tweet.js', 'note_tweet.part0', [
      note(`${whole} https://t.co/xyz #porch #lamp`, { urls, hashtags }),
    ]);
    expect((await readArchive(folder)).posts[0]).toMatchObject({
      text: `${whole} https://porches.example/lamps #porch #lamp`,
      categories: ['porch', 'lamp'],
    });
  });

  test('is named in the report if the archive lacks its text, and a text if the archive lacks its post', async () => {
    const media = { entities: { media: [{ url: 'https://t.co/pic' }] } };
    const url = 'https://t.co/abc';
    const own = { entities: { urls: [{ url, expanded_url: 'https://twitter.com/i/web/status/3' }] } };
    const other = { entities: { urls: [{ url, expanded_url: 'https://porches.example/lamps' }] } };
    await file('tweets.js', 'tweets.part0', [
      tweet(1, `${start}… ${url}`),
      tweet(2, 'A lamp… https://t.co/pic', media),
      tweet(3, `A lamp… ${url}`, own),
      tweet(4, `A lamp… ${url}`, other),
      tweet(5, `RT @sam: A lamp… ${url}`),
    ]);
    await file('note-tweet.js', 'note_tweet.part0', [
      note(whole, { at: '2023-09-05T10:00:08.000Z' }),
      note('Quite another text', { id: 'n2' }),
      { noteTweet: { core: 3 } },
    ]);
    const { posts, skipped } = await readArchive(folder);
    const end = ['the end of its text'];
    expect(posts.map(({ lost }) => lost)).toEqual([end, [], end, [], []]);
    expect(skipped.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      'The porch is long & the evenings are longer, so here is all …: The archive doesn’t contain the post of this long text.',
      'Quite another text: The archive doesn’t contain the post of this long text.',
      'Long texts: It is damaged or too long.',
    ]);
  });
});

describe('direct messages', () => {
  const conversation = {
    dmConversation: {
      conversationId: '1-2',
      messages: [{ messageCreate: { id: '9', text: 'Secret', createdAt: '2023-09-05T10:00:07.000Z' } }],
    },
  };

  test('are neither posts nor long texts', async () => {
    await file('tweets.js', 'tweets.part0', [tweet(1, 'Short')]);
    await file('direct-messages.js', 'direct_messages.part0', [conversation]);
    await file('direct-messages-group.js', 'direct_messages_group.part0', [conversation]);
    await file('tweets-part1.js', 'direct_messages.part0', [conversation]);
    const { posts, skipped } = await readArchive(folder);
    expect(posts.map(({ text }) => text)).toEqual(['Short']);
    expect(skipped).toEqual([]);
  });

  test('alone are no archive of posts', async () => {
    await file('direct-messages.js', 'direct_messages.part0', [conversation]);
    await file('note-tweet.js', 'note_tweet.part0', []);
    await expect(readArchive(folder)).rejects.toMatchObject({ code: 'archive_unknown' });
    await expect(readArchive(join(folder, 'data/direct-messages.js'))).rejects.toMatchObject({
      code: 'archive_unknown',
    });
  });
});
