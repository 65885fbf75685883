import type { PostHome } from '../contract/posts.ts';
import { decoded, type HostFormat, sitePath } from '../posts/files/addresses.ts';

/** The URLs of a post: its current URL (for a deleted post, its last URL) and all earlier URLs. */
type Addresses = Pick<PostHome, 'url' | 'former'>;

/** The posts whose old URLs need a line in the redirects file. */
export interface LeftPages {
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
