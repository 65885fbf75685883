import { windowUploadBytes } from '../../../src-main/contract/media.ts';
import { newFormId, type FormPhoto } from './form.ts';
import type { WaitingPhoto } from './unsaved.ts';
import { photoWords } from './words.ts';

/** The limit of the contract. */
const mostPhotos = 100;
/** The most files that a message names. */
const mostNamed = 5;

/**
 * Returns the files that a post can show, and sentences for the owner about the other files. Takes none of the pictures
 * if they are too many. `already`: the number of photos that the post has.
 */
export function takenFiles(
  files: readonly File[],
  already: number,
): { readonly taken: FormPhoto[]; readonly refused: string[] } {
  const taken: FormPhoto[] = [];
  const refused: string[] = [];
  for (const file of files) {
    const name = file.name.slice(0, 500) || photoWords.unnamed;
    const refusal = refusalOf(file, name);
    if (refusal === undefined) taken.push(newPhoto(name, { file }));
    else refused.push(refusal);
  }
  if (already + taken.length > mostPhotos)
    return { taken: [], refused: [photoWords.tooMany(taken.length, already, mostPhotos)] };
  const more = refused.length - mostNamed;
  return { taken, refused: more > 0 ? [...refused.slice(0, mostNamed), photoWords.more(more)] : refused };
}

const newPhoto = (name: string, part: Partial<FormPhoto>): FormPhoto => ({
  id: newFormId(),
  name,
  file: null,
  kept: null,
  alt: '',
  url: null,
  failure: null,
  property: null,
  mark: null,
  ...part,
});

/** Returns the photos that the server doesn't have yet, and that this browser keeps. */
export function waitingIn(photos: readonly FormPhoto[]): WaitingPhoto[] {
  return photos.flatMap(({ kept, url, name, alt, mark }, index) =>
    kept === null || url !== null ? [] : [{ kept, name, alt, index, ...(mark !== null && { mark }) }],
  );
}

/** Returns the photos with those that wait, each at its place. */
export function withWaitingPhotos(
  photos: readonly FormPhoto[],
  waiting: readonly WaitingPhoto[],
): readonly FormPhoto[] {
  const all = [...photos];
  for (const { index, name, kept, alt, mark = null } of waiting)
    all.splice(index, 0, newPhoto(name, { kept, alt, mark }));
  return all;
}

function refusalOf({ type, size }: File, name: string): string | undefined {
  if (!type.startsWith('image/')) return photoWords.notPicture(name);
  if (size === 0) return photoWords.empty(name);
  return size > windowUploadBytes ? photoWords.tooLarge(name, windowUploadBytes / 1_000_000) : undefined;
}

/** Returns the photos with one of them moved to another place. */
export function withMoved(photos: readonly FormPhoto[], from: number, to: number): readonly FormPhoto[] {
  const photo = photos[from];
  if (photo === undefined || to < 0 || to >= photos.length) return photos;
  return photos.toSpliced(from, 1).toSpliced(to, 0, photo);
}
