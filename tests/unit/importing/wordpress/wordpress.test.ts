import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readArchive } from '../../../support/post-archives.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-wordpress-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Upload {
  readonly id: number;
  readonly url: string;
  readonly parent?: number;
  readonly alt?: string;
  readonly caption?: string;
}

const uploadXml = ({ id, url, parent = 0, alt = '', caption = '' }: Upload) =>
  `<item><title>Upload</title><excerpt:encoded><![CDATA[${caption}]]></excerpt:encoded>
  <wp:post_id>${id}</wp:post_id><wp:post_parent>${parent}</wp:post_parent><wp:post_type>attachment</wp:post_type>
  <wp:attachment_url>${url}</wp:attachment_url>
  <wp:postmeta><wp:meta_key>_wp_attachment_image_alt</wp:meta_key><wp:meta_value>${alt}</wp:meta_value></wp:postmeta></item>`;

/** Reads one post of a WordPress export, whose ID is 1. */
async function read(content: string, uploads: readonly Upload[] = []) {
  const path = join(folder, 'export.xml');
  await writeFile(
    path,
    `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel>
    <item><title>Post</title><content:encoded><![CDATA[${content}]]></content:encoded><wp:post_id>1</wp:post_id>
    <wp:post_date_gmt>2020-01-01 00:00:00</wp:post_date_gmt><wp:post_type>post</wp:post_type></item>
    ${uploads.map(uploadXml).join('')}</channel></rss>`,
  );
  const { posts } = await readArchive(path, 'wxr');
  const [post] = posts;
  if (!post) throw new Error('no post');
  return post;
}
const html = async (content: string, uploads: readonly Upload[] = []) => (await read(content, uploads)).text;

describe('the paragraphs of a post from WordPress’s older editor', () => {
  test('I02 are kept around preformatted text, whose blank lines stay', async () => {
    const content = 'First para\n\nSecond para\n\n<pre>code\n\nmore</pre>\n\nThird para';
    expect(await html(content)).toBe(
      '<p>First para</p>\n<p>Second para</p>\n<pre>code\n\nmore</pre>\n<p>Third para</p>',
    );
  });

  test.each([
    [
      'a list',
      'Before\n<ul>\n<li>One</li>\n<li>Two</li>\n</ul>\nAfter',
      '<p>Before</p>\n<ul><li>One</li><li>Two</li></ul>\n<p>After</p>',
    ],
    ['a heading', '<h2>Head</h2>\nText', '<h2>Head</h2>\n<p>Text</p>'],
    ['a quote', '<blockquote>One\n\nTwo</blockquote>', '<blockquote><p>One</p>\n<p>Two</p></blockquote>'],
    [
      'a quote with its own paragraph',
      '<blockquote><p>One</p></blockquote>',
      '<blockquote><p>One</p></blockquote>',
    ],
    ['a table', '<table>\n<tr>\n<td>A</td>\n</tr>\n</table>', '<table><tr><td>A</td></tr></table>'],
    ['a line', 'One\n\n<hr>\n\nTwo', '<p>One</p>\n<hr>\n<p>Two</p>'],
    ['a div with one text', '<div class="x">One</div>', '<div class="x">One</div>'],
    ['a div with paragraphs', '<div>One\n\nTwo</div>', '<div><p>One</p>\n<p>Two</p></div>'],
  ])('are not put around %s', async (_name, content, expected) => {
    expect(await html(content)).toBe(expected);
  });

  test.each([
    ['line breaks', 'One\nTwo <b>bold</b> three\nFour', '<p>One<br>\nTwo <b>bold</b> three<br>\nFour</p>'],
    ['line breaks that are marked already', 'One<br />\nTwo\n<br>Three', '<p>One<br />\nTwo\n<br>Three</p>'],
    ['inline code', 'Use <code>a\n\nb</code> here', '<p>Use <code>a\n\nb</code> here</p>'],
    ['a comparison', 'If 1 < 2 and "x > y', '<p>If 1 < 2 and "x > y</p>'],
    ['a line break in a tag', '<a\n\nhref="/x">Link</a>', '<p><a\n\nhref="/x">Link</a></p>'],
    ['empty paragraphs', 'One\n\n&nbsp;\n\nTwo', '<p>One</p>\n<p>Two</p>'],
    [
      'preformatted text without an end',
      'One\n\n<pre>Two\n\nThree',
      '<p>One</p>\n<p><pre>Two</p>\n<p>Three</p>',
    ],
  ])('are right with %s', async (_name, content, expected) => {
    expect(await html(content)).toBe(expected);
  });

  test('are not added to a post from the block editor', async () => {
    const content =
      '<!-- wp:paragraph -->\n<p>One\ntwo</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:pullquote -->Three<!-- /wp:pullquote -->';
    expect(await html(content)).toBe('<p>One\ntwo</p>\n\n\nThree');
  });
});

