import { type HostFormat, decoded, sitePath } from '../../posts/files/addresses.ts';
import { sha256 } from '../../storage/file-facts.ts';
import type { FolderTarget } from './folder-target.ts';
import { entryId, type Outcome, type Publisher, type PublishingEntry } from './publisher.ts';
import type { PostHome } from '../../contract/posts.ts';

interface IntendedFile {
  /** The path of the file, relative to the folder. */
  readonly file: string;
  /** The intended text of the file; null removes the file. */
  readonly text: string | null;
}

/**
 * Creates the publisher of the data files with mentions, which only Porchlight writes. It overwrites the files even if
 * they were changed. All files of an attempt are written as one change. `target`: returns the folder to write to.
 * `fileOf`: returns the intended state of an entry's file.
 */
export function createMentionsPublisher(
  target: () => FolderTarget,
  fileOf: (entry: PublishingEntry) => Promise<IntendedFile>,
): Publisher {
  return {
    name: 'mentions',
    batch: { all: 1000, news: 1000 },

    async publish(entries) {
      const outcomes = new Map<string, Outcome>(entries.map((entry) => [entryId(entry), { kind: 'done' }]));
      const intended: IntendedFile[] = [];
      for (const entry of entries) intended.push(await fileOf(entry));
      const folder = target();
      const found = await folder.hashes(intended.map(({ file }) => file));
      const changed = intended.filter(
        ({ file, text }) => (found.get(file) ?? null) !== (text === null ? null : sha256(text)),
      );
      if (changed.length === 0) return outcomes;
      const contents = changed.map(({ file, text }) => [file, text === null ? null : { text }] as const);
      const message = `Update the mentions of ${changed.length === 1 ? 'a page' : `${changed.length} pages`}`;
      await folder.write([{ files: new Map(contents), message }]);
      return outcomes;
    },
  };
}

interface RedirectPublisherDeps {
  /** Returns the folder to write to. */
  readonly target: () => FolderTarget;
  /** Returns the pages that need a line in a redirects file. */
  readonly left: () => Promise<LeftPages>;
  /** Returns the format of a redirects file; undefined if the site's host doesn't read the file. */
  readonly formatOf: (file: string) => Promise<HostFormat | undefined>;
  readonly baseUrl: () => string;
}

/**
 * Creates the publisher of the redirects file, which tells the site's host about moved and deleted posts. An entry's
 * key is the name of the file (`_redirects`, `.htaccess`). The file belongs to the owner: Porchlight changes only its
 * own lines, and writes nothing if the owner has removed the file.
 */
export function createRedirectPublisher(deps: RedirectPublisherDeps): Publisher {
  const { target, left, formatOf, baseUrl } = deps;

  return {
    name: 'redirects',
    batch: { all: 1, news: 1 },

    async publish(entries) {
      const outcomes = new Map<string, Outcome>(entries.map((entry) => [entryId(entry), { kind: 'done' }]));
      for (const { key: file } of entries) {
        const folder = target();
        const before = await folder.text(file);
        const format = before === null ? undefined : await formatOf(file);
        if (before === null || format === undefined) continue;
        const text = withRedirects(before, await left(), baseUrl(), format);
        if (text === before) continue;
        const expected = new Map([[file, sha256(before)]]);
        await folder.write([
          { files: new Map([[file, { text }]]), expected, message: 'List the pages that posts have left' },
        ]);
      }
      return outcomes;
    },
  };
}

/** The URLs of a post: its current URL (for a deleted post, its last URL) and all earlier URLs. */
type Addresses = Pick<PostHome, 'url' | 'former'>;

/** The posts whose old URLs need a line in the redirects file. */
interface LeftPages {
  /** Posts that are live at a new URL. */
  readonly moved: readonly Addresses[];
  /** Posts that were deleted. */
  readonly gone: readonly Addresses[];
  /** Paths of the host that are redirected to the same paths at another origin, with any query; none if absent. */
  readonly bridged?: { readonly paths: readonly string[]; readonly to: string };
}

const begin =
  '# Porchlight: posts that have moved or were deleted. Porchlight replaces these lines, and leaves the others alone.';
const end = '# Porchlight: end';
/**
 * The maximum number of lines that Porchlight writes. Hosts limit the total number of lines in the file, including the
 * owner's own lines. GitLab Pages allows 1000.
 */
