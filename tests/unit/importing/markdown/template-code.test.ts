import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contentOfFound } from '../../../../src-main/importing/conversion.ts';
import type { FoundPost } from '../../../../src-main/importing/found-post.ts';
import { categoriesOf } from '../../../../src-main/posts/links.ts';
import { readArchive } from '../../../support/post-archives.ts';
import { limitOf } from '../../../support/patience.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-templates-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function postIn(
  path: string,
  text: string,
  files: Readonly<Record<string, string>>,
): Promise<FoundPost> {
  const all = { ...files, [path]: `---\ntitle: Post\ntags_used: [one, two]\n---\n${text}\n` };
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const post = (await readArchive(folder, 'markdown')).posts.find(({ name }) => name === 'Post');
  if (!post) throw new Error('The post was not found.');
  return post;
}

const config = 'url: "https://old.example"\nrepository: https://code.example/lamps\n';

describe('Liquid (Jekyll)', () => {
  const jekyll = (text: string, files: Readonly<Record<string, string>> = {}) =>
    postIn('_posts/2020-01-02-post.md', text, { '_config.yml': config, ...files });

  test('a loop that repeats too much ends, and the post names it', async () => {
    const list = `{% assign all = "${'x,'.repeat(199)}x" | split: "," %}`;
    const loops = '{% for one in all %}{% for two in all %}{{ two }}{% endfor %}{% endfor %}';
    const { text, lost } = await jekyll(`Before ${list}${loops} after`);
    expect(text).toMatch(/^Before x+/);
    expect(lost).toContain('the template code {% for two in all %}');
  });

  test.each([
    ['settings of the site', '[#1]({{ site.repository }}/1)', '[#1](https://code.example/lamps/1)'],
    ['fields of the post', '{{ page.title }}!', 'Post!'],
    ['raw text', 'A `{% raw %}{{ layout }}{% endraw %}` B', 'A `{{ layout }}` B'],
    ['raw text with an open tag', '{% raw %}{{ x{% endraw %} and }}', '{{ x and }}'],
    ['code', '{% highlight ruby %}\nputs `1` {{ x }}\n{% endhighlight %}', '```ruby\nputs `1` {{ x }}\n```'],
    ['code with a fence', '{% highlight md %}\n```\n{% endhighlight %}', '````md\n```\n````'],
    ['comments', 'A{% comment %} {{ b }} {% endcomment %}C', 'AC'],
    ['variables and filters', '{% assign a = "x" | append: "-y" | upcase %}{{ a }}', 'X-Y'],
    ['captured text', '{% capture a %}b{{ page.title }}{% endcapture %}{{ a }}{{ a }}', 'bPostbPost'],
    [
      'loops',
      '{% assign numbers = "7|8" | split: "|" %}{% for n in numbers %}[{{ n }}]{% endfor %}{% for t in page.tags_used %}{{ t }} {% endfor %}',
      '[7][8]one two',
    ],
    [
      'attributes of kramdown',
      '1. TOC\n{:toc}\n\nA [b](https://b.example){:target="_blank"}\n{: .note}',
      'A [b](https://b.example)',
    ],
  ])('converts %s', async (_what, text, shown) => {
    expect(await jekyll(text)).toMatchObject({ text: shown, format: 'markdown', lost: [] });
  });

  test('links to other posts at their new URLs, and to other pages on the original site', async () => {
    const files = {
      '_posts/2019-05-06-old-lamp.md': '---\ntitle: Old\n---\nText',
      '_posts/2018-01-01-moved.md': '---\ndate: 2018-03-04\nslug: Better Name\n---\nText',
      '_docs/history.md': '---\ntitle: History\n---\nText',
    };
    const post = await jekyll(
      '[a]({% post_url 2019-05-06-old-lamp %}) [b]({% link _posts/2018-01-01-moved.md %}) [c]({% link _docs/history.md %}#v1) [d]({% link _posts/none.md %})',
      files,
    );
    expect(post.text).toBe(
      '[a](/posts/2019/05/old-lamp) [b](/posts/2018/03/better-name) [c](https://old.example/docs/history/#v1) [d]()',
    );
    expect(post.lost).toEqual(['the template code {% link _posts/none.md %}']);
  });

  test('makes no category of a fragment', async () => {
    const post = await jekyll(
      '[a]({{ "/docs/#assets" | relative_url }}) [b]({% link _docs/history.md %}#v3-9-3) [c](/docs#v3) https://a.example/x#y',
    );
    const content = contentOfFound(post, () => undefined);
    if (!content) throw new Error('The post is too long.');
    expect(categoriesOf(content)).toEqual([]);
  });

  test('turns figures, videos, gists and tweets into HTML', async () => {
    const post = await jekyll(
      [
        '{% include figure.html src="/a.png" alt="A" caption="A lamp" %}',
        '{% youtube abc %}',
        '{% include youtube.html id="def" %}',
        '{% gist robin/12 %}',
        '{% twitter https://twitter.com/robin/status/1 %}',
        '{% vimeo 34 %} {% slides "https://slides.example/5" title="Talk" %}',
      ].join('\n\n'),
      { 'a.png': 'x' },
    );
    expect(post.text).toContain(
      '<figure><img src="porchlight-import:0" alt="A"><figcaption>A lamp</figcaption></figure>',
    );
    for (const url of [
      'https://www.youtube.com/watch?v=abc',
      'https://www.youtube.com/watch?v=def',
      'https://gist.github.com/robin/12',
      'https://twitter.com/robin/status/1',
      'https://vimeo.com/34',
    ])
      expect(post.text).toContain(`<a href="${url}">${url}</a>`);
    expect(post.text).toContain('<a href="https://slides.example/5">Talk</a>');
    expect(post.lost).toEqual([]);
  });

  test.each([
    ['{% figure caption:"At night. The lamp" class:"wide" %}', 'At night. The lamp'],
    ['{% figure caption="See a/b & <c>" %}', 'See a/b &amp; &lt;c&gt;'],
    ['{% figure "On a walk. At 5.30 we stopped" %}', 'On a walk. At 5.30 we stopped'],
  ])('a block makes its content a figure, and no caption becomes a file: %s', async (start, caption) => {
    const post = await jekyll(`Before\n\n${start}\n![A](/a.png)\n{% endfigure %}\n\nAfter`, { 'a.png': 'x' });
    expect(post.text.replace(/\n+/g, '')).toBe(
      `<p>Before</p><figure><p><img src="porchlight-import:0" alt="A"></p><figcaption>${caption}</figcaption></figure><p>After</p>`,
    );
    expect(post).toMatchObject({ lost: [], media: [{ source: { path: 'a.png' } }] });
  });

  test('figures with and without an end tag stand beside each other, also in loops', async () => {
    const post = await jekyll(
      '{% assign all = "x|y" | split: "|" %}{% for one in all %}{% figure /a.png "Lone" %}{% endfor %}\n\n{% figure "Around" %}![A](/a.png){% endfigure %}',
      { 'a.png': 'x' },
    );
    expect(post.text.match(/alt="Lone"/g)).toHaveLength(2);
    expect(post.text).toContain('<figcaption>Around</figcaption></figure>');
    expect(post.lost).toEqual([]);
  });

  test('leaves out unknown code, and names it', async () => {
    const post = await jekyll(
      'A{% include signup.html %}B{{ site.data.x }}C{% if page.x %}D{% else %}E{% endif %}F{% poll %}G{% endpoll %}H{% for x in site.posts %}I{% endfor %}J',
    );
    expect(post.text).toBe('ABCDFGHJ');
    expect(post.lost).toEqual([
      'the template code {% include signup.html %}',
      'the template code {{ site.data.x }}',
      'the template code {% if page.x %}',
      'the template code {% poll %}',
      'the template code {% for x in site.posts %}',
    ]);
  });

  test('in a folder without other files of the site leaves code as it is', async () => {
    const post = await postIn(
      '2020-01-02-post.md',
      'A {{ site.baseurl }}B `{{ user }}` `{% raw %}{{ c }}{% endraw %}`\n\n    {% if x %}\n\n```\n{{ d }}\n```',
      {},
    );
    expect(post.text).toBe('A B `{{ user }}` `{{ c }}`\n\n    {% if x %}\n\n```\n{{ d }}\n```');
  });
});

