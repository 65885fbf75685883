import { writingKinds, type WritingKind } from '../../../src-main/contract/post-kinds.ts';
import type { PostText } from '../../../src-main/contract/writing.ts';
import { inTab } from '../../client/tab-storage.ts';
import { keepPost, takeKeptPosts } from './kept-posts.ts';

/** A photo that the server doesn't have yet. */
export interface WaitingPhoto {
  /** The name under which this browser keeps the file (kept-photos.ts). */
  readonly kept: string;
  readonly name: string;
  readonly alt: string;
  /** Its place among the photos of the post. */
  readonly index: number;
  /** Its placeholder in the text; absent for a photo in the list of photos. */
  readonly mark?: string;
}

/**
 * Text that is not on disk yet. This tab keeps it through a reload, and while the service is not running. The browser
 * keeps it through a crash.
 */
export interface Unsaved {
  readonly post: PostText;
  readonly kind: WritingKind;
  /** In the order of their places. */
  readonly waiting: readonly WaitingPhoto[];
  /** The version of the post that it changes; null for a new post. */
  readonly version: string | null;
  /** The `savedAt` of the edits on the server that it replaces; null if there are none. */
  readonly keptAt: string | null;
  /** When this tab kept it: ISO 8601. */
  readonly at: string;
}

const prefix = 'porchlight.unsaved ';

/** Returns the name of a post's unsaved text: the filters of its editor, as JSON. */
export const placeOf = (url: string) => JSON.stringify({ post: url });

/** Keeps the unsaved text of the post at `place`; null removes it. */
export function keepUnsaved(place: string, unsaved: Unsaved | null): void {
  keepInTab(place, unsaved);
  void keepPost(place, unsaved);
}

function keepInTab(place: string, unsaved: Unsaved | null): void {
  inTab((storage) =>
    unsaved === null
      ? storage.removeItem(prefix + place)
      : storage.setItem(prefix + place, JSON.stringify(unsaved)),
  );
}

let finding: Promise<void> | undefined;

/** Finds the unsaved text of windows that a crash has ended. Resolves when this tab has it. */
export function findUnsaved(): Promise<void> {
  finding ??= takeKeptPosts().then((posts) => {
    for (const { place, post } of posts) {
      const here = unsavedAt(place);
      if (!isUnsaved(post)) void keepPost(place, null);
      else if (here === null || here.at < post.at) keepInTab(place, post);
    }
  });
  return finding;
}

/** Returns the unsaved text of the post at `place`. */
export function unsavedAt(place: string): Unsaved | null {
  const kept = inTab((storage): unknown => JSON.parse(storage.getItem(prefix + place) ?? 'null'));
  return isUnsaved(kept) ? kept : null;
}

/** Returns the place of a post with unsaved text; null if there is none. */
export function placeOfUnsaved(): string | null {
  const names = inTab((storage) => Object.keys(storage)) ?? [];
  const places = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return places.find((place) => unsavedAt(place) !== null) ?? null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || isText(value);

/** Returns whether a value that was kept is a photo that the server doesn't have yet. */
export const isWaiting = (value: unknown): boolean =>
  isRecord(value) &&
  [value.kept, value.name, value.alt].every(isText) &&
  typeof value.index === 'number' &&
  (value.mark === undefined || isText(value.mark));

const isPhoto = (value: unknown) => isRecord(value) && isText(value.url) && isText(value.alt);

/** An older version of this page may have kept another form of it. */
function isUnsaved(value: unknown): value is Unsaved {
  if (!isRecord(value) || !isRecord(value.post)) return false;
  const { kind, version, keptAt, at, post, waiting } = value;
  const { photos, featured = [], categories, syndicateTo = [], ...texts } = post;
  return (
    writingKinds.some((name) => name === kind) &&
    isTextOrNull(version) &&
    isTextOrNull(keptAt) &&
    isText(at) &&
    Array.isArray(waiting) &&
    waiting.every(isWaiting) &&
    isText(texts.text) &&
    Object.values(texts).every(isText) &&
    [categories, syndicateTo].every((list) => Array.isArray(list) && list.every(isText)) &&
    [photos, featured].every((list) => Array.isArray(list) && list.every(isPhoto))
  );
}