const mostLines = 900;

/**
 * Returns a host's redirects file with a line for each old URL of a moved or deleted post. Keeps the owner's lines.
 * `text`: the current text of the file.
 */
export function withRedirects(
  text: string,
  { moved, gone, bridged }: LeftPages,
  baseUrl: string,
  format: HostFormat,
): string {
  const { movedLine, goneLine, bridgedLine, around } = formats[format];
  const isHere = (url: string) => sitePath(url, baseUrl) !== undefined;
  const lines = [
    ...(bridged?.paths ?? []).map((path) => bridgedLine(path, new URL(path, bridged?.to).href)),
    ...moved.flatMap(({ url, former }) =>
      former
        .filter((old) => isHere(old) && isHere(url) && decodedPath(old) !== decodedPath(url))
        .flatMap((old) => movedLine(old, url) ?? []),
    ),
    ...gone.flatMap(({ url, former }) =>
      [url, ...former].filter(isHere).flatMap((old) => goneLine(old) ?? []),
    ),
  ];
  const rest = withoutBlock(text);
  if (lines.length === 0) return rest;
  // Porchlight's lines come first, because hosts use the first line that matches, and the owner's lines may match every
  // URL.
  return `${[begin, ...around(lines.slice(0, mostLines)), end].join('\n')}\n${rest}`;
}

function withoutBlock(text: string): string {
  const from = text.startsWith(begin) ? 0 : text.indexOf(`\n${begin}`) + 1;
  if (!text.startsWith(begin, from)) return text;
  const to = text.indexOf(`\n${end}`, from);
  if (to === -1) return text;
  return text.slice(0, from) + text.slice(to + 1 + end.length).replace(/^\r?\n/, '');
}

interface Format {
  /** Returns the line for a moved page; undefined if the format can't redirect between these URLs. */
  readonly movedLine: (from: string, to: string) => string | undefined;
  /** Returns the line for a deleted page; undefined if the format has no such line. */
  readonly goneLine: (url: string) => string | undefined;
  /** Returns the line for a path that is redirected to another host. Hosts add the request's query. */
  readonly bridgedLine: (path: string, to: string) => string;
  readonly around: (lines: readonly string[]) => readonly string[];
}

/** Returns the path of a URL, and encodes the characters that are special in `_redirects` rules. */
const pathOf = (url: string) =>
  new URL(url).pathname.replace(/[*:]/g, (sign) => (sign === '*' ? '%2A' : '%3A'));

const redirects: Format = {
  movedLine: (from, to) => `${pathOf(from)} ${pathOf(to)} 301`,
  goneLine: () => undefined,
  bridgedLine: (path, to) => `${path} ${to} 301`,
  around: (lines) => lines,
};

const formats: Readonly<Record<HostFormat, Format>> = {
  redirects,
  // With this line, Netlify responds with the page `/404.html` and the status 410.
  netlify: { ...redirects, goneLine: (url) => `${pathOf(url)} /404.html 410` },
  apache: {
    movedLine(from, to) {
      const target = decodedPath(to);
      if (/[\p{Cc}?#]/u.test(target)) return undefined;
      // Apache replaces `$1` and `&` in the target, so `$` and `&` must be escaped. It percent-encodes the target itself.
      return `RedirectMatch 301 "${patternOf(from)}" "${target.replace(/[\\"$&]/g, '\\$&')}"`;
    },
    goneLine: (url) => `RedirectMatch gone "${patternOf(url)}"`,
    bridgedLine: (path, to) => `RedirectMatch 301 "${patternOf(to)}" "${to}"`,
    // With this condition, the lines apply only if no file or folder exists at the URL. Other hosts have this rule by
    // default.
    around: (lines) => ['<If "! -e %{REQUEST_FILENAME}">', ...lines, '</If>'],
  },
};

const decodedPath = (url: string) => decoded(new URL(url).pathname);

/** Returns a regular expression that matches exactly one page. Apache applies it to the decoded path. */
function patternOf(url: string): string {
  const literal = decodedPath(url).replace(/[^\p{L}\p{N}/_-]/gu, (sign) =>
    [...Buffer.from(sign)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  );
  return literal.endsWith('/') ? `^${literal.slice(0, -1)}(?:/(?:index\\.html)?)?$` : `^${literal}$`;
}
