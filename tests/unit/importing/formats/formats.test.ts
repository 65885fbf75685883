import { describe, expect, test } from 'vitest';
import { mediaMark, type FoundPost } from '../../../../src-main/importing/found-post.ts';
import { readArchive, sampleArchive } from '../../../support/post-archives.ts';

const named = (posts: readonly FoundPost[], words: string) => {
  const post = posts.find(({ name, text }) => (name ?? text).includes(words));
  if (!post) throw new Error(`no post “${words}”`);
  return post;
};
const sources = ({ media }: FoundPost) =>
  media.map(({ source, ...rest }) => ({
    ...rest,
    source: typeof source === 'string' ? source : source.path,
  }));

describe('a Mastodon archive', () => {
  const read = () => readArchive(sampleArchive('mastodon'));

  test('is recognized, and gives each post its text, date, categories and original URL', async () => {
    const { format, posts } = await read();
    expect(format).toBe('mastodon');
    expect(posts).toHaveLength(6);
    expect(named(posts, 'Hello')).toMatchObject({
      key: 'https://social.example/users/robin/statuses/109000000000000001',
      format: 'html',
      published: '2022-11-06T18:20:11Z',
      categories: ['porch'],
      syndication: ['https://social.example/@robin/109000000000000001'],
      slug: undefined,
      visibility: 'public',
    });
  });

  test('keeps a content warning as the summary, and a picture with its alt text', async () => {
    const post = named((await read()).posts, 'new lamp');
    expect(post.summary).toBe('Lamp, bright');
    expect(sources(post)).toEqual([
      {
        alt: 'A brass lamp beside a door',
        property: 'photo',
        source: 'media_attachments/files/109/original/lamp.png',
      },
    ]);
  });

  test('turns boosts into reposts, and keeps replies, audiences and polls', async () => {
    const { posts } = await read();
    expect(posts.flatMap(({ responses }) => responses['repost-of'] ?? [])).toEqual([
      'https://other.example/users/sam/statuses/43',
    ]);
    expect(named(posts, 'Thank you')).toMatchObject({
      responses: { 'in-reply-to': ['https://other.example/users/sam/statuses/42'] },
      visibility: 'unlisted',
    });
    expect(named(posts, 'Only for followers').visibility).toBe('private');
    expect(named(posts, 'Which light').text).toBe(
      '<p>Which light?</p><ul><li>Warm &amp; dim</li><li>Bright</li></ul>',
    );
  });

  test('skips a post from before 1970, with the reason', async () => {
    expect((await read()).skipped).toEqual([
      { what: 'Too early.', why: 'It has no date between 1970 and 9999.' },
    ]);
  });
});

describe('a Twitter archive', () => {
  const read = () => readArchive(sampleArchive('twitter'));

  test('gives each tweet of every part its full text, with expanded URLs', async () => {
    const { format, posts } = await read();
    expect(format).toBe('twitter');
    expect(posts.map(({ text }) => text)).toEqual([
      'From the second part',
      'Again',
      'Porches & lamps: https://porches.example/lamps #porch',
      'The lamp',
      '@sam Thank you!',
      'RT @sam: Lamps are back',
    ]);
    expect(posts[2]).toMatchObject({
      published: '2020-08-31T10:00:00Z',
      categories: ['porch'],
      syndication: ['https://twitter.com/robinmarlow/status/1300000000000000001'],
    });
    // The two parts of the sample overlap.
    expect(posts[1]?.key).toBe(posts[2]?.key);
  });

  test('keeps pictures, replies and retweets', async () => {
    const { posts } = await read();
    expect(sources(named(posts, 'The lamp'))).toEqual([
      { alt: 'A lamp', property: 'photo', source: 'data/tweets_media/1300000000000000002-EgLamp.png' },
    ]);
    expect(named(posts, 'Thank you').responses).toEqual({
      'in-reply-to': ['https://twitter.com/sam/status/1299999999999999999'],
    });
    expect(named(posts, 'RT @sam').responses).toEqual({
      'repost-of': ['https://twitter.com/robinmarlow/status/1300000000000000004'],
    });
  });
});

