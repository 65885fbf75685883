import type { Post } from '../contract/posts.ts';
import type { Generator, SiteFolderSettings } from '../contract/site-folder.ts';
import type { MentionRecord } from '../contract/webmentions.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import { shownMentions } from '../mentions/shown-mentions.ts';
import { postOnPage, withOtherScheme } from '../posts/address.ts';
import type { FolderRules } from '../posts/files/addresses.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';
import type { AdoptedPosts, ChangedPost } from '../posts/post-store.ts';
import { excerpt } from '../posts/rendering/rich-text.ts';
import { asLink } from '../posts/values.ts';
import { isReadable } from '../posts/visibility.ts';
import { createMentionsPublisher } from './publishing/file-publisher.ts';
import type { FolderTarget } from './publishing/folder-target.ts';
import type { PublishingQueue } from './publishing/publishing-queue.ts';

interface FolderMentionsDeps {
  readonly settings: () => SiteFolderSettings;
  readonly posts: OwnerPostStore;
  readonly adopted: AdoptedPosts;
  readonly mentions: Pick<MentionStore, 'ofPage' | 'pages'>;
  readonly queue: Pick<PublishingQueue, 'add'>;
  readonly target: () => FolderTarget;
  readonly base: () => string;
  /** Returns the time in ms. */
  readonly clock: () => number;
}

/** The minimum time between two writes of mentions, in ms. Each write makes the owner's site build again. */
const writtenEveryMs = 3_600_000;

