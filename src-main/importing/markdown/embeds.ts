import { escapedHtml } from '../html.ts';
import { videoSites } from '../unshown.ts';

/** The arguments of a tag or shortcode: those with a name, and the others in order. */
export interface TagArguments {
  readonly named: Readonly<Record<string, string>>;
  readonly listed: readonly string[];
}

/**
 * Reads arguments such as `"a" b key="c" key=d`. `valueOf`: returns the value of an argument without quotes; undefined
 * to use it as text.
 */
export function tagArguments(
  text: string,
  valueOf: (name: string) => string | undefined = () => undefined,
): TagArguments {
  const named: Record<string, string> = Object.create(null) as Record<string, string>;
  const listed: string[] = [];
  for (const [, key, ...found] of text.matchAll(
    /(?:([\w.-]{1,100})(?:\s{0,5}=\s{0,5}|:\s{1,5})(?=["'`\w/.@]))?(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`|([^\s,"'`]+))/g,
  )) {
    const [double, single, raw, bare = ''] = found as (string | undefined)[];
    const quoted = double ?? single;
    const value = quoted?.replace(/\\(["'\\])/g, '$1') ?? raw ?? valueOf(bare) ?? bare;
    if (key === undefined) listed.push(value);
    else named[key.toLowerCase()] = value;
  }
  return { named, listed };
}

/** The pages that site generators and themes show inside a post: their tags, and the URL for an id. */
const pages: readonly (readonly [RegExp, (id: string) => string])[] = [
  [/^youtube(?:[-_]?(?:video|player|lite|embed|enhanced))?$/, (id) => videoSites.youtube.page + id],
  [/^vimeo(?:[-_]?(?:simple|video|player|enhanced))?$/, (id) => videoSites.vimeo.page + id],
  [/^instagram(?:_simple)?$/, (id) => `https://www.instagram.com/p/${id}/`],
  [/^slideshare$/, (id) => `https://www.slideshare.net/slideshow/embed_code/${id}`],
  [/^speakerdeck$/, (id) => `https://speakerdeck.com/player/${id}`],
];

/**
 * Returns the HTML for a tag that many site generators and themes have: a figure, a video, or another page that is shown
 * inside the post. Returns undefined for other tags, and if the tag names no file or page.
 */
export function embedded(name: string, { named, listed }: TagArguments): string | undefined {
  const [first = ''] = listed;
  const kind = name.toLowerCase().replace(/\.html?$/, '');
  if (/^(?:(?:responsive|lazy|local)[-_]?)?(?:figure|fig|img|image|imgh?|picture|photo)s?$/.test(kind))
    return figure(named, listed);
  const id = named['id'] ?? named['video'] ?? named['video_id'] ?? named['v'] ?? first;
  const url = [named['url'], named['src'], named['href'], id].find((text) =>
    /^https?:\/\//i.test(text ?? ''),
  );
  if (url !== undefined) return pageLink(url, named['text'] ?? named['title'] ?? named['label']);
  const page = pages.find(([tag]) => tag.test(kind));
  if (page) return id === '' ? undefined : pageLink(page[1](encodeURIComponent(id)));
  if (kind === 'gist') {
    const path = listed.slice(0, 2).join('/');
    return /^[\w.-]+(?:\/[\w.-]+)*$/.test(path) ? pageLink(`https://gist.github.com/${path}`) : undefined;
  }
  if (/^(?:tweet|twitter|x|twitter_simple|x_simple)$/.test(kind)) {
    const user = named['user'] ?? 'i/web';
    return /^\d+$/.test(id) ? pageLink(`https://twitter.com/${user}/status/${id}`) : undefined;
  }
  return undefined;
}

/** Returns a link; undefined if the URL isn't valid. */
function pageLink(url: string, words?: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  // HTML also works inside other HTML, where Markdown would be text.
  const { href } = new URL(url);
  return `<a href="${escapedHtml(href)}">${escapedHtml(words ?? href)}</a>`;
}

function figure(named: TagArguments['named'], listed: TagArguments['listed']): string | undefined {
  const first = (...names: string[]) => names.map((name) => named[name]).find((value) => value !== undefined);
  // Octopress writes a class before the picture, and its size after it.
  const files = listed.filter((word) => /[./]/.test(word));
  const src =
    first('src', 'url', 'file', 'image', 'path', 'image_path', 'img', 'filename', 'name') ?? files[0];
  if (src === undefined || src === '') return undefined;
  const words = listed.slice(listed.indexOf(src) + 1).filter((word) => !/^\d+(?:px|%)?$/.test(word));
  const caption = [first('title'), first('caption', 'description', 'attr')]
    .filter((text) => text !== undefined && text !== '')
    .join(' ');
  const alt = first('alt', 'alttext') ?? (listed.includes(src) ? (words.at(-1) ?? '') : caption);
  const picture = `<img src="${escapedHtml(src)}" alt="${escapedHtml(alt)}">`;
  const link = named['link'] ?? named['href'];
  const shown = link === undefined ? picture : `<a href="${escapedHtml(link)}">${picture}</a>`;
  if (caption === '') return shown;
  return `<figure>${shown}<figcaption>${escapedHtml(caption)}</figcaption></figure>`;
}

/**
 * Returns code as a block. `before`: the text before it, which ends with the indentation of the block's first line.
 * `language`: the language and options, as after ```.
 */
export function codeBlock(code: string, language: string, before: string): string {
  const longest = (code.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const indent = /^[ \t]*$/.test(line) ? line : '';
  const name = /^[\w+#.-]{1,50}/.exec(language.trim())?.[0] ?? '';
  const lines = code.replace(/^[ \t]*\n|\n[ \t]*$/g, '').split('\n');
  const isIndented = indent === '' || lines.every((each) => each.startsWith(indent) || each.trim() === '');
  const content = (isIndented ? lines : lines.map((each) => indent + each)).join('\n');
  const start = indent === line ? '' : `\n\n${indent}`;
  return `${start}${fence}${name}\n${content}\n${indent}${fence}\n`;
}
