import { answerOf, inStore } from './browser-store.ts';

/** The most bytes that this browser keeps. */
const mostBytes = 500_000_000;
/** Milliseconds. The post of an older photo was continued long ago, or given up. */
const mostAge = 7 * 24 * 60 * 60 * 1000;

interface KeptPhoto {
  readonly file: File;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Keeps a photo that the server doesn't have yet, so that neither a reload nor a crash loses it. Resolves with the name under which
 * this browser keeps it; with null if the browser can't, or keeps too much already.
 */
export async function keepPhoto(file: File): Promise<string | null> {
  // Another tab may keep photos at the same time.
  const name = crypto.randomUUID();
  const isKept = await inStore('photos', 'readwrite', async (store) => {
    const all = (await answerOf(store.getAll())) as KeptPhoto[];
    const bytes = all.reduce((sum, kept) => sum + kept.file.size, file.size);
    if (bytes > mostBytes) return false;
    await answerOf(store.add({ file, at: Date.now() } satisfies KeptPhoto, name));
    return true;
  });
  return isKept === true ? name : null;
}

/** Returns a photo that this browser keeps; null if it keeps none under this name. */
export async function keptPhoto(name: string): Promise<File | null> {
  const found: unknown = await inStore('photos', 'readonly', (store) => answerOf<unknown>(store.get(name)));
  return (found as KeptPhoto | undefined)?.file ?? null;
}

/** Removes a photo that is no longer needed. */
export async function forgetPhoto(name: string): Promise<void> {
  await inStore('photos', 'readwrite', (store) => answerOf(store.delete(name)));
}

/** Removes photos that nobody came back for. */
export async function forgetOldPhotos(): Promise<void> {
  await inStore('photos', 'readwrite', async (store) => {
    const [names, all] = await Promise.all([answerOf(store.getAllKeys()), answerOf(store.getAll())]);
    for (const [index, { at }] of (all as KeptPhoto[]).entries()) {
      const name = names[index];
      if (name !== undefined && at < Date.now() - mostAge) await answerOf(store.delete(name));
    }
  });
}
