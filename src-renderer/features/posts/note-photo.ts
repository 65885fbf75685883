import { windowUploadBytes } from '../../../src-main/contract/media.ts';

/** A picture of a note that is being written. */
export interface NotePhoto {
  readonly id: string;
  readonly name: string;
  readonly file: File;
  /** The words that stand for it. */
  readonly alt: string;
  /** Where it is, once it was sent. */
  readonly url: string | null;
}

/** As many as one note holds (`posts.create`). */
const mostPhotos = 50;

/** The files that can be pictures of a note, and for the others why not. `already`: how many it has. */
export function takenFiles(
  files: readonly File[],
  already: number,
): { readonly taken: NotePhoto[]; readonly refused: string[] } {
  const taken: NotePhoto[] = [];
  const refused: string[] = [];
  for (const file of files) {
    const name = file.name.slice(0, 500) || 'photo';
    const slip = slipOf(file, name, already + taken.length);
    if (slip === undefined) taken.push({ id: newId(), name, file, alt: '', url: null });
    else refused.push(slip);
  }
  return { taken, refused };
}

function slipOf({ type, size }: File, name: string, count: number): string | undefined {
  if (!type.startsWith('image/')) return `“${name}” is not a picture.`;
  if (size === 0) return `“${name}” is empty.`;
  if (size > windowUploadBytes)
    return `“${name}” is larger than ${windowUploadBytes / 1_000_000} MB, the most that this window can send. Make it smaller, or post it with an app.`;
  if (count >= mostPhotos) return `“${name}” is one too many: a note holds ${mostPhotos} photos.`;
  return undefined;
}

let ids = 0;
function newId(): string {
  ids += 1;
  return `photo-${ids}`;
}