describe('a caption', () => {
  const picture = '<img src="https://b.example/x.png" alt="x">';

  test('I04 may contain brackets, and no shortcode is visible', async () => {
    const content = `[caption id="a_1" align="aligncenter" width="512"]${picture} [A, B] != [B, A][/caption]`;
    expect(await read(content)).toMatchObject({
      text: `<figure>${picture}<figcaption>[A, B] != [B, A]</figcaption></figure>`,
      lost: [],
    });
  });

  test.each([
    [
      'as an attribute',
      `[caption width="8" caption="The <em>lamp</em>"]${picture}[/caption]`,
      `${picture}<figcaption>The <em>lamp</em></figcaption>`,
    ],
    [
      'with a link in the attribute',
      `[caption caption="See <a href='/x'>this</a>"]${picture}[/caption]`,
      `${picture}<figcaption>See <a href='/x'>this</a></figcaption>`,
    ],
    [
      'of a linked picture, with markup',
      `[wp_caption id="a"]<a href="/x">${picture}</a> The <b>lamp</b>[/wp_caption]`,
      `<a href="/x">${picture}</a><figcaption>The <b>lamp</b></figcaption>`,
    ],
    ['without words', `[caption id="a" width="8"]${picture}[/caption]`, picture],
  ])('%s becomes a figure', async (_name, content, expected) => {
    expect(await html(`Before\n\n${content}\n\nAfter`)).toBe(
      `<p>Before</p>\n<figure>${expected}</figure>\n<p>After</p>`,
    );
  });

  test('without an end leaves its picture', async () => {
    expect(await html(`[caption id="a"]${picture} Words`)).toBe(`<p>${picture} Words</p>`);
  });
});

describe('NI05 a picture that links to a larger version', () => {
  const small =
    '<img src="https://b.example/small-300x200.jpg" class="alignnone" width="300" height="200" alt="A &amp; B">';
  const large = '<img src="https://b.example/big.jpg" alt="A &amp; B">';
  const uploads: Upload[] = [
    { id: 11, url: 'https://b.example/big.jpg' },
    { id: 12, url: 'https://b.example/small-300x200.jpg' },
  ];

  test.each([
    ['in a paragraph', (picture: string) => `Before ${picture} after`, `<p>Before ${large} after</p>`],
    [
      'in a caption',
      (picture: string) => `[caption id="a"]${picture} The lamp[/caption]`,
      `<figure>${large}<figcaption>The lamp</figcaption></figure>`,
    ],
    [
      'in a block',
      (picture: string) => `<!-- wp:image --><figure>${picture}</figure><!-- /wp:image -->`,
      `<figure>${large}</figure>`,
    ],
  ])('%s becomes that version, without a link', async (_where, content, expected) => {
    expect(await html(content(`<a href="https://b.example/big.jpg">\n${small}</a>`), uploads)).toBe(expected);
  });

  test.each([
    `<a href="https://other.example/big.jpg">${small}</a>`,
    `<a href="https://b.example/page/">${small}</a>`,
    `<a href="https://b.example/big.jpg">${small} and words</a>`,
    `<a href="javascript:alert(1)//a.jpg">${small}</a>`,
  ])('stays if the link leads elsewhere, or has text: %s', async (content) => {
    expect(await html(content, uploads)).toBe(`<p>${content}</p>`);
  });
});

