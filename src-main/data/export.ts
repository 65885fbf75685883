import type { Common } from '../http/common.ts';
import type { DataCounts } from '../contract/data.ts';
import type { Post } from '../contract/posts.ts';
import type { Settings } from '../contract/settings.ts';
import { html } from '../http/html.ts';
import type { MediaStore } from '../media/media-store.ts';
import { exportedMention } from '../mentions/mention-table.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import { exportJf2, listText } from '../mentions/reading-api/records.ts';
import { literal } from '../posts/files/front-matter.ts';
import { postExportFile } from '../posts/files/post-file.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';
import { type Author, siteAuthor } from '../posts/rendering/author.ts';
import type { ShowContent } from '../posts/rendering/contents.ts';
import type { MediaReader } from '../posts/rendering/reader.ts';
import { shownIn } from '../posts/rendering/media.ts';
import { goOn, type LongTask } from '../storage/pacing.ts';
import type { Sink } from './backup/sink.ts';

export interface TakeAllDeps extends Pick<Common, 'profile' | 'base'> {
  readonly posts: Pick<OwnerPostStore, 'list' | 'history' | 'formerPaths' | 'movedTo'>;
  readonly media: Pick<MediaStore, 'list' | 'fileOf'>;
  readonly shown: MediaReader['shown'];
  readonly makeContent: ShowContent;
  readonly mentions: Pick<MentionStore, 'all'>;
  readonly pages: () => Settings['site']['pages'];
  readonly now: () => number;
}

/** The number of the format of the files in `porchlight`. Exports without `export.json` are older. */
const exportFormat = 1;

/**
 * Writes posts, files, mentions and the profile as a folder that Hugo, Jekyll and Eleventy build without changes.
 * Leaves out deleted posts. Returns how many items of each kind it wrote.
 */
export async function takeAll(deps: TakeAllDeps, sink: Sink, work: LongTask): Promise<DataCounts> {
  const counts = { posts: 0, files: 0, mentions: 0, bytes: 0 };
  const report = (words: string) => {
    goOn(work);
    work.progress(counts.bytes, 0, words);
  };
  const base = deps.base();
  const author = siteAuthor(deps.profile(), base);
  const files = { 'README.md': readme, ...generatorFiles(author, base) };
  for (const [name, text] of Object.entries(files)) await sink.text(name, text);
  await sink.text(
    'porchlight/export.json',
    json({ format: exportFormat, base, exportedAt: new Date(deps.now()).toISOString() }),
  );
  await sink.text('porchlight/profile.json', json(deps.profile()));
  await sink.text('porchlight/pages.json', json(deps.pages()));
  for await (const post of allOf(deps)) {
    const content = await deps.makeContent(post, base, {});
    const shown = await shownIn([post], new Map([[post.path, content]]), { base, media: deps });
    const { name, text } = postExportFile(post, { base, author, shown, contentOf: () => content });
    await sink.text(name, text);
    counts.posts += 1;
    report(`Posts exported: ${counts.posts}.`);
  }
  await sink.stream('porchlight/posts.json', originals(deps, work));
  await takeFiles(deps, sink, (bytes) => {
    counts.files += 1;
    counts.bytes += bytes;
    report(`Files exported: ${counts.files}.`);
  });
  await sink.stream(
    'porchlight/mentions.jf2.json',
    exportJf2({
      all: async function* () {
        for await (const mention of deps.mentions.all()) {
          counts.mentions += 1;
          report(`Mentions exported: ${counts.mentions}.`);
          yield mention;
        }
      },
    }),
  );
  await sink.stream(
    'porchlight/mentions.json',
    listText('[\n', deps.mentions.all(), (mention) => `${JSON.stringify(exportedMention(mention))}\n`, ']\n'),
  );
  return counts;
}

/** Yields the posts as one JSON list, each with its properties as posted, its former paths and its earlier versions. */
async function* originals(deps: TakeAllDeps, work: LongTask): AsyncGenerator<string> {
  const formerPaths = await formerPathsOf(deps);
  let before = '[\n';
  for await (const post of allOf(deps)) {
    goOn(work);
    // A post whose document can't be read now is still exported, but without its earlier versions.
    const history = await deps.posts.history(post.path).catch(() => []);
    const former = formerPaths.get(post.path);
    const whole = { ...post, ...(former && { former }), ...(history.length > 0 && { history }) };
    yield before + JSON.stringify(whole);
    before = ',\n';
  }
  yield before === ',\n' ? '\n]\n' : '[]\n';
}

/** Returns the paths from which posts have moved, by the posts' current paths. */
async function formerPathsOf({ posts }: Pick<TakeAllDeps, 'posts'>): Promise<Map<string, string[]>> {
  const former = new Map<string, string[]>();
  for (const path of (await posts.formerPaths()).toSorted()) {
    const to = await posts.movedTo(path);
    if (to !== undefined) former.set(to, [...(former.get(to) ?? []), path]);
  }
  return former;
}

