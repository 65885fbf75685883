import { type Static, Type } from 'typebox';
import { closed } from '../contract/shapes.ts';
import type { MentionStatus } from '../contract/webmentions.ts';
import { cleanMention } from '../mentions/clean-mention.ts';
import { newMentionOf } from '../mentions/import/raw-mention.ts';
import { decodedMention } from '../mentions/mention-table.ts';
import { type Mention, sourceUrl } from '../mentions/mention.ts';
import { hostOf } from '../platform/site-name.ts';
import { isRecord } from '../storage/json-value.ts';
import type { FoundMention } from './found-post.ts';

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

const statuses: readonly MentionStatus[] = ['approved', 'held', 'hidden', 'deleted', 'removed'];
/** Stands for the time of the import where the export states no time. The importer replaces times in the future. */
const unknownTime = new Date(8.64e15).toISOString();

/**
 * Reads a mention of `porchlight/mentions.json`. Cleans everything in it again, because anybody can write such a file.
 * Returns undefined if the mention is damaged. `base`: the address of the site of the export.
 * @throws PorchlightError `storage_newer` if a newer Porchlight has written it
 */
export function exportedMentionIn(value: unknown, base: string | undefined): FoundMention | undefined {
  const exported = decodedMention(value, 'mentions.json');
  if (exported === undefined) return undefined;
  const clean = cleanMention(exported);
  const { source, target, facts, received, parsed, private: isPrivate, comment, snapshot } = clean;
  return {
    mention: {
      source,
      target,
      facts,
      received,
      parsed,
      ...(isPrivate !== undefined && { private: isPrivate }),
      ...(comment && { comment }),
      ...(snapshot && { snapshot }),
    },
    path: pathOn(base, target),
    own: ownerPart(clean),
  };
}

/** Reads a mention of `porchlight/mentions.jf2.json`, which exports of older versions have alone. */
export function jf2MentionIn(record: unknown, base: string | undefined): FoundMention | undefined {
  if (!isRecord(record)) return undefined;
  const found = newMentionOf({ jf2: { 'wm-id': 0, ...record } }, unknownTime);
  if (found === undefined) return undefined;
  const { source, target, facts, received = unknownTime, parsed, private: isPrivate = false } = found;
  const status = statuses.find((one) => one === record['porchlight-status']) ?? 'held';
  // These exports state the source as the URL of a mention that has no URL of its own.
  const { url, ...others } = facts;
  const said = url === undefined || url === sourceUrl(undefined, found) ? others : facts;
  return {
    mention: { source, target, facts: said, received, parsed, ...(isPrivate && { private: true }) },
    path: pathOn(base, target),
    own: { status },
  };
}

/** Returns what counts only in an export of the owner's own. */
function ownerPart(clean: Mention): FoundMention['own'] {
  const { status, statusBefore, chosen, admission, takenBack, history, readAt, imported, wmId } = clean;
  return {
    status,
    ...(imported && { imported, wmId }),
    ...(admission && { admission }),
    ...(readAt !== undefined && { readAt }),
    earlier: {
      ...(statusBefore !== undefined && { statusBefore }),
      chosen,
      ...(takenBack !== undefined && { takenBack }),
      history,
    },
  };
}

/** Returns the path of a target on the site of the export, with its query and fragment; undefined for another site. */
function pathOn(base: string | undefined, target: string): string | undefined {
  if (base === undefined) return undefined;
  const url = new URL(target);
  if (hostOf(url) !== hostOf(new URL(base))) return undefined;
  return url.pathname + url.search + url.hash;
}