describe('a gallery', () => {
  const uploads: Upload[] = [
    { id: 11, url: 'https://b.example/a.png', parent: 1, alt: 'A lamp', caption: 'Brass' },
    { id: 12, url: 'https://b.example/b.jpg?x=1&amp;y=2', parent: 1 },
    { id: 13, url: 'https://b.example/c.pdf', parent: 1 },
  ];
  const lamp =
    '<figure><img src="https://b.example/a.png" alt="A lamp"><figcaption>Brass</figcaption></figure>';
  const other = '<figure><img src="https://b.example/b.jpg?x=1&amp;y=2" alt=""></figure>';

  test('shows the pictures of the archive that it names, in its order', async () => {
    expect(await html('Before\n\n[gallery columns="2" ids="12, 11"]\n\nAfter', uploads)).toBe(
      `<p>Before</p>\n${other}\n${lamp}\n<p>After</p>`,
    );
  });

  test('shows all pictures of its post if it names none', async () => {
    expect(await html('[gallery]', uploads)).toBe(`${lamp}\n${other}`);
  });

  test('is named in the report if the archive lacks its pictures', async () => {
    expect(await read('Words [gallery ids="98"] [gallery ids="11,99"]', uploads)).toMatchObject({
      lost: ['the shortcode [gallery]', '1 file of a gallery, which the archive doesn’t contain'],
    });
  });
});

describe('a link', () => {
  const link = (url: string) => `<a href="${url}">${url}</a>`;

  test('is made of an embedded URL, and of a URL alone on its line', async () => {
    const content = [
      '[embed width="3"]https://video.example/1[/embed]',
      'https://video.example/2?a=1&amp;b=2',
      'Look:\nhttps://video.example/3\nand see https://video.example/4 too',
      '<a href="/x">\nhttps://video.example/5\n</a>',
    ];
    expect(await html(content.join('\n\n'))).toBe(
      [
        `<p>${link('https://video.example/1')}</p>`,
        `<p>${link('https://video.example/2?a=1&amp;b=2')}</p>`,
        `<p>Look:<br>\n${link('https://video.example/3')}<br>\nand see https://video.example/4 too</p>`,
        '<p><a href="/x"><br>\nhttps://video.example/5<br>\n</a></p>',
      ].join('\n'),
    );
  });

  test('is made of a URL alone on its line in a post from the block editor', async () => {
    const content =
      '<!-- wp:embed {"url":"https://v.example/1"} --><figure><div>\nhttps://v.example/1\n</div></figure><!-- /wp:embed -->';
    expect(await html(content)).toBe(`<figure><div>\n${link('https://v.example/1')}\n</div></figure>`);
  });

  test.each([
    [
      '[youtube=https://www.youtube.com/watch?v=abcdefghijk&w=320]',
      'https://www.youtube.com/watch?v=abcdefghijk&amp;w=320',
    ],
    ['[youtube https://youtu.be/abcdefghijk]', 'https://youtu.be/abcdefghijk'],
    ['[youtube]https://youtu.be/abcdefghijk[/youtube]', 'https://youtu.be/abcdefghijk'],
    ['[youtube id="abcdefghijk"]', 'https://www.youtube.com/watch?v=abcdefghijk'],
    ['[vimeo 12345 w=500]', 'https://vimeo.com/12345'],
    [
      '<iframe src="//www.youtube.com/embed/abcdefghijk?rel=0" width="5"></iframe>',
      'https://www.youtube.com/watch?v=abcdefghijk',
    ],
  ])('is made of %s', async (content, url) => {
    expect(await read(content)).toMatchObject({ text: `<p>${link(url)}</p>`, lost: [] });
  });

  test('is made of no text that only looks like a URL', async () => {
    expect(await read('<iframe src="javascript:alert(1)"></iframe>Words')).toMatchObject({
      text: '<p>Words</p>',
      lost: ['an embedded page'],
    });
  });
});