describe('a WordPress export', () => {
  const read = () => readArchive(sampleArchive('wordpress.xml'));

  test('gives each post its paragraphs, categories, slug, date with offset, and featured picture', async () => {
    const { format, posts } = await read();
    expect(format).toBe('wxr');
    const post = named(posts, 'On lamps');
    expect(post).toMatchObject({
      key: 'https://robin.blog.example/?p=2',
      name: 'On lamps & doors',
      summary: 'About lamps.',
      published: '2019-06-01T12:30:00+02:00',
      categories: ['Porches & lamps', 'brass'],
      slug: 'on-lamps',
      syndication: ['https://robin.blog.example/2019/06/on-lamps/'],
    });
    expect(post.text).toBe(
      '<p>First paragraph.<br>\nSecond line.</p>\n<p>Another <em>one</em>.</p>\n<figure><img src="https://robin.blog.example/files/lamp.png" alt="Lamp"><figcaption>The lamp</figcaption></figure>',
    );
    expect(sources(post)).toEqual([
      { alt: '', property: 'featured', source: 'https://robin.blog.example/files/lamp.png' },
    ]);
    expect(named(posts, 'Blocks').text).toBe('<p>From the block editor.</p>');
  });

  test('keeps the state of drafts, protected and scheduled posts', async () => {
    const { posts } = await read();
    expect(named(posts, 'Draft')).toMatchObject({ status: 'draft', syndication: [] });
    expect(named(posts, 'Secret').visibility).toBe('private');
    expect(named(posts, 'Later').published).toBe('2999-01-01T10:00:00Z');
  });

  test('gives each approved comment its author, text and date, and nothing that is private', async () => {
    const { mentions } = await read();
    const target = 'https://robin.blog.example/2019/06/on-lamps/';
    expect(mentions).toEqual([
      {
        post: target,
        own: { status: 'held' },
        mention: {
          source: `${target}#comment-1`,
          target,
          received: '2019-06-02T08:00:00+02:00',
          parsed: '2019-06-02T08:00:00+02:00',
          comment: true,
          facts: {
            type: 'reply',
            property: 'in-reply-to',
            published: '2019-06-02T08:00:00+02:00',
            author: { name: 'Sam & Kim', url: 'https://sam.example/', photo: '' },
            content: {
              html: '<p>Nice <b>lamp</b></p>\n<p>And <a href="https://robin.blog.example/door" rel="nofollow ugc noopener">door</a>!</p>\n\n<p>Really.</p>',
              value: expect.stringMatching(/^Nice lamp\s+And door!\s+Really\.$/) as string,
            },
          },
        },
      },
      expect.objectContaining({
        mention: expect.objectContaining({
          source: `${target}#comment-2`,
          facts: {
            type: 'mention',
            property: 'mention-of',
            url: 'https://other.example/post',
            author: { name: 'Other blog', url: 'https://other.example/post', photo: '' },
            content: { html: '<p>[…] a lamp […]</p>', value: '[…] a lamp […]' },
          },
        }) as unknown,
      }),
    ]);
    expect(JSON.stringify(mentions)).not.toMatch(/mail\.example|203\.0\.113|script|alert/);
  });

  test('skips pages, trash, uploads, spam and pending comments, each with its reason', async () => {
    const { skipped } = await read();
    expect(skipped.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      'About: It is a page, not a post.',
      'Trash: WordPress has it in its trash, or never saved it.',
      'lamp: It is an uploaded file. Porchlight copies it if a post shows it.',
      'Comments on “On lamps & doors”: In WordPress, the comment is spam.',
      'Comments on “On lamps & doors”: In WordPress, the comment still waits for approval.',
    ]);
  });
});

describe('a micro.blog archive', () => {
  const read = () => readArchive(sampleArchive('microblog'));

  test('gives each post its HTML, title, slug and date, with its uploads', async () => {
    const { format, posts, skipped } = await read();
    expect(format).toBe('microblog');
    const post = named(posts, 'Hello, porch');
    expect(post).toMatchObject({
      slug: 'hello-porch',
      published: '2021-05-02T09:30:00-05:00',
      categories: ['porch'],
      syndication: ['https://robin.micro.example/2021/05/02/hello-porch.html'],
    });
    expect(post.text).toContain(`<img src="${mediaMark(0)}" alt="The porch" width="8">`);
    expect(sources(post)).toMatchObject([{ property: 'text', source: 'uploads/2021/porch.png' }]);
    expect(named(posts, 'A short one').slug).toBeUndefined();
    expect(skipped).toEqual([{ what: 'No date', why: 'It has no date between 1970 and 9999.' }]);
  });

  test('is also read from its JSON Feed alone, with the same keys', async () => {
    const alone = await readArchive(sampleArchive('microblog/feed.json'));
    expect(alone.format).toBe('microblog');
    expect(alone.posts.map(({ key }) => key)).toEqual((await read()).posts.map(({ key }) => key));
  });
});

describe('a folder of Markdown', () => {
  const read = () => readArchive(sampleArchive('markdown'));

  test('reads YAML and TOML front matter', async () => {
    const { format, posts } = await read();
    expect(format).toBe('markdown');
    expect(named(posts, 'A light')).toMatchObject({
      published: '2020-03-01T19:30:00+01:00',
      categories: ['porch', 'warm light'],
      summary: 'Which lamp, and why',
      slug: 'porch-light',
      format: 'markdown',
    });
    expect(named(posts, 'Second light')).toMatchObject({
      published: '2020-04-01T08:00:00Z',
      slug: 'the-second-light',
    });
    expect(named(posts, 'Unfinished')).toMatchObject({ status: 'draft', published: undefined });
  });

  test('finds pictures next to the file and below the folder, and leaves those elsewhere', async () => {
    const post = named((await read()).posts, 'A light');
    expect(post.text).toContain(
      `![A brass lamp](${mediaMark(0)} "Brass") ![The door](${mediaMark(1)}) ![Elsewhere](https://pictures.example/a.png)`,
    );
    expect(sources(post).map(({ source }) => source)).toEqual([
      'posts/2020-03-01-porch-light/lamp.png',
      'static/images/door.png',
    ]);
  });

  test('skips a file without a date, and one whose front matter is damaged', async () => {
    expect((await read()).skipped).toEqual([
      { what: 'posts/broken.md', why: 'It is damaged or too long.' },
      { what: 'README.md', why: 'It has no date between 1970 and 9999.' },
    ]);
  });
});
