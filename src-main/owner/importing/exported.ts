import { Type, type Static } from 'typebox';
import type { SitePage } from '../../contract/settings.ts';
import { closed } from '../../contract/shapes.ts';
import type { NewMention } from '../../mentions/mention-store.ts';
import type { EarlierContent } from '../../micropub/post-document.ts';
import type { PostContent } from '../../micropub/post-store.ts';
import type { FoundMedia } from './found-post.ts';

/** What an export of Porchlight says about a post besides the parts that every archive has. */
export interface ExportedPost {
  /** The post's path on the server that made the export. */
  readonly path: string;
  /** The paths from which the post has moved. */
  readonly former: readonly string[];
  readonly createdAt: string;
  readonly content: PostContent;
  readonly earlier: EarlierContent;
}

/** A mention in an export of Porchlight. */
export interface FoundMention {
  /** What anybody may say about a mention: its source, target and content. All of it is cleaned. */
  readonly mention: Omit<NewMention, 'status'>;
  /** The path of the target if the target is on the site of the export. */
  readonly path?: string | undefined;
  /** What only the owner and the owner's server may say. It counts only if the export is the owner's own. */
  readonly own: Pick<NewMention, 'status'> & Partial<NewMention>;
}

/** A page of the owner's site in an export of Porchlight, and the files in its text. */
export interface FoundPage {
  readonly page: SitePage;
  readonly media: readonly FoundMedia[];
}

/** A part of an export that isn't a post. */
export type FoundExtra =
  | { readonly mention: FoundMention }
  | { readonly page: FoundPage }
  /** A file that may belong to no post. */
  | { readonly file: FoundMedia };

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