describe('a recording', () => {
  test('is shown in place of its shortcode', async () => {
    const content =
      '[audio mp3="https://b.example/a.mp3"][/audio]\n\n[video width="4" mp4="https://b.example/b.mp4"][/video]';
    expect(await read(content)).toMatchObject({
      text: '<p><audio src="https://b.example/a.mp3" controls></audio></p>\n<p><video src="https://b.example/b.mp4" controls></video></p>',
      lost: [],
    });
  });
});

describe('another shortcode', () => {
  test('is removed and named in the report, and the text that it encloses stays', async () => {
    const content =
      '[vc_row][vc_column width="1/2"]Words[/vc_column][/vc_row]\n\n[contact-form-7 id="12" title="Contact"]\n\n[my_slider]\n\n[table id=3 /]';
    expect(await read(content)).toMatchObject({
      text: '<p>Words</p>',
      lost: ['vc_row', 'vc_column', 'contact-form-7', 'my_slider', 'table'].map(
        (name) => `the shortcode [${name}]`,
      ),
    });
  });

  test.each([
    ['Before\n\n[sitemap]\n\nAfter', '<p>Before</p>\n<p>After</p>', 'sitemap'],
    ['[recent-posts]', '', 'recent-posts'],
    ['<p>Before</p>\n<p>[products limit=4]</p>', '<p>Before</p>\n<p></p>', 'products'],
    [
      '<!-- wp:paragraph --><p>Before</p><!-- /wp:paragraph -->\n<!-- wp:shortcode -->\n[archives]\n<!-- /wp:shortcode -->',
      '<p>Before</p>',
      'archives',
    ],
  ])('that is alone in its paragraph is removed and named in the report: %s', async (content, text, name) => {
    expect(await read(content)).toMatchObject({ text, lost: [`the shortcode [${name}]`] });
  });

  test.each(['[sic]', 'Words\n[sitemap]', '[to be continued]', '[Update]', '[1]'])(
    'that may be a remark stays: %s',
    async (content) => {
      expect((await read(content)).lost).toEqual([]);
      expect(await html(content)).toContain(content.slice(content.indexOf('[')));
    },
  );

  test('with the source text of a program becomes preformatted text', async () => {
    const content = 'Before\n\n[sourcecode language="html"]\n<b>[x]</b>\n\n&lt;i&gt;\n[/sourcecode]\n\nAfter';
    expect(await read(content)).toMatchObject({
      text: '<p>Before</p>\n<pre><code>&lt;b&gt;[x]&lt;/b&gt;\n\n&lt;i&gt;</code></pre>\n<p>After</p>',
      lost: [],
    });
  });

  test('that is only text in brackets stays', async () => {
    const texts = [
      'He said [sic] and [1], [...], [A, B], [citation needed], [so-called], [note: see x=1].',
      'list[my_index] = [a_b](https://x.example) [given n=2] [Gallery] [gallery of lamps] [/not opened] [',
      '<code>[gallery]</code>',
      '<b title="[gallery]">x</b>',
    ];
    for (const text of texts) expect(await read(text)).toMatchObject({ text: `<p>${text}</p>`, lost: [] });
    expect(await html('<pre>[gallery]\n\n[a_b]</pre>')).toBe('<pre>[gallery]\n\n[a_b]</pre>');
    expect(await html('Use [[gallery ids="1"]] for that')).toBe('<p>Use [gallery ids="1"] for that</p>');
  });
});

test('blocks that WordPress computes and elements that no page shows are named in the report', async () => {
  const content =
    '<!-- wp:paragraph --><p>Words</p><!-- /wp:paragraph --><!-- wp:latest-posts {"n":3} /--><form action="/x">Vote</form>';
  expect(await read(content)).toMatchObject({ lost: ['the block “latest-posts”', 'a form'] });
});
