import { createHash } from 'node:crypto';
import type { ImportSample, SkippedPart } from '../contract/post-import.ts';
import { importRefusal, limitedPost, sampleOf } from './conversion.ts';
import { damagedPost, tooLong } from './formats/reader.ts';
import { firstWords, type Finding, type FoundExtra, type FoundPost } from './found-post.ts';

/** A post that can be imported, as the thread that reads archives passes it to the main thread. Its size is limited. */
export interface ItemToImport {
  readonly post: FoundPost;
  /** A hash of the post's key, which identifies the post in the journals. */
  readonly key: string;
  /** The keys under which earlier imports may have recorded the post, because it had other paths then. */
  readonly formerKeys: readonly string[];
  /** The post's name or first words, to identify it in a message. */
  readonly what: string;
  readonly sample: ImportSample;
}

/** A result of reading an archive, as the thread passes it to the main thread. */
export type ArchiveItem =
  | ItemToImport
  | { readonly extra: FoundExtra }
  | { readonly skipped: SkippedPart; readonly count?: number | undefined; readonly isPost: boolean };

const longestWords = 300;

/** Checks, limits and converts a finding. Called in the thread that reads archives. */
export function archiveItem(finding: Finding): ArchiveItem {
  try {
    return converted(finding);
  } catch (error) {
    // The stack or a string would have become too long.
    if (!(error instanceof RangeError && 'post' in finding)) throw error;
    return { skipped: { what: wordsOf(finding.post), why: damagedPost }, isPost: true };
  }
}

function converted(finding: Finding): ArchiveItem {
  if ('extra' in finding) return finding;
  if ('skipped' in finding) {
    const { skipped, count, isPost = false } = finding;
    return { skipped: { ...skipped, what: skipped.what.slice(0, longestWords) }, count, isPost };
  }
  const { post: found } = finding;
  const what = wordsOf(found);
  const refusal = importRefusal(found);
  if (refusal !== undefined) return { skipped: { what, why: refusal }, isPost: true };
  const post = limitedPost(found);
  const sample = sampleOf(post);
  if (!sample) return { skipped: { what, why: tooLong }, isPost: true };
  const { path, former = [] } = found.exported ?? {};
  const formerKeys = former.map((one) => keyOf({ key: found.key.replace(` ${path} `, ` ${one} `) }));
  return { post, key: keyOf(found), formerKeys, what, sample };
}

const wordsOf = ({ name, text, key }: FoundPost) =>
  (name ?? (firstWords(text) || key)).slice(0, longestWords);

const keyOf = (post: Pick<FoundPost, 'key'>) =>
  createHash('sha256').update(post.key).digest('base64url').slice(0, 22);

/** Returns about how many characters an item has. */
export function sizeOf(item: ArchiveItem): number {
  if ('extra' in item) return JSON.stringify(item.extra).length;
  if (!('post' in item)) return 500;
  const { text, media, exported } = item.post;
  return 500 + text.length + media.length * 1000 + (exported ? JSON.stringify(exported).length : 0);
}