describe('shortcodes of Hugo', () => {
  const hugo = (text: string, files: Readonly<Record<string, string>> = {}) =>
    postIn('content/posts/2020-01-02-post/index.md', text, {
      'hugo.toml': 'baseURL = "https://old.example/"',
      ...files,
    });

  test.each([
    [
      'code',
      '{{< highlight go "linenos=table" >}}\nx := {{ y }}\n{{< /highlight >}}',
      '```go\nx := {{ y }}\n```',
    ],
    ['escaped shortcodes', 'Write `{{</* figure src="a" */>}}`.', 'Write `{{< figure src="a" >}}`.'],
    ['other braces', 'A {{ template }} and {% tag %}', 'A {{ template }} and {% tag %}'],
    ['fields of the post', '{{% param "title" %}}', 'Post'],
  ])('converts %s', async (_what, text, shown) => {
    expect(await hugo(text)).toMatchObject({ text: shown, format: 'markdown', lost: [] });
  });

  test('turns figures, videos, gists and tweets into HTML, and links to posts', async () => {
    const post = await hugo(
      [
        '{{< figure src="a.png" title="Lamp" caption="at <night>" >}}',
        '{{< youtube abc >}} {{< youtube id="def" autoplay=true >}} {{< vimeo 34 >}}',
        '{{< gist robin 12 >}} {{< tweet user="robin" id="5" >}}',
        '[a]({{< ref "posts/old.md" >}}) [b]({{% relref "old#part" %}}) [c](../old.md) [d](#x)',
      ].join('\n\n'),
      {
        'content/posts/2020-01-02-post/a.png': 'x',
        'content/posts/old.md': '---\ndate: 2019-05-06\ntitle: Old lamp\n---\nText',
      },
    );
    expect(post.text).toContain(
      '<figure><img src="porchlight-import:0" alt="Lamp at &lt;night&gt;"><figcaption>Lamp at &lt;night&gt;</figcaption></figure>',
    );
    for (const url of [
      'https://www.youtube.com/watch?v=abc',
      'https://www.youtube.com/watch?v=def',
      'https://vimeo.com/34',
      'https://gist.github.com/robin/12',
      'https://twitter.com/robin/status/5',
      '/posts/2019/05/old',
      '/posts/2019/05/old#part',
    ])
      expect(post.text).toContain(`<a href="${url}">`);
    expect(post.text.match(/\/posts\/2019\/05\/old"/g)).toHaveLength(2);
    expect(post.lost).toEqual([]);
  });

  test('turns the content of a figure without a file into a figure', async () => {
    const post = await hugo('{{< figure caption="At night. Two" >}}\n![A](a.png)\n{{< /figure >}}\n\nAfter', {
      'content/posts/2020-01-02-post/a.png': 'x',
    });
    expect(post.text.replace(/\n+/g, '')).toBe(
      '<figure><p><img src="porchlight-import:0" alt="A"></p><figcaption>At night. Two</figcaption></figure><p>After</p>',
    );
    expect(post.lost).toEqual([]);
  });

  test('leaves out an unknown shortcode, keeps its content, and names it', async () => {
    const post = await hugo(
      'A {{< notice tip >}}B{{< /notice >}} {{< ref "none.md" >}}C {{< rawhtml >}}D{{< /rawhtml >}}',
    );
    expect(post.text).toBe('A B C D');
    expect(post.lost).toEqual([
      'the template code {{< notice tip >}}',
      'the template code {{< ref "none.md" >}}',
    ]);
  });
});

test('shortcodes of Zola are converted, and other braces stay', async () => {
  const post = await postIn(
    'content/2020-01-02-post.md',
    'A {{ youtube(id="abc") }} `{{ #include <cmath> }}` {{closure}} {% quote(author="x") %}Q{% end %} [o](@/old.md)',
    {
      'config.toml': 'base_url = "https://old.example"',
      'templates/page.html': '',
      'content/old.md': '+++\npath = "2019/05/06/old"\n+++\nText',
    },
  );
  expect(post.text).toBe(
    '<p>A <a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a> <code>{{ #include &lt;cmath&gt; }}</code> {{closure}} Q <a href="/posts/2019/05/old">o</a></p>',
  );
  expect(post.lost).toEqual(['the template code {% quote(author="x") %}']);
});

describe('hostile template code', () => {
  test.each([
    ['open tags', '{% '.repeat(60_000)],
    ['open outputs', '{{ '.repeat(60_000)],
    ['open shortcodes', '{{< '.repeat(45_000)],
    ['raw tags without an end', '{% raw %}'.repeat(20_000)],
    ['raw tags with one end', `${'{% raw %}'.repeat(20_000)}{% endraw %}`],
    ['code tags without an end', '{{< highlight go >}}'.repeat(9000)],
    ['nested conditions', `${'{% if a %}'.repeat(15_000)}${'{% endif %}'.repeat(3000)}`],
    ['doubled values', `{% assign a = "xxxxxxxx" %}${'{% assign a = a | append: a %}'.repeat(6000)}{{ a }}`],
    [
      'nested loops',
      `{% assign a = "${'x,'.repeat(900)}" | split: "," %}${'{% for i in a %}'.repeat(40)}x${'{% endfor %}'.repeat(40)}`,
    ],
    ['open comments', '<!--'.repeat(45_000)],
    ['open code', Array.from({ length: 600 }, (_, length) => '`'.repeat(length)).join(' ')],
    ['links to headings', `${'[a](#b)'.repeat(9000)}\n${'# b\n'.repeat(20_000)}`],
    ['open brackets', '!['.repeat(90_000)],
    ['open frames', '<iframe '.repeat(20_000)],
    ['attributes', '{: '.repeat(60_000)],
    ['links with spaces', `{% link ${' '.repeat(150_000)}x`],
    ['references with spaces', `{{< ref ${' '.repeat(150_000)}x`],
    ['headings with spaces', `[a](#b)\n\n# ${' '.repeat(90_000)}x${' '.repeat(90_000)}{#b`],
    ['figures after long lines', `${'a'.repeat(990)}\n${'{% figure a.png b %}'.repeat(9000)}`],
    ['arguments', `{% figure ${'a="'.repeat(1500)} %}`.repeat(30)],
  ])('hostile template code of %s takes time in proportion to its length', async (_what, text) => {
    const started = performance.now();
    const post = await postIn('_posts/2020-01-02-post.md', text, {});
    expect(performance.now() - started).toBeLessThan(limitOf(8000));
    expect(post.text.length).toBeLessThan(1_500_000);
  });
});
