import { Type, type Static } from 'typebox';
import { closed } from '../contract/shapes.ts';

/** The maximum length of an exported post as JSON, in characters. */
export const longestExported = 5_000_000;

/** The content of `porchlight/export.json`. */
export const ExportNote = closed({ format: Type.Integer({ minimum: 1 }), base: Type.String() });
export type ExportNote = Static<typeof ExportNote>;

const filePath = String.raw`/media/\d{4}/(?:0[1-9]|1[0-2])/[A-Za-z0-9_-][A-Za-z0-9._-]*`;
const link = new RegExp(String.raw`(https?://[^\s/"'<>()\\]+)?(${filePath})`, 'g');

/** Returns the paths of uploaded files (`/media/...`) in a text, whatever server they are on. */
export function filePathsIn(text: string): Set<string> {
  // A period at the end belongs to the sentence, not to the file name.
  return new Set([...text.matchAll(link)].map(([, , path = '']) => path.replace(/\.+$/, '')));
}

/**
 * Replaces the links to uploaded files in all strings of a value. `urls`: the new URLs, by the files' paths in the
 * export. A path without a host stays one.
 */
export function withFilesAt<T>(value: T, urls: ReadonlyMap<string, string>): T {
  if (urls.size === 0) return value;
  return replacedIn(value, (text) =>
    text.replace(link, (whole, origin: string | undefined, path: string) => {
      const [, name = '', end = ''] = /^(.*?)(\.*)$/.exec(path) ?? [];
      const url = urls.get(name);
      if (url === undefined) return whole;
      return (origin === undefined ? new URL(url).pathname : url) + end;
    }),
  ) as T;
}

function replacedIn(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((one) => replacedIn(one, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replacedIn(one, replace)]));
}
