import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { adoptFolder, adoptingSettings, writeTree } from '../../support/adoption.ts';
import { buildSite, hasGenerator, siteGenerators } from '../../support/site-generators.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const post = (lines = '') => `---\ntitle: "A b"\ndate: 2020-03-04T12:00:00Z\n${lines}\n---\nHi\n`;
const page = '<html><body>{{ .Content }}</body></html>\n';
const layouts = { 'layouts/_default/single.html': page, 'layouts/_default/list.html': page };

/** Folders that each generator builds, with the paths of the pages that are adopted. */
const folders: readonly (readonly [
  name: string,
  generator: 'hugo' | 'jekyll' | 'eleventy',
  files: Readonly<Record<string, string>>,
  paths: readonly string[],
])[] = [
  [
    'Hugo',
    'hugo',
    {
      ...layouts,
      'hugo.toml': 'baseURL = "https://me.example/"\n',
      'config.toml': 'baseURL = "https://me.example/"\n',
      'content/posts/Plain-One.md': post(),
      'content/posts/sluggish.md': post('slug: other'),
      'content/posts/bundle/index.md': post(),
      'content/posts/bundle/part.md': post(),
      'content/posts/elsewhere.md': post('url: /far/away'),
      'content/posts/dotted.md': post('url: /far/away.html'),
      'content/posts/_index.md': post(),
      'content/about.md': post(),
    },
    ['/posts/plain-one/', '/posts/other/', '/posts/bundle/', '/far/away/', '/far/away.html', '/about/'],
  ],
  [
    'Hugo',
    'hugo',
    {
      ...layouts,
      'config.yaml':
        'baseURL: https://me.example/\npermalinks:\n  posts: /:year/:month/:day/:slug/\n  notes: /n/:title\n  files: /f/:filename/\n',
      'content/posts/one.md': post(),
      'content/posts/two.md': post('slug: two'),
      // The files don't say why these pages have other folders.
      'content/notes/three.md': post().replace('A b', 'C d'),
      'content/files/four.md': post().replace('A b', 'E f'),
    },
    ['/2020/03/04/a-b/', '/2020/03/04/two/'],
  ],
  [
    'Jekyll',
    'jekyll',
    {
      '_config.yml': 'title: x\n',
      '_posts/2020-03-04-plain.md': post(),
      '_posts/2020-03-04-Two--words.md': post('categories: [Weather, fog]'),
      'notes/_posts/2020-03-04-noted.md': post(),
      '_posts/2020-03-04-linked.md': post('permalink: /far/:title'),
      '_posts/2020-03-04-sluggish.md': post('slug: other'),
    },
    [
      '/2020/03/04/plain.html',
      '/weather/fog/2020/03/04/Two-words.html',
      '/notes/2020/03/04/noted.html',
      '/far/linked.html',
      '/2020/03/04/other.html',
    ],
  ],
  [
    'Jekyll',
    'jekyll',
    {
      '_config.yml': 'permalink: /:short_year/:i_month/:slug/\ntimezone: Asia/Tokyo\n',
      '_posts/2020-03-04-Plain_one.md': post(),
      '_posts/2020-03-31-late.md': post().replace('2020-03-04T12:00:00Z', '2020-03-31T23:00:00Z'),
    },
    ['/20/3/plain-one/', '/20/4/late/'],
  ],
  [
    'Eleventy',
    'eleventy',
    {
      'eleventy.config.js': 'export default () => ({ dir: { input: "src" } });\n',
      'package.json': '{"type": "module"}\n',
      'src/posts/plain.md': post(),
      'src/posts/2020-03-04-dated.md': post(),
      'src/posts/Mixed Case.md': post(),
      'src/posts/folder/index.md': post(),
      'src/posts/linked.md': post('permalink: /far/away/index.html'),
      'src/secret/secret.json': '{"permalink": "/hidden/{{ page.fileSlug }}/"}\n',
      'src/secret/unknown.md': post(),
    },
    ['/posts/plain/', '/posts/2020-03-04-dated/', '/posts/Mixed%20Case/', '/posts/folder/', '/far/away/'],
  ],
];

test.for(folders)(
  'posts in a folder are adopted at the addresses that %s gives them: %#',
  { timeout: 360_000 },
  async ([name, generator, files, paths], { skip }) => {
    const found = siteGenerators.find(([one]) => one === name);
    if (!found || !hasGenerator(found[1])) return skip(`${name} is not installed`);
    const folder = await temporaryFolder();
    await writeTree(folder, files);
    await buildSite(folder, found[1]);
    const built = await readdir(path.join(folder, found[1].output), { recursive: true });
    const online = built
      .filter((file) => file.endsWith('.html'))
      .map((file) => `/${file.replace(/(^|\/)index\.html$/, '$1')}`);
    const { adopted } = await adoptFolder(adoptingSettings(folder, generator), { online });
    for (const one of paths)
      expect(await adopted.at(`https://me.example${one}`), one).toMatchObject({ status: 'published' });
    expect(adopted.summary()).toMatchObject({ posts: paths.length });
  },
);
