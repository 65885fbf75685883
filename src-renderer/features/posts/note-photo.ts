import { windowUploadBytes } from '../../../src-main/contract/media.ts';
import { photoWords } from './words.ts';

/** A photo of the note that the owner is writing. */
export interface NotePhoto {
  readonly id: string;
  readonly name: string;
  readonly file: File;
  readonly alt: string;
  /** The address of the uploaded file; null before the upload. */
  readonly url: string | null;
}

/** The limit of the contract's `posts.create`. */
const mostPhotos = 50;

/**
 * Returns the files that a note can show, and a sentence for the owner for each of the other files. `already`: the
 * number of photos that the note has.
 */
export function takenFiles(
  files: readonly File[],
  already: number,
): { readonly taken: NotePhoto[]; readonly refused: string[] } {
  const taken: NotePhoto[] = [];
  const refused: string[] = [];
  for (const file of files) {
    const name = file.name.slice(0, 500) || photoWords.unnamed;
    const refusal = refusalOf(file, name, already + taken.length);
    if (refusal === undefined) taken.push({ id: newId(), name, file, alt: '', url: null });
    else refused.push(refusal);
  }
  return { taken, refused };
}

function refusalOf({ type, size }: File, name: string, count: number): string | undefined {
  if (!type.startsWith('image/')) return photoWords.notPicture(name);
  if (size === 0) return photoWords.empty(name);
  if (size > windowUploadBytes) return photoWords.tooLarge(name, windowUploadBytes / 1_000_000);
  if (count >= mostPhotos) return photoWords.tooMany(name, mostPhotos);
  return undefined;
}

let ids = 0;
function newId(): string {
  ids += 1;
  return `photo-${ids}`;
}
