import type { Client } from '../../client/client.ts';
import { listedPhotos, type Form, type FormPhoto } from './form.ts';
import { takenFiles, withMoved } from './photos.ts';
import { pictureMarkdown, uploadMark, withoutMark, withUploaded } from './text-insertion.ts';
import { createUploads } from './uploads.ts';
import type { PictureSession, Writing } from './writing.ts';

interface PhotoOptions {
  readonly call: Client['call'];
  readonly form: () => Form;
  readonly edit: (change: (form: Form) => Form) => void;
  /** Hears how far the uploads are, and which files were refused. */
  readonly put: (part: Partial<Pick<Writing, 'uploads' | 'refused'>>) => void;
}

/** Returns what the owner can do with the photos of a form, and their uploads. */
export function photoActions({ call, form, edit, put }: PhotoOptions) {
  const editPhotos = (change: (photos: readonly FormPhoto[]) => readonly FormPhoto[]) =>
    edit((old) => ({ ...old, photos: change(old.photos) }));
  const changePhoto = (id: string, next: Partial<FormPhoto>) =>
    editPhotos((photos) => photos.map((photo) => (photo.id === id ? { ...photo, ...next } : photo)));
  const find = (id: string) => form().photos.find((photo) => photo.id === id);
  /** Removes a photo from the form, but not its placeholder in the text. */
  function drop(id: string): void {
    uploads.forget(form().photos.filter((photo) => photo.id === id));
    editPhotos((photos) => photos.filter((photo) => photo.id !== id));
  }
  /** Puts a picture that is now uploaded in the place of its mark in the text. Returns false if it has none. */
  function placeInText(id: string, url: string): boolean {
    const { mark = null, alt = '' } = find(id) ?? {};
    if (mark === null) return false;
    drop(id);
    edit((old) => ({ ...old, text: withUploaded(old.text, mark, alt, url) }));
    return true;
  }
  const uploads = createUploads({
    call,
    photos: () => form().photos,
    change(id, next) {
      const isPlaced = next.url !== undefined && next.url !== null && placeInText(id, next.url);
      if (!isPlaced) changePhoto(id, next);
    },
    onProgress: (progress) => put({ uploads: progress }),
  });
  const actions: Omit<PictureSession, 'snapshot' | 'change' | 'edit'> = {
    addFiles(files) {
      const { taken, refused } = takenFiles(files, form().photos.length);
      put({ refused });
      editPhotos((photos) => [...photos, ...taken]);
      uploads.keep(taken);
      void uploads.start();
    },
    addToText(files) {
      const { taken, refused } = takenFiles(files, form().photos.length);
      put({ refused });
      const pictures = taken.map((photo) => ({ ...photo, mark: uploadMark(photo.name) }));
      editPhotos((photos) => [...photos, ...pictures]);
      uploads.keep(pictures);
      void uploads.start();
      return pictures.map(({ mark }) => mark);
    },
    takeForText(id) {
      const { url = null, alt = '' } = find(id) ?? {};
      if (url === null) return undefined;
      drop(id);
      return pictureMarkdown(alt, url);
    },
    changePhoto,
    movePhoto: (id, to) =>
      editPhotos((photos) =>
        withMoved(
          photos,
          photos.findIndex((photo) => photo.id === id),
          photos.findIndex((photo) => photo.id === listedPhotos(form())[to]?.id),
        ),
      ),
    removePhoto(id) {
      const mark = find(id)?.mark ?? null;
      drop(id);
      if (mark !== null) edit((old) => ({ ...old, text: withoutMark(old.text, mark) }));
    },
    retryPhoto(id) {
      changePhoto(id, { failure: null });
      void uploads.start();
    },
  };
  return { actions, uploads };
}
