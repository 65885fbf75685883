import { createContext, use, useState, type ReactElement, type ReactNode } from 'react';
import type { Params } from '../../../src-main/contract/contract.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { useAction } from '../../client/queries.ts';
import { base64Of } from '../../ui/file-content.ts';
import { takenFiles, type NotePhoto } from './note-photo.ts';

/** What is written and not posted yet. It lives as long as the window: closing the form loses nothing. */
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
  /** True where something would be lost. */
  readonly begun: boolean;
  /** What is being done, in words; null while nothing is. */
  readonly progress: string | null;
  readonly error: Error | null;
  readonly change: (part: Partial<NoteDraft>) => void;
  /** Takes pictures in; answers why some were not taken. */
  readonly addFiles: (files: readonly File[]) => string[];
  readonly changePhoto: (id: string, part: Partial<NotePhoto>) => void;
  readonly removePhoto: (photo: NotePhoto) => void;
  /** Sends what was not sent yet, then the note. Undefined where it failed: then everything is still here. */
  readonly send: () => Promise<PostItem | undefined>;
  /** Throws the note away, with what was sent for it. */
  readonly discard: () => void;
}

const NoteContext = createContext<NoteDesk | null>(null);

/** The note that is being written. */
export function useNoteDraft(): NoteDesk {
  const desk = use(NoteContext);
  if (!desk) throw new PorchlightError('server_error', 'This part of the window has no note.');
  return desk;
}

/** Keeps the note that is being written, whatever screen the window shows. */
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

  const takeBack = ({ url }: NotePhoto) => {
    if (url !== null) deleteMedia({ url });
  };

  async function sendAll(): Promise<PostItem> {
    const photos: Params<'posts.create'>['photos'] = [];
    for (const [index, { id, name, file, alt, url }] of draft.photos.entries()) {
      setProgress(`Sending photo ${index + 1} of ${draft.photos.length}…`);
      const sent = url ?? (await upload({ name, data: await base64Of(file) })).url;
      // Kept at once: another try does not send it again.
      changePhoto(id, { url: sent });
      photos.push({ url: sent, alt: alt.trim() });
    }
    setProgress(draft.status === 'draft' ? 'Keeping the draft…' : 'Posting…');
    const { content, categories, visibility, status } = draft;
    return create({ content, photos, categories, visibility, status });
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
      takeBack(photo);
    },
    send: async () => {
      if (progress !== null) return undefined;
      setError(null);
      try {
        const post = await sendAll();
        setDraft(emptyDraft);
        return post;
      } catch (cause) {
        setError(cause instanceof Error ? cause : new Error('Nobody knows why.'));
        return undefined;
      } finally {
        setProgress(null);
      }
    },
    discard: () => {
      for (const photo of draft.photos) takeBack(photo);
      setDraft(emptyDraft);
      setError(null);
    },
  };
  return <NoteContext value={desk}>{children}</NoteContext>;
}
