import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FoundPost } from '../../../../src-main/importing/found-post.ts';
import { readArchive } from '../../../support/post-archives.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-markdown-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Reads a folder with these files, and returns its posts in the order of their paths. */
async function postsOf(files: Readonly<Record<string, string>>): Promise<FoundPost[]> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return (await readArchive(folder, 'markdown')).posts;
}

/** Reads a post with this text, beside the other files. */
async function postWith(
  text: string,
  files: Readonly<Record<string, string>> = {},
  path = '_posts/2020-01-02-post.md',
): Promise<FoundPost> {
  const posts = await postsOf({ ...files, [path]: `---\ntitle: Post\n---\n${text}\n` });
  const post = posts.find(({ name }) => name === 'Post');
  if (!post) throw new Error('The post was not found.');
  return post;
}

const filesOf = ({ media }: FoundPost) =>
  media.map(({ source }) => (typeof source === 'string' ? source : source.path));

describe('front matter', () => {
  test('I24 may be JSON, which is not in the text', async () => {
    const [braces, fenced] = await postsOf({
      '2020-01-02-j.md': '{ "title": "J", "date": "2020-01-02T03:04:05Z", "x": "}\\"{" }\n\nText\n',
      '2020-01-03-k.md': '---json\n{ "title": "K" }\n---\nText\n',
    });
    expect(braces).toMatchObject({ name: 'J', published: '2020-01-02T03:04:05Z', text: 'Text' });
    expect(fenced).toMatchObject({ name: 'K', published: '2020-01-03T00:00:00', text: 'Text' });
  });

  test('that only looks like JSON is text', async () => {
    const [post, open] = await postsOf({
      '2020-01-02-a.md': '{"a": 1, oops}\nText',
      '2020-01-03-b.md': `{"a": "${'\\"'.repeat(60_000)}`,
    });
    expect(post?.text).toBe('{"a": 1, oops}\nText');
    expect(open?.text).toMatch(/^\{"a"/);
  });

  test('has the categories of Zola in a table', async () => {
    const [post] = await postsOf({
      '2020-01-02-z.md': '+++\n[taxonomies]\ntags = ["lamp", "porch"]\n+++\nText',
    });
    expect(post?.categories).toEqual(['lamp', 'porch']);
  });
});

describe('a cover', () => {
  const fileOf = (media: FoundPost['media'][number] | undefined) =>
    typeof media?.source === 'string' ? media.source : media?.source.path;

  test.each([
    ['NI24 jekyll-seo-tag', 'image: {path: /a.png, alt: A}', 'A'],
    ['NI24 minimal-mistakes, for lists', 'header: {teaser: /a.png}', ''],
    ['NI24 minimal-mistakes', 'header: {image: /a.png}', ''],
    ['NI24 a theme of Hugo', 'cover: {image: /a.png, alt: A}', 'A'],
    ['NI24 Hugo', 'images: [/a.png]', ''],
    ['NI24 Astro', 'heroImage: ../a.png', ''],
    ['NI24 hero', 'hero: /a.png', ''],
    ['Astro, by the name of its root', 'heroImage: "~/a.png"', ''],
    ['a path without a slash at its start', 'featureImage: a.png', ''],
    ['a list of pictures with fields', 'images: [{src: /a.png, alt: A}]', 'A'],
    ['the same file twice', 'image: /a.png\nthumbnail: /a.png', ''],
  ])('is read as %s names it', async (_name, fields, alt) => {
    const [post] = await postsOf({
      'static/a.png': 'png',
      'a.png': 'png',
      'posts/2020-01-02-x.md': `---\ntitle: X\n${fields}\n---\nText`,
    });
    expect(post?.media.map((one) => [fileOf(one), one.alt, one.property])).toEqual([
      ['a.png', alt, 'featured'],
    ]);
    expect(post?.lost).toEqual([]);
  });

  test('NI24 is read as Zola names it', async () => {
    const [post] = await postsOf({
      'static/a.png': 'png',
      'content/x.md': '+++\ndate = 2020-01-02\n[extra]\nimage = "/a.png"\n+++\nText',
    });
    expect(post?.media.map((one) => [fileOf(one), one.property])).toEqual([['static/a.png', 'featured']]);
  });

  test('that is missing or not used is lost by name', async () => {
    const [post] = await postsOf({
      'static/a.png': 'png',
      'static/b.png': 'png',
      'posts/2020-01-02-x.md': '---\nimage: /a.png\nthumbnail: /b.png\nheader: {image: /gone.png}\n---\nText',
    });
    expect(post?.media.map(fileOf)).toEqual(['static/a.png']);
    expect(post?.lost).toEqual(['the file /gone.png', 'the file static/b.png']);
  });
});

describe('the notes of Obsidian', () => {
  const note = '---\ndate: 2020-01-02\n---\n';

  test('NI25 are imported without anything raw, and without their comments', async () => {
    const posts = await postsOf({
      'Files/pic one.png': 'png',
      'Other note.md': `${note}Other`,
      'post.md': `${note}[[Other note|words]] and [[Other note]], [[Nowhere]].

![[pic one.png]] ![[pic one.png|300]] ![[gone.png]]

> [!tip] Callout
> Text

> [!warning]- Folded

A ==mark== and %%a comment%%.

%%
Private
\`\`\`
code
\`\`\`
%%

\`[[code]] ==code== %%code%%\``,
    });
    const post = posts.find(({ text }) => text.includes('Callout'));
    expect(post?.text)
      .toBe(`[words](/posts/2020/01/other-note) and [Other note](/posts/2020/01/other-note), Nowhere.

![](porchlight-import:0) ![](porchlight-import:1)${' '}

> **Callout**
>
> Text

> **Folded**
>

A **mark** and .



\`[[code]] ==code== %%code%%\``);
    expect(post && filesOf(post)).toEqual(['Files/pic one.png', 'Files/pic one.png']);
    expect(post?.lost).toEqual(['the file gone.png']);
  });

  test('lose their comments although they contain nothing else of Obsidian’s', async () => {
    const [post] = await postsOf({ 'post.md': `${note}One %%private%% two` });
    expect(post?.text).toBe('One  two');
  });

  test('look like other text in the folder of a site generator', async () => {
    const [post] = await postsOf({ 'hugo.toml': '', 'post.md': `${note}50 %% of ==all== is %% here` });
    expect(post?.text).toBe('50 %% of ==all== is %% here');
  });
});

test.each([
  ["'Jul 08 2022'", '2022-07-08T00:00:00'],
  ["'July 9, 2022'", '2022-07-09T00:00:00'],
  ["'Sat, 9 Jul 2022 10:00:00 GMT'", '2022-07-09T10:00:00Z'],
  ["'9 July 2022 9:05 +0200'", '2022-07-09T09:05:00+02:00'],
  ["'2022/7/9'", '2022-07-09T00:00:00'],
])('NI21 the date %s is read', async (date, published) => {
  const [post] = await postsOf({ 'a.md': `---\npubDate: ${date}\ndescription: Short\n---\nText` });
  expect(post).toMatchObject({ published, summary: 'Short' });
});

test.each(["'07/08/2022'", "'July 2022'", "'Feb 30 2022'", 'soon'])(
  'the date %s is invalid',
  async (date) => {
    expect(await postsOf({ 'a.md': `---\npubDate: ${date}\n---\nText` })).toEqual([]);
  },
);

test('a picture of Eleventy’s image plugin is found from the root of the site', async () => {
  const [post] = await postsOf({
    'eleventy.config.js': '',
    'images/lamp.png': 'x',
    'src/posts/a.md': "---\ndate: 2020-01-02\n---\n{% image './images/lamp.png', 'A lamp' %}",
  });
  expect(filesOf(post as FoundPost)).toEqual(['images/lamp.png']);
});

test('the nested categories of Hexo are categories', async () => {
  const [post] = await postsOf({
    'a.md': '---\ndate: 2020-01-02\ncategories:\n  - [Lamps, Oil]\n  - Porch\n---\nText',
  });
  expect(post?.categories).toEqual(['Lamps', 'Oil', 'Porch']);
});

describe('the date of a post without a date of its own', () => {
  test.each([
    ['_posts/2020-01-02-title.md', '2020-01-02T00:00:00', 'title'],
    ['2020/01/02/title.md', '2020-01-02T00:00:00', 'title'],
    ['content/posts/2020-01-02-x/index.md', '2020-01-02T00:00:00', 'x'],
    ['blog/2020-01-02/title.md', '2020-01-02T00:00:00', 'title'],
  ])('is in the path %s', async (path, published, slug) => {
    const [post] = await postsOf({ [path]: '---\ntitle: Post\n---\nText' });
    expect(post).toMatchObject({ published, slug });
  });

  test('is in its URL on the original site', async () => {
    const posts = await postsOf({
      'a.md': '+++\npath = "2021/06/17/Lamps-1.53.0"\n+++\nText',
      'b.md': '---\npermalink: /2021/07/18/porch/\n---\nText',
    });
    expect(posts.map(({ published, slug }) => [published, slug])).toEqual([
      ['2021-06-17T00:00:00', 'Lamps-1.53.0'],
      ['2021-07-18T00:00:00', 'porch'],
    ]);
  });

  test('is not a part of a longer number, or a day that does not exist', async () => {
    expect(await postsOf({ 'a/12020-01-02/x.md': 'Text', 'b/2020/13/02/y.md': 'Text' })).toEqual([]);
  });
});

describe('HTML in Markdown', () => {
  const image = { 'static/i/x.png': 'picture' };

  test('X12 stays HTML, with its pictures, and comments are left out', async () => {
    const post = await postWith(
      'Line<br>two <em>em</em> and *Markdown* <!-- hidden -->\n\n<figure><img src="/i/x.png" alt="X"><figcaption>Cap</figcaption></figure>\n\n<!-- more -->\n\n`<!-- code -->`',
      image,
    );
    expect(post.format).toBe('html');
    expect(post.text).toBe(
      '<p>Line<br>two <em>em</em> and <em>Markdown</em></p>\n<figure><img src="porchlight-import:0" alt="X"><figcaption>Cap</figcaption></figure>\n<p><code>&lt;!-- code --&gt;</code></p>',
    );
    expect(filesOf(post)).toEqual(['static/i/x.png']);
    expect(post.lost).toEqual([]);
  });

  test('in code is code, and Markdown with comments alone stays Markdown', async () => {
    const post = await postWith('A <!-- `b` -->\n\n```html\n<b>x</b> <!-- more -->\n```\n\n    <i>\n\n`<u>`');
    expect(post.format).toBe('markdown');
    expect(post.text).toBe('A \n\n```html\n<b>x</b> <!-- more -->\n```\n\n    <i>\n\n`<u>`');
  });

  test('shows videos, gists and other embedded pages as links, and names what else is missing', async () => {
    const post = await postWith(
      [
        '<iframe width="1" src="//www.youtube.com/embed/abc-1?rel=0"></iframe>',
        '<iframe src="https://player.vimeo.com/video/12"></iframe>',
        '<script src="https://gist.github.com/robin/1.js"></script>',
        '<noscript><img src="/i/x.png"></noscript>',
        '<form><input></form> <progress value="1"></progress>',
        '<script>alert(1)</script>',
      ].join('\n\n'),
      image,
    );
    expect(post.text).toContain('<a href="https://www.youtube.com/watch?v=abc-1">');
    expect(post.text).toContain('<a href="https://vimeo.com/12">');
    expect(post.text).toContain('<a href="https://gist.github.com/robin/1">');
    expect(post.text).toContain('<img src="porchlight-import:0">');
    expect(post.lost).toEqual(['a form', 'a form field', 'a progress bar', 'a script']);
  });

  test('may contain footnotes and links to headings', async () => {
    const post = await postWith(
      'See [below](#the-lamp) and [there](#own)[^1].\n\n## The `lamp`\n\n## Other {#own}\n\n## Third {#unused}\n\n```\n# The lamp\n```\n\n[^1]: Note <b>bold</b>',
    );
    expect(post.text).toContain('<h2><a id="the-lamp"></a>The <code>lamp</code></h2>');
    expect(post.text).toContain('<h2><a id="own"></a>Other</h2>\n<h2>Third</h2>');
    expect(post.text).toContain('<code># The lamp\n</code>');
    expect(post.text).toMatch(/<li id="fn1">\n<p>Note <b>bold<\/b> <a href="#fnref1"/);
  });
});

describe('pictures', () => {
  test('are found by reference, in links, with template code and with the URL of the site', async () => {
    const post = await postWith(
      [
        '![one][ref] ![ref]',
        '![two]({{ site.baseurl }}/img/two.png)',
        "![three]({{ '/img/three.png' | relative_url }})",
        '![four]({{ "/img/four.png" | absolute_url }})',
        '![five](https://old.example/blog/img/five.png)',
        '[![small](/blog/img/one.png)](/img/big.png)',
        '`![code](/img/one.png)`',
        '[ref]: /img/one.png "One"',
      ].join('\n\n'),
      {
        '_config.yml': 'title: "A: B"\nurl: https://old.example # here\nbaseurl: "/blog"\n',
        ...Object.fromEntries(
          ['one', 'two', 'three', 'four', 'five', 'big'].map((name) => [`img/${name}.png`, name]),
        ),
      },
    );
    expect(filesOf(post)).toEqual(
      ['two', 'three', 'four', 'five', 'one', 'big', 'one'].map((name) => `img/${name}.png`),
    );
    expect(post.format).toBe('markdown');
    expect(post.text).toContain('[ref]: porchlight-import:6 "One"');
    expect(post.text).toContain('[![small](porchlight-import:4)](porchlight-import:5)');
    expect(post.text).toContain('`![code](/img/one.png)`');
  });

  test('that the archive does not contain are named, and have the URL of the original site if it is known', async () => {
    const text = '![a](/img/none.png) [page](/about/) [other](https://b.example/)';
    expect(await postWith(text)).toMatchObject({
      text,
      lost: ['the file /img/none.png'],
    });
    expect(await postWith(text, { '_config.yml': 'url: https://old.example' })).toMatchObject({
      text: '![a](https://old.example/img/none.png) [page](https://old.example/about/) [other](https://b.example/)',
    });
  });

  test('are not links after an exclamation mark, or footnotes', async () => {
    const post = await postWith('[**Now!**](/a) [Ada `x`!](/b) [^1]\n\n[^1]: /c', {
      '_config.yml': 'url: https://old.example',
    });
    expect(post.text).toBe(
      '[**Now!**](https://old.example/a) [Ada `x`!](https://old.example/b) [^1]\n\n[^1]: /c',
    );
    expect(post.lost).toEqual([]);
  });

  test('of a zipped site are found below its folder', async () => {
    const post = await postWith(
      '![x](/i/x.png)',
      { 'site-main/static/i/x.png': 'x' },
      'site-main/content/2020-01-02-x.md',
    );
    expect(filesOf(post)).toEqual(['site-main/static/i/x.png']);
  });

  test('are limited to the number that a post may have, and the post is imported', async () => {
    const post = await postWith('![x](/x.png)\n'.repeat(150), { 'x.png': 'x' });
    expect(post.media).toHaveLength(100);
    expect(post.lost).toContain('the file /x.png');
  });
});

test('the pages of sections are named as such in every language', async () => {
  await postsOf({
    'content/_index.md': '---\ntitle: Home\n---\nHome\n',
    'content/notes/_index.pt-BR.md': '---\ntitle: Notas\n---\nNotas\n',
    'content/notes/_index-card.md': '---\ntitle: A card\ndate: 2020-01-02\n---\nCard\n',
  });
  const { posts, skipped } = await readArchive(folder, 'markdown');
  expect(posts.map(({ name }) => name)).toEqual(['A card']);
  const why = 'It is the page of a section.';
  expect(skipped).toEqual([
    { what: 'content/_index.md', why },
    { what: 'content/notes/_index.pt-BR.md', why },
  ]);
});