async function* allOf({ posts }: { readonly posts: Pick<OwnerPostStore, 'list'> }): AsyncGenerator<Post> {
  let after: string | undefined;
  do {
    const page = await posts.list({ limit: 100, after });
    yield* page.items;
    after = page.after;
  } while (after !== undefined);
}

async function takeFiles({ media }: TakeAllDeps, sink: Sink, report: (bytes: number) => void): Promise<void> {
  const taken: object[] = [];
  let cursor: string | undefined;
  do {
    const page = await media.list({ limit: 100, cursor });
    for (const item of page.items) {
      const file = item.path.slice(1);
      // The file may have been deleted after the list of files was read.
      if (!(await sink.file(file, { file: media.fileOf(item), bytes: item.bytes }))) continue;
      const { name, type, bytes, width, height, uploadedAt, copyOf } = item;
      taken.push({ file, name, type, bytes, width, height, uploadedAt, copyOf });
      report(bytes);
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  await sink.text('porchlight/media.json', json(taken));
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Returns the files, by name, that Hugo, Jekyll and Eleventy need to build the export. `base`: the public origin. */
function generatorFiles(author: Author, base: string): Readonly<Record<string, string>> {
  const name = literal(html`${author.name}`.markup);
  const card = literal(
    html`<a class="p-author h-card" rel="author" href="${author.url}">${author.name}</a>`.markup,
  );
  return {
    'hugo.toml': hugoConfig(new URL(base).origin),
    '_config.yml': jekyllConfig(new URL(base).origin),
    'eleventy.config.mjs': eleventyConfig,
    'style.css': style,
    'index.html': liquidIndex,
    '_layouts/default.html': page(name, {
      title:
        '{% assign title = page.title | default: title %}{% if title %}{{ title | escape }} – {% endif %}',
      noindex:
        "{% assign visibility = page.visibility | default: visibility %}{% if visibility == 'unlisted' %}",
      end: '{% endif %}',
      main: '{{ content }}',
    }),
    '_layouts/post.html': `---\nlayout: default\n---\n${liquidPost(card)}`,
    'layouts/_default/baseof.html': page(name, {
      title: '{{ with .Title }}{{ . }} – {{ end }}',
      noindex: '{{ if eq .Params.visibility "unlisted" }}',
      end: '{{ end }}',
      main: '{{ block "main" . }}{{ end }}',
    }),
    'layouts/_default/single.html': hugoPost(card),
    'layouts/index.html': hugoIndex,
  };
}

/** Returns Hugo's configuration. `origin` comes from a URL, so it needs no escaping in TOML or in Jekyll's YAML. */
const hugoConfig = (origin: string) => `baseURL = "${origin}/"
# The layouts here show pages and one list. Delete this line to have Hugo's other lists too.
disableKinds = ["taxonomy", "term", "section", "RSS", "sitemap"]

[[module.mounts]]
source = "content"
target = "content"

[[module.mounts]]
source = "media"
target = "static/media"

[[module.mounts]]
source = "style.css"
target = "static/style.css"
`;

const jekyllConfig = (origin: string) => `url: "${origin}"
collections_dir: content
collections:
  unlisted:
    output: true
defaults:
  - scope: { path: "", type: posts }
    values: { layout: post }
  - scope: { path: "", type: unlisted }
    values: { layout: post }
# Names of files in media are random, and some begin with the sign that Jekyll leaves out.
include:
  - "_${'?'.repeat(21)}-*.*"
exclude:
  - README.md
  - hugo.toml
  - eleventy.config.mjs
  - package.json
  - package-lock.json
  - node_modules
  - layouts
  - public
  - drafts
  - private
  - porchlight
`;

const eleventyConfig = `export default function (config) {
  for (const name of ['_layouts', 'layouts', '_site', 'public', 'drafts', 'private', 'porchlight'])
    config.ignores.add(name);
  config.addPassthroughCopy('media');
  config.addPassthroughCopy('style.css');
  config.addGlobalData('layout', 'post');
  // A post with a date in the future is built once that date has come.
  config.addPreprocessor('scheduled', 'html', (data) =>
    data.date === undefined || new Date(data.date) <= new Date() ? undefined : false,
  );
  config.addCollection('porchlightPosts', (collections) =>
    collections.getFilteredByGlob('content/_posts/**/*.html').reverse(),
  );
}

export const config = { dir: { input: '.', output: '_site', layouts: '_layouts' }, templateFormats: ['html'] };
`;

const style = `body { max-width: 40rem; margin: 0 auto; padding: 1rem; font: 1.1rem/1.6 system-ui, sans-serif; }
img, video { max-width: 100%; height: auto; }
audio { width: 100%; }
pre { overflow-x: auto; }
.context, blockquote { margin-inline: 0; padding-inline-start: 1rem; border-inline-start: 0.2rem solid #999; }
body { overflow-wrap: anywhere; color-scheme: light dark; }
`;

interface Holes {
  readonly title: string;
  readonly noindex: string;
  readonly end: string;
  readonly main: string;
}

const page = (name: string, { title, noindex, end, main }: Holes) => `<!doctype html>
<html>
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>${title}${name}</title>
    ${noindex}<meta name="robots" content="noindex">${end}
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <header><a href="/">${name}</a></header>
    <main>${main}</main>
  </body>
</html>
`;

/**
 * Returns the post template. In Jekyll, a post's front matter is in the variable `page`. In Eleventy, each field is a
 * top-level variable.
 */
const liquidPost = (card: string) => `{% assign title = page.title | default: title %}
{% assign untitled = page.untitled | default: untitled %}
{% assign tags = page.tags | default: tags %}
{% assign microformat = page.microformat | default: microformat %}
<article class="{{ microformat }}">
  {% unless untitled %}<h1 class="p-name" dir="auto">{{ title | escape }}</h1>{% endunless %}
  {{ content }}
  <footer>
    <p>${card}</p>
    <p><a class="u-url u-uid" href="{{ page.url }}"><time class="dt-published" datetime="{{ page.date | date_to_xmlschema }}">{{ page.date | date: "%Y-%m-%d" }}</time></a></p>
    {% for tag in tags %}<span class="p-category" dir="auto">{{ tag | escape }}</span> {% endfor %}
  </footer>
</article>
`;

const hugoPost = (card: string) => `{{ define "main" }}
<article class="{{ .Params.microformat }}">
  {{ if not .Params.untitled }}<h1 class="p-name" dir="auto">{{ .Title }}</h1>{{ end }}
  {{ .Content }}
  <footer>
    <p>${card}</p>
    <p><a class="u-url u-uid" href="{{ .RelPermalink }}"><time class="dt-published" datetime="{{ .Date.Format "2006-01-02T15:04:05Z07:00" }}">{{ .Date.Format "2006-01-02" }}</time></a></p>
    {{ range .Params.tags }}<span class="p-category" dir="auto">{{ . }}</span> {{ end }}
  </footer>
</article>
{{ end }}
`;

const liquidIndex = `---
layout: default
---
<ul>
  {% assign posts = site.posts | default: collections.porchlightPosts %}
  {% for post in posts %}
  <li><a href="{{ post.url }}" dir="auto">{{ post.title | default: post.data.title | escape }}</a></li>
  {% endfor %}
</ul>
`;

const hugoIndex = `{{ define "main" }}
<ul>
  {{ range where site.RegularPages.ByDate.Reverse "Section" "_posts" }}
  <li><a href="{{ .RelPermalink }}" dir="auto">{{ .Title }}</a></li>
  {{ end }}
</ul>
{{ end }}
`;

/** The README of the export: how to build the site, and what each folder contains. */
const readme = `# Your Porchlight export

This folder builds with Hugo, Jekyll or Eleventy as it is. In this folder, run one of these commands:

- \`hugo\` (0.110 or newer) writes the site to \`public\`.
- \`jekyll build\` (4.0 or newer) writes it to \`_site\`.
- \`npx @11ty/eleventy\` (3.0 or newer) writes it to \`_site\`.

To use the posts in a site of your own, copy the folders in \`content\`, and \`media\`, to that site.

## Folders

- \`content/_posts\`: your public posts. Each file starts with its title, date, tags, photos and links.
- \`content/_unlisted\`: posts that have a page but are in no list.
- \`drafts\` and \`private\`: posts that no command builds. Move a file to \`content/_posts\` and delete its \`draft\` and
  \`published\` lines to publish it.
- \`media\`: your files. A build publishes all of them, also those of drafts and private posts.
- \`porchlight\`: the data behind the site, which no command builds.
  - \`posts.json\`: every post with all properties, exactly as it was posted, its former paths and its earlier versions.
  - \`media.json\`: the original name, type and upload time of each file.
  - \`mentions.jf2.json\`: your webmentions, hidden and private ones too (see \`porchlight-status\` and \`wm-private\`).
  - \`mentions.json\`: the same mentions with everything that Porchlight knows about them.
  - \`pages.json\`: the pages of your site, in Markdown.
  - \`profile.json\`: your profile.
  - \`export.json\`: the address of your site, and the time of the export.

Porchlight imports this folder, or a zip of it, with “Import posts”. It takes posts, files, mentions and pages from
\`porchlight\` and \`media\`, and ignores everything else.

The export leaves out deleted posts. Generators skip a scheduled post until its date.
The other files are settings and layouts for the generators. Change them as you like.
`;
