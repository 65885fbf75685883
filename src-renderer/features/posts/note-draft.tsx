import { createContext, use, useState, type ReactElement, type ReactNode } from 'react';
import type { Params } from '../../../src-main/contract/contract.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { useAction } from '../../client/queries.ts';
import { base64Of } from '../../ui/file-content.ts';
import { stateWords } from '../../ui/words.ts';
import { takenFiles, type NotePhoto } from './note-photo.ts';
import { composerWords, photoWords } from './words.ts';

/** The unposted note. It lives as long as the window, so closing the form loses nothing. */
export interface NoteDraft {
  readonly content: string;
  readonly photos: readonly NotePhoto[];
  readonly categories: string[];
  readonly visibility: Params<'posts.create'>['visibility'];
  readonly status: Params<'posts.create'>['status'];
}

const emptyDraft: NoteDraft = {
  content: '',
  photos: [],
  categories: [],
  visibility: 'public',
  status: 'published',
};

interface NoteDesk {
  readonly draft: NoteDraft;
  /** Whether discarding the note would lose something. */
  readonly begun: boolean;
  /** The step in progress, for the owner to read; null while Porchlight isn't saving the note. */
  readonly progress: string | null;
  readonly error: Error | null;
  readonly change: (part: Partial<NoteDraft>) => void;
  /** Adds photos. Returns a sentence for each file that it refuses. */
  readonly addFiles: (files: readonly File[]) => string[];
  readonly changePhoto: (id: string, part: Partial<NotePhoto>) => void;
  readonly removePhoto: (photo: NotePhoto) => void;
  /** Uploads the remaining photos, then saves the note. Returns undefined after a failure, and keeps the draft. */
  readonly send: () => Promise<PostItem | undefined>;
  /** Discards the note and deletes the photos that were uploaded for it. */
  readonly discard: () => void;
}

const NoteContext = createContext<NoteDesk | null>(null);

/** Returns the note that the owner is writing. Throws PorchlightError outside of NoteDraftProvider. */
export function useNoteDraft(): NoteDesk {
  const desk = use(NoteContext);
  if (!desk) throw new PorchlightError('server_error', 'useNoteDraft needs a NoteDraftProvider.');
  return desk;
}

/** Keeps the unposted note while the owner moves between screens. */
export function NoteDraftProvider({ children }: { children: ReactNode }): ReactElement {
  const [draft, setDraft] = useState(emptyDraft);
  const [progress, setProgress] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const { mutateAsync: upload } = useAction('media.upload');
  const { mutate: deleteMedia } = useAction('media.delete');
  const { mutateAsync: create } = useAction('posts.create');

  const changePhoto = (id: string, part: Partial<NotePhoto>) =>
    setDraft((now) => ({
      ...now,
      photos: now.photos.map((photo) => (photo.id === id ? { ...photo, ...part } : photo)),
    }));

  const deleteUpload = ({ url }: NotePhoto) => {
    if (url !== null) deleteMedia({ url });
  };

  /** Browsers judge a file by its name; the service reads its content. */
  async function uploaded(name: string, file: File): Promise<string> {
    const { url, kind } = await upload({ name, data: await base64Of(file) });
    if (kind === 'image') return url;
    deleteMedia({ url });
    throw new PorchlightError('invalid_request', photoWords.falsePicture(name));
  }

  async function sendAll(): Promise<PostItem> {
    const photos: Params<'posts.create'>['photos'] = [];
    for (const [index, { id, name, file, alt, url }] of draft.photos.entries()) {
      setProgress(composerWords.sendingPhoto(index + 1, draft.photos.length));
      const sent = url ?? (await uploaded(name, file));
      // Stored before the next upload, so that a retry does not upload this photo again.
      changePhoto(id, { url: sent });
      photos.push({ url: sent, alt: alt.trim() });
    }
    setProgress(draft.status === 'draft' ? composerWords.savingDraft : composerWords.posting);
    const { content, categories, visibility, status } = draft;
    return create({ text: content, format: 'plain', photos, categories, visibility, status });
  }

  const desk: NoteDesk = {
    draft,
    begun: draft.content.trim() !== '' || draft.photos.length > 0 || draft.categories.length > 0,
    progress,
    error,
    change: (part) => setDraft((now) => ({ ...now, ...part })),
    addFiles: (files) => {
      const { taken, refused } = takenFiles(files, draft.photos.length);
      setDraft((now) => ({ ...now, photos: [...now.photos, ...taken] }));
      return refused;
    },
    changePhoto,
    removePhoto: (photo) => {
      setDraft((now) => ({ ...now, photos: now.photos.filter(({ id }) => id !== photo.id) }));
      deleteUpload(photo);
    },
    send: async () => {
      if (progress !== null) return undefined;
      setError(null);
      try {
        const post = await sendAll();
        setDraft(emptyDraft);
        return post;
      } catch (cause) {
        setError(cause instanceof Error ? cause : new Error(stateWords.unknownReason));
        return undefined;
      } finally {
        setProgress(null);
      }
    },
    discard: () => {
      for (const photo of draft.photos) deleteUpload(photo);
      setDraft(emptyDraft);
      setError(null);
    },
  };
  return <NoteContext value={desk}>{children}</NoteContext>;
}
