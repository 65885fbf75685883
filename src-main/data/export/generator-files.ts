import { html } from '../../http/html.ts';
import type { Author } from '../../posts/rendering/author.ts';
import { literal } from '../../posts/files/clean.ts';

/** Returns the files, by name, that Hugo, Jekyll and Eleventy need to build the export. `base`: the public origin. */
export function generatorFiles(author: Author, base: string): Readonly<Record<string, string>> {
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
