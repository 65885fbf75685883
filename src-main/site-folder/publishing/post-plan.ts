import { stat } from 'node:fs/promises';
import type { Post, PostHome } from '../../contract/posts.ts';
import { isReadable } from '../../posts/visibility.ts';
import { sha256, sha256OfFile } from '../../storage/file-facts.ts';
import type { PostAtHome } from '../../posts/files/live-mark.ts';
import type { FileContent } from '../git/git-commits.ts';
import type { FolderChange } from '../git/git-committing.ts';
import type { PublishingEntry } from './publisher.ts';

/** The file of a post in the owner's folder. */
export interface WrittenPost {
  /** The path of the file, relative to the folder. */
  readonly file: string;
  readonly text: string;
  /** The media files of the post. `path`: the path on this server. `file`: the path relative to the folder. */
  readonly media: readonly { readonly path: string; readonly file: string }[];
  /** A title for the post, for use in the git history. */
  readonly title: string;
}

export interface PlanDeps {
  readonly fileOf: (post: PostAtHome) => Promise<WrittenPost>;
  /** Returns the local path of a media file; undefined if it was deleted. `path`: `/media/...`. */
  readonly mediaFile: (path: string) => Promise<string | undefined>;
  readonly now: () => number;
}

/** The files that a post should have, and the files to remove. */
export interface Plan {
  readonly entry: PublishingEntry;
  readonly post: Post;
  readonly home: PostHome;
  /** The files that earlier attempts were about to write, with their SHA-256. */
  readonly writing: PublishingEntry['writing'];
  /** Files that the plan doesn't change, because they belong to the owner or are used by another post. */
  readonly leaves: Set<string>;
  readonly files: ReadonlyMap<string, FileContent>;
  readonly hashes: Readonly<Record<string, string>>;
  readonly message: string;
  /** The total size of the files, in bytes. */
  readonly bytes: number;
}

/** Returns a plan for a post's files; undefined for a post without a location (`home`) on the owner's own site. */
export async function planFor(
  { fileOf, mediaFile, now }: PlanDeps,
  entry: PublishingEntry,
  post: Post | undefined,
): Promise<Plan | undefined> {
  if (post?.home === undefined) return undefined;
  const { home } = post;
  const common = { entry, post, home, writing: entry.writing, leaves: new Set<string>() };
  const isNew = Object.keys(home.written).length === 0;
  if (!isReadable(post, now()))
    return { ...common, files: new Map(), hashes: {}, message: `Remove ${home.file}`, bytes: 0 };
  const { file, text, media, title } = await fileOf({ ...post, home });
  const files = new Map<string, FileContent>([[file, { text }]]);
  const hashes: Record<string, string> = { [file]: sha256(text) };
  let bytes = Buffer.byteLength(text);
  for (const one of media) {
    const copyOf = await mediaFile(one.path);
    if (copyOf === undefined) continue;
    files.set(one.file, { copyOf });
    hashes[one.file] = await sha256OfFile(copyOf);
    bytes += (await stat(copyOf)).size;
  }
  const message = `${isNew ? 'Publish' : 'Update'} ${JSON.stringify(title)}`;
  return { ...common, files, hashes, message, bytes };
}

/** Returns the names of the files that a plan changes. */
export const changedBy = (plan: Plan) => [...touched(plan)].filter((file) => !plan.leaves.has(file));

/** Returns the files that a plan writes or removes. Includes the files that an earlier attempt may have written. */
export const touched = ({ files, home, writing }: Plan) =>
  new Set([...files.keys(), ...Object.keys(home.written), ...Object.keys(writing)]);

/**
 * Returns the new `home` (location on the owner's site) of a post whose files were written or removed. `written`: the
 * hashes of the files; empty if they were removed.
 */
export function homeAfter(
  { url, file, former, liveAt }: PostHome,
  post: Post,
  written: Plan['hashes'],
): PostHome {
  const place = { url, file, former, written: { ...written } };
  return Object.keys(written).length === 0
    ? { ...place, liveAt: null }
    : { ...place, writtenFrom: post.updatedAt, liveAt };
}

/** Returns whether somebody else wrote a file's current content, and the owner hasn't chosen to replace it. */
export function isForeign(
  { entry, home, hashes, writing }: Plan,
  file: string,
  found: string | null,
): boolean {
  if (found === null || entry.replace) return false;
  return ![home.written[file], hashes[file], ...(writing[file] ?? [])].includes(found);
}

/**
 * Returns whether a plan writes a file, or Porchlight is known to have written the file earlier. A file that an
 * interrupted attempt was only about to write doesn't count, because it may belong to the owner.
 */
export const isNeeded = ({ files, home }: Plan, file: string) => files.has(file) || file in home.written;

/**
 * Returns the changes to make so that all files have their intended content. The posts that aren't announced (`quiet`)
 * share one change, so that publishing them makes only one commit. `found`: the current hashes of the files.
 */
export function changesOf(plans: readonly Plan[], found: ReadonlyMap<string, string | null>): FolderChange[] {
  /** The hashes of the files after the changes so far. */
  const now = new Map(found);
  const changeOf = (some: readonly Plan[], message: string): FolderChange => {
    const files = new Map<string, FileContent | null>();
    const expected = new Map<string, string | null>();
    for (const plan of some)
      for (const file of changedBy(plan)) {
        files.set(file, plan.files.get(file) ?? null);
        expected.set(file, now.get(file) ?? null);
      }
    for (const plan of some) for (const file of changedBy(plan)) now.set(file, plan.hashes[file] ?? null);
    return { files, expected, message };
  };
  const news = plans.filter(({ entry }) => !entry.quiet);
  const others = plans.filter(({ entry }) => entry.quiet);
  const changes = news.map((plan) => changeOf([plan], plan.message));
  if (others.length === 0) return changes;
  const message = others.length === 1 ? (others[0]?.message ?? '') : `Publish ${others.length} posts`;
  return [...changes, changeOf(others, message)];
}
