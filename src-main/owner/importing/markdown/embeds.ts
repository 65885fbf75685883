import { escapedHtml } from '../html.ts';

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

/**
 * Returns the HTML for a tag that many site generators and themes have: a figure, a video, or another page
 * that is shown inside the post. Returns undefined for other tags, and if the tag names no file or page.
 */
export function embedded(name: string, { named, listed }: TagArguments): string | undefined {
  const [first = ''] = listed;
  const kind = name.toLowerCase().replace(/\.html?$/, '');
  const id = named['id'] ?? named['video'] ?? named['video_id'] ?? named['v'] ?? first;
  if (/^(?:(?:responsive|lazy|local)[-_]?)?(?:figure|fig|img|image|imgh?|picture|photo)s?$/.test(kind))
    return figure(named, listed);
  if (/^(?:youtube|youtube[-_]?(?:video|player|lite|embed|enhanced))$/.test(kind))
    return pageLink(id, (video) => `https://www.youtube.com/watch?v=${encodeURIComponent(video)}`);
  if (/^vimeo[-_]?(?:simple|video|player|enhanced)?$/.test(kind))
    return pageLink(id, (video) => `https://vimeo.com/${encodeURIComponent(video)}`);
  if (kind === 'gist') {
    const [user, gist] = listed;
    return pageLink(named['url'] ?? [user, gist].slice(0, 2).join('/').replace(/\/$/, ''), (path) =>
      /^[\w./-]+$/.test(path) ? `https://gist.github.com/${path}` : undefined,
    );
  }
  if (/^(?:tweet|twitter|x|twitter_simple|x_simple)$/.test(kind)) {
    const user = named['user'] ?? 'i';
    return pageLink(named['url'] ?? named['id'] ?? first, (tweet) =>
      /^\w+$/.test(tweet + user)
        ? `https://twitter.com/${user === 'i' ? 'i/web' : user}/status/${tweet}`
        : undefined,
    );
  }
  if (/^instagram(?:_simple)?$/.test(kind))
    return pageLink(id, (post) => `https://www.instagram.com/p/${encodeURIComponent(post)}/`);
  return undefined;
}

/** Returns a URL as a link. `urlOf`: returns the URL for an id that isn't a URL. */
function pageLink(id: string | undefined, urlOf: (id: string) => string | undefined): string | undefined {
  if (id === undefined || id === '') return undefined;
  const url = /^https?:\/\//i.test(id) ? id : urlOf(id);
  if (url === undefined || !URL.canParse(url)) return undefined;
  // HTML also works inside other HTML, where Markdown would be text.
  const { href } = new URL(url);
  return `<a href="${escapedHtml(href)}">${escapedHtml(href)}</a>`;
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