/** Creates the functions that write mentions to the data files of the owner's folder. */
export function createFolderMentions(deps: FolderMentionsDeps) {
  const { settings, posts, adopted, mentions, queue, target, base, clock } = deps;
  /** The time at which mentions were last written to the folder, in ms. */
  let writtenAt = 0;

  /** Returns the URLs at which a post's page is or was on the owner's site. */
  const placesOf = ({ home }: Post) => (home ? [home.url, ...home.former] : []);

  /**
   * Returns the current and former URLs of the page to which a mention's target belongs. Returns no URLs if Porchlight
   * doesn't know the page.
   */
  async function placesAt(of: string): Promise<string[]> {
    const post = await postOnPage(posts, base(), of);
    if (post?.home) return placesOf(post);
    // If Porchlight doesn't know a page, the page gets no data file. Otherwise, anybody could create files by sending
    // mentions of made-up URLs.
    const older = await adopted.at(of.replace(/[?#].*/s, ''));
    return older ? [older.url] : [];
  }

  /** Returns the mentions for a page's data file. Returns none if the page's post has moved or was withdrawn. */
  async function mentionsOn(url: string): Promise<MentionRecord[]> {
    if (settings().mentions === 'off') return [];
    const post = await postOnPage(posts, base(), url);
    if (post && (post.home?.url !== url || !isReadable(post, clock()))) return [];
    return post ? shownMentions(mentions, post.path) : bothSchemes(url);
  }

  /** Returns the mentions of a page that isn't a post of Porchlight, at its http and https URLs together. */
  async function bothSchemes(url: string): Promise<MentionRecord[]> {
    const found = [
      ...(await shownMentions(mentions, url)),
      ...(await shownMentions(mentions, withOtherScheme(url))),
    ];
    return [...new Map(found.reverse().map((mention) => [mention.source, mention])).values()].reverse();
  }

  const order = async (pages: readonly string[], due: number) =>
    queue.add([...new Set(pages)].map((key) => ({ publisher: 'mentions', key, due })));

  /**
   * Schedules a task that writes the mentions of the pages at `targets` to the folder. Mentions are written at most
   * once an hour.
   */
  async function plan(targets: readonly string[]): Promise<void> {
    if (!settings().on || settings().mentions === 'off') return;
    const places = await Promise.all(targets.map(placesAt));
    await order(places.flat(), Math.max(clock(), writtenAt + writtenEveryMs));
  }

  const allTargets = async () => (await mentions.pages()).map((page) => page.target);

  return {
    plan,
    /** Schedules writing the mentions of all pages to the folder. */
    planAll: async () => plan(await allTargets()),
    /** Schedules the removal of the data files of all pages. Called when the owner turns off these files. */
    async planRemoval(): Promise<void> {
      const places = await Promise.all((await allTargets()).map(placesAt));
      await order(places.flat(), clock());
    },
    /**
     * If a post's page has appeared, moved or been withdrawn, schedules an immediate update of the data files with the
     * post's mentions.
     */
    async postChanged({ post, before }: Pick<ChangedPost, 'post' | 'before'>): Promise<void> {
      if (!settings().on || settings().mentions === 'off') return;
      const pageOf = (one: Post | undefined) => (one && isReadable(one, clock()) ? one.home?.url : undefined);
      if (pageOf(post) === pageOf(before)) return;
      const versions = before ? [post, before] : [post];
      const found = await shownMentions(mentions, post.path);
      if (found.length > 0) await order(versions.flatMap(placesOf), clock());
    },
    publisher: createMentionsPublisher(target, async ({ key }) => {
      writtenAt = clock();
      return mentionDataFile(key, await mentionsOn(key), settings());
    }),
  };
}

export type FolderMentions = ReturnType<typeof createFolderMentions>;

/** The folder in which each generator expects data files. Custom generators get the same folder as Eleventy. */
const dataFolders: Readonly<Record<Generator, string>> = {
  hugo: 'data/mentions/',
  jekyll: '_data/mentions/',
  eleventy: '_data/mentions/',
  astro: 'src/data/mentions/',
  zola: 'data/mentions/',
  custom: '_data/mentions/',
};

/** The maximum length of a mention's text in a data file, in characters. */
const longestText = 2000;

/**
 * Returns the data file with the mentions of a page, as JF2 (jf2.spec.indieweb.org) with plain text. `text` is null if
 * there are no mentions. The templates that `snippetFor` returns compute the same file name.
 */
export function mentionDataFile(
  pageUrl: string,
  mentions: readonly MentionRecord[],
  { generator, baseUrl }: Pick<FolderRules, 'generator' | 'baseUrl'>,
): { file: string; text: string | null } {
  const base = new URL(baseUrl).pathname.replace(/\/?$/, '/');
  const { pathname } = new URL(pageUrl);
  // The path stays percent-encoded in the file name. This way, different names get different files in every writing
  // system.
  const path = (pathname.startsWith(base) ? pathname.slice(base.length) : pathname).replace(/^\/+/, '');
  const name = path.replaceAll('/', '--').replace(/[^\w-]/g, '') || 'home';
  // A long name is shortened to its beginning and its end, because file systems allow only 255 bytes. Hashing the name
  // isn't possible, because templates can't compute hashes.
  const key = name.replace(/^(.{120}).*(.{120})$/, '$1$2');
  const file = `${dataFolders[generator]}${key}.json`;
  if (mentions.length === 0) return { file, text: null };
  const children = [...mentions].sort((a, b) => (a.received < b.received ? -1 : 1)).map(entryOf);
  return { file, text: `${JSON.stringify({ type: 'feed', url: pageUrl, children }, null, 2)}\n` };
}

function entryOf({ type, source, url, author, published, received, content, rsvp }: MentionRecord) {
  const link = asLink(url ?? source, source) ?? source;
  const authorUrl = author?.url === undefined ? undefined : asLink(author.url, source);
  const text = content?.value === undefined ? '' : excerpt(content.value, longestText);
  return {
    type: 'entry',
    url: link,
    'wm-source': source,
    'wm-property': type,
    'wm-received': received,
    author: {
      type: 'card',
      name: author?.name || new URL(source).hostname,
      ...(authorUrl && { url: authorUrl }),
    },
    ...(published !== undefined && { published }),
    ...(rsvp !== undefined && { rsvp }),
    ...(text !== '' && { content: { text } }),
  };
}

/**
 * Returns a snippet in Liquid. `filters`: Liquid filters that percent-encode a page's path, and write `/` as `--`.
 * `data`: the expression for the data files.
 */
const liquid = (filters: string, data: string) =>
  `{% assign key = page.url | ${filters} | remove: "." | remove: "%" | default: "home" %}
{% if key.size > 240 %}{% assign end = key | slice: -120, 120 %}{% assign key = key | slice: 0, 120 | append: end %}{% endif %}
{% assign found = ${data}[key] %}
{% if found %}
<ul class="mentions">
  {% for m in found.children %}
  <li><a href="{{ m.url | escape }}" rel="nofollow ugc">{{ m.author.name | escape }}</a>{% if m.content %}: {{ m.content.text | escape }}{% endif %}</li>
  {% endfor %}
</ul>
{% endif %}
`;

/** For each generator, the template that shows the mentions of a page, with all values escaped. `m` is one mention. */
const snippets: Readonly<Record<Generator, { readonly file: string; readonly text: string }>> = {
  hugo: {
    file: 'layouts/partials/mentions.html',
    text: `{{- $path := strings.TrimPrefix (urls.Parse site.BaseURL).Path (urls.Parse .Permalink).EscapedPath -}}
{{- $key := replaceRE "[^\\\\w-]" "" (replace (strings.TrimPrefix "/" $path) "/" "--") | default "home" -}}
{{- $key = replaceRE "^(.{120}).*(.{120})$" "$1$2" $key -}}
{{ with index (site.Data.mentions | default dict) $key }}
<ul class="mentions">
  {{ range .children }}
  <li><a href="{{ .url }}" rel="nofollow ugc">{{ .author.name }}</a>{{ with .content }}: {{ .text }}{{ end }}</li>
  {{ end }}
</ul>
{{ end }}
`,
  },
  jekyll: {
    file: '_includes/mentions.html',
    // The snippet encodes the path, because Jekyll percent-encodes the URLs that it makes from file names, but doesn't
    // encode permalinks. `uri_escape` doesn't encode a string twice.
    text: liquid('remove_first: "/" | uri_escape | replace: "/", "--"', 'site.data.mentions'),
  },
  eleventy: {
    file: '_includes/mentions.liquid',
    text: liquid('remove_first: "/" | url_encode | replace: "+", "%20" | replace: "%2F", "--"', 'mentions'),
  },
  astro: {
    file: 'src/components/Mentions.astro',
    text: `---
const files = import.meta.glob('../data/mentions/*.json', { eager: true });
const path = Astro.url.pathname.slice(import.meta.env.BASE_URL.length).replace(/^\\/+/, '');
const name = path.replaceAll('/', '--').replace(/[^\\w-]/g, '') || 'home';
const key = name.replace(/^(.{120}).*(.{120})$/, '$1$2');
const found = files[\`../data/mentions/\${key}.json\`];
---
{found && (
  <ul class="mentions">
    {found.default.children.map((m) => (
      <li><a href={m.url} rel="nofollow ugc">{m.author.name}</a>{m.content && <>: {m.content.text}</>}</li>
    ))}
  </ul>
)}
`,
  },
  zola: {
    file: 'templates/mentions.html',
    text: `{% set key = current_path | trim_start_matches(pat="/") | urlencode | replace(from="/", to="--") | regex_replace(pattern=\`[^\\w-]\`, rep="") | regex_replace(pattern="^(.{120}).*(.{120})$", rep="$1$2") %}
{% if key == "" %}{% set key = "home" %}{% endif %}
{% set found = load_data(path="data/mentions/" ~ key ~ ".json", required=false) %}
{% if found %}
<ul class="mentions">
  {% for m in found.children %}
  <li><a href="{{ m.url }}" rel="nofollow ugc">{{ m.author.name }}</a>{% if m.content %}: {{ m.content.text }}{% endif %}</li>
  {% endfor %}
</ul>
{% endif %}
`,
  },
  custom: {
    file: 'mentions.txt',
    text: 'Each page with mentions has a file: _data/mentions/<path of the page, with -- for />.json\nOf a name with more than 240 characters, only the first and the last 120 are used.\nIts mentions are in the list "children" (JF2).\n',
  },
};

/** The code that includes each snippet in a post's template. */
const includes: Readonly<Record<Generator, string>> = {
  hugo: '{{ partial "mentions.html" . }}',
  jekyll: '{% include mentions.html %}',
  eleventy: '{% include "mentions.liquid" %}',
  astro: '<Mentions />',
  zola: '{% include "mentions.html" %}',
  custom: '',
};

/** Returns the template that shows a page's mentions from its data file, and instructions for using it. */
export function snippetFor(generator: Generator): { file: string; text: string; words: string } {
  const { file, text } = snippets[generator];
  const include = includes[generator];
  const words =
    include === ''
      ? 'Read the data files with your generator.'
      : `Save this as ${file}, and put ${include} into the template of your posts.`;
  return { file, text, words };
}
