import { escapedHtml, videoSites } from '../html.ts';

/** A tag of a template language in a text. */
interface TemplateTag {
  readonly kind: 'output' | 'tag';
  /** The tag as it is in the text. */
  readonly source: string;
  /** The code between its delimiters, trimmed. */
  readonly code: string;
  /** Where the tag begins in the text. */
  readonly at: number;
}

/** The delimiters of a template language: the end for each start. */
export type Delimiters = Readonly<
  Record<string, { readonly end: string; readonly kind: TemplateTag['kind'] }>
>;

/** The maximum length of a tag. Longer text between delimiters isn't template code. */
const longestTag = 5000;

/**
 * Finds the tags in a text. Callers must ask for later and later positions. So the time is proportional to the length of
 * the text, also if the text has many starts without an end.
 */
export function tagReader(text: string, delimiters: Delimiters) {
  const starts = Object.keys(delimiters).sort((a, b) => b.length - a.length);
  const mark = new RegExp(starts.map((start) => start.replace(/[{%<]/g, '\\$&')).join('|'), 'g');
  const places = new Map<string, number>();

  /** Returns where a fixed text occurs, at `from` or later. */
  function find(what: string, from: number): number {
    const known = places.get(what) ?? -1;
    if (known >= from) return known;
    const found = text.indexOf(what, from);
    places.set(what, found === -1 ? Infinity : found);
    return places.get(what) ?? Infinity;
  }

  return {
    /** Returns the first tag at `from` or later. */
    next(from: number): TemplateTag | undefined {
      mark.lastIndex = from;
      for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
        const { 0: start, index } = found;
        const delimiter = delimiters[start];
        const inside = index + start.length;
        const end = delimiter === undefined ? Infinity : find(delimiter.end, inside);
        if (delimiter === undefined || end - inside > longestTag) continue;
        const source = text.slice(index, end + delimiter.end.length);
        return { kind: delimiter.kind, source, code: text.slice(inside, end).trim(), at: index };
      }
      return undefined;
    },
  };
}

/**
 * Finds the end tags of blocks. `pattern`: matches each end tag, with the name of its block as the first group. Callers
 * must ask for later and later positions.
 */
export function endTags(text: string, pattern: RegExp) {
  const ends = new Map<string, { readonly at: number; readonly end: number }[]>();
  for (const { 0: source, 1: name = '', index } of text.matchAll(pattern)) {
    const places = ends.get(name) ?? [];
    places.push({ at: index, end: index + source.length });
    ends.set(name, places);
  }
  // Last first, because removing the last element of an array takes the least time.
  for (const places of ends.values()) places.reverse();
  /** Returns the first end tag of a block at `from` or later. */
  return (name: string, from: number): { readonly at: number; readonly end: number } | undefined => {
    const places = ends.get(name) ?? [];
    while ((places.at(-1)?.at ?? Infinity) < from) places.pop();
    return places.at(-1);
  };
}

/** Returns a tag for a report: on one line, and not too long. */
export function tagInReport(source: string): string {
  const line = source.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** The arguments of a tag or shortcode: those with a name, and the others in order. */
export interface TagArguments {
  readonly named: Readonly<Record<string, string>>;
  readonly listed: readonly string[];
}

/**
 * Reads arguments such as `"a" b key="c" key=d key:"e"`. `valueOf`: returns the value of an argument without quotes; undefined
 * to use it as text.
 */
export function tagArguments(
  text: string,
  valueOf: (name: string) => string | undefined = () => undefined,
): TagArguments {
  const named: Record<string, string> = Object.create(null) as Record<string, string>;
  const listed: string[] = [];
  for (const [, key, ...found] of text.matchAll(
    /(?:([\w.-]{1,100})(?:\s{0,5}=\s{0,5}(?=["'`\w/.@])|:\s{1,5}(?=["'`\w/.@])|:(?=["'])))?(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`|([^\s,"'`]+))/g,
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

const figureTag = /^(?:(?:responsive|lazy|local)[-_]?)?(?:figure|fig|img|image|imgh?|picture|photo)s?$/;
const kindOf = (name: string) => name.toLowerCase().replace(/\.html?$/, '');

/**
 * Returns the HTML before and after the content of a tag that makes a figure of it. Returns undefined for other tags, and
 * if the tag names a file itself.
 */
export function figureAround(
  name: string,
  { named, listed }: TagArguments,
): { readonly start: string; readonly end: string } | undefined {
  if (!figureTag.test(kindOf(name)) || fileIn(named, listed) !== undefined) return undefined;
  const given = captionIn(named);
  const caption = given === '' ? (listed.at(-1) ?? '') : given;
  // Blank lines, so that the content is read as Markdown.
  const words = caption === '' ? '' : `<figcaption>${escapedHtml(caption)}</figcaption>`;
  return { start: '\n\n<figure>\n\n', end: `\n\n${words}</figure>\n\n` };
}

/**
 * Returns the HTML for a tag that many site generators and themes have: a figure, a video, or another page that is shown
 * inside the post. Returns undefined for other tags, and if the tag names no file or page.
 */
export function embedded(name: string, { named, listed }: TagArguments): string | undefined {
  const [first = ''] = listed;
  const kind = kindOf(name);
  if (figureTag.test(kind)) return figure(named, listed);
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

type Named = TagArguments['named'];
const firstOf = (named: Named, ...names: string[]) =>
  names.map((name) => named[name]).find((value) => value !== undefined);

const captionIn = (named: Named) =>
  [firstOf(named, 'title'), firstOf(named, 'caption', 'description', 'attr')]
    .filter((text) => text !== undefined && text !== '')
    .join(' ');

/** Returns the picture that a tag names. Octopress writes a class before it, and its size after it. */
function fileIn(named: Named, listed: TagArguments['listed']): string | undefined {
  const src =
    firstOf(named, 'src', 'url', 'file', 'image', 'path', 'image_path', 'img', 'filename', 'name') ??
    listed.find(isFileName);
  return src === '' ? undefined : src;
}

/** Returns whether an argument may be a file. One of several words is a file only if it ends as a picture's name does. */
const isFileName = (argument: string) =>
  /\s/.test(argument)
    ? /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i.test(argument)
    : /[^.]\.\w|\//.test(argument);

function figure(named: Named, listed: TagArguments['listed']): string | undefined {
  const src = fileIn(named, listed);
  if (src === undefined) return undefined;
  const words = listed.slice(listed.indexOf(src) + 1).filter((word) => !/^\d+(?:px|%)?$/.test(word));
  const caption = captionIn(named);
  const alt = firstOf(named, 'alt', 'alttext') ?? (listed.includes(src) ? (words.at(-1) ?? '') : caption);
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
  const longestRun = (code.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longestRun + 1);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const indent = /^[ \t]*$/.test(line) ? line : '';
  const name = /^[\w+#.-]{1,50}/.exec(language.trim())?.[0] ?? '';
  const lines = code.replace(/^[ \t]*\n|\n[ \t]*$/g, '').split('\n');
  const isIndented = indent === '' || lines.every((each) => each.startsWith(indent) || each.trim() === '');
  const content = (isIndented ? lines : lines.map((each) => indent + each)).join('\n');
  const start = indent === line ? '' : `\n\n${indent}`;
  return `${start}${fence}${name}\n${content}\n${indent}${fence}\n`;
}
