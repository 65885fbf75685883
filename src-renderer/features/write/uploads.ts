import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { Client } from '../../client/client.ts';
import { base64Of } from '../../ui/file-content.ts';
import { stateWords } from '../../ui/words.ts';
import type { FormPhoto } from './form.ts';
import { forgetPhoto, keepPhoto, keptPhoto } from './kept-photos.ts';
import { photoWords } from './words.ts';

interface UploadsOptions {
  readonly call: Client['call'];
  /** Returns the photos of the form. */
  readonly photos: () => readonly FormPhoto[];
  readonly change: (id: string, part: Partial<FormPhoto>) => void;
  /** Hears how many of the new photos are uploaded; null when all uploads have ended. */
  readonly onProgress: (progress: { done: number; total: number } | null) => void;
}

/** Uploads the new photos of a form, one after the other. */
export function createUploads({ call, photos, change, onProgress }: UploadsOptions) {
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    for (let done = 0; ; done += 1) {
      const waiting = photos().filter(({ url, failure }) => url === null && failure === null);
      const [photo] = waiting;
      if (photo === undefined) break;
      onProgress({ done, total: done + waiting.length });
      try {
        change(photo.id, { url: await uploaded(photo.name, await fileOf(photo)) });
        forget(photo.id);
      } catch (error) {
        change(photo.id, { failure: error instanceof Error ? error.message : stateWords.unknownReason });
      }
    }
    onProgress(null);
  }

  /** Returns the file of a photo, also of one that was added before a reload. */
  async function fileOf({ id, name, file, kept }: FormPhoto): Promise<File> {
    const found = file ?? (kept === null ? null : await keptPhoto(kept));
    if (found === null) throw new PorchlightError('not_found', photoWords.notKept(name));
    if (file === null) change(id, { file: found });
    return found;
  }

  const find = (id: string) => photos().find((photo) => photo.id === id);

  async function keep(id: string, file: File): Promise<void> {
    const kept = await keepPhoto(file);
    if (kept === null) return;
    // Meanwhile, the photo may have been uploaded or removed.
    if (find(id)?.url === null) change(id, { kept });
    else await forgetPhoto(kept);
  }

  function forget(id: string): void {
    const kept = find(id)?.kept ?? null;
    if (kept === null) return;
    change(id, { kept: null });
    void forgetPhoto(kept);
  }

  /** Browsers judge a file by its name; the service reads its content. */
  async function uploaded(name: string, file: File): Promise<string> {
    const { url, kind } = await call('media.upload', { name, data: await base64Of(file) });
    if (kind === 'image') return url;
    // If this fails, the owner still finds the file among the media.
    await call('media.delete', { url }).catch(() => undefined);
    throw new PorchlightError('invalid_request', photoWords.falsePicture(name));
  }

  return {
    /** Keeps the files of new photos in this browser until they are uploaded. */
    keep(added: readonly FormPhoto[]): void {
      for (const { id, file } of added) if (file !== null) void keep(id, file);
    },
    /** Forgets what this browser keeps of photos that are to go. */
    forget(removed: readonly FormPhoto[]): void {
      for (const { id } of removed) forget(id);
    },
    /** Uploads the photos that are waiting. Resolves when none is. */
    start(): Promise<void> {
      running ??= run().finally(() => {
        running = null;
      });
      return running;
    },
  };
}
