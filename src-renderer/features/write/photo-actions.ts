import type { Client } from '../../client/client.ts';
import type { Form, FormPhoto } from './form.ts';
import { takenFiles, withMoved } from './photos.ts';
import { createUploads } from './uploads.ts';
import type { Writing, WritingSession } from './writing.ts';

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
  const uploads = createUploads({
    call,
    photos: () => form().photos,
    change: changePhoto,
    onProgress: (progress) => put({ uploads: progress }),
  });
  const actions: Pick<
    WritingSession,
    'addFiles' | 'changePhoto' | 'movePhoto' | 'removePhoto' | 'retryPhoto'
  > = {
    addFiles(files) {
      const { taken, refused } = takenFiles(files, form().photos.length);
      put({ refused });
      editPhotos((photos) => [...photos, ...taken]);
      uploads.keep(taken);
      void uploads.start();
    },
    changePhoto,
    movePhoto: (id, to) =>
      editPhotos((photos) =>
        withMoved(
          photos,
          photos.findIndex((photo) => photo.id === id),
          to,
        ),
      ),
    removePhoto(id) {
      uploads.forget(form().photos.filter((photo) => photo.id === id));
      editPhotos((photos) => photos.filter((photo) => photo.id !== id));
    },
    retryPhoto(id) {
      changePhoto(id, { failure: null });
      void uploads.start();
    },
  };
  return { actions, uploads };
}
