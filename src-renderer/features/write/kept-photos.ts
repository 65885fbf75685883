const databaseName = 'porchlight.photos';
const storeName = 'photos';
/** The most bytes that this browser keeps. */
const mostBytes = 500_000_000;
/** Milliseconds. Nobody comes back for older photos: the tab that they belong to is closed. */
const mostAge = 7 * 24 * 60 * 60 * 1000;

interface KeptPhoto {
  readonly file: File;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Keeps a photo that the server doesn't have yet, so that a reload doesn't lose it. Resolves with the name under which
 * this browser keeps it; with null if the browser can't, or keeps too much already.
 */
export async function keepPhoto(file: File): Promise<string | null> {
  // Another tab may keep photos at the same time.
  const name = crypto.randomUUID();
  const isKept = await inStore('readwrite', async (store) => {
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
  const found: unknown = await inStore('readonly', (store) => answerOf<unknown>(store.get(name)));
  return (found as KeptPhoto | undefined)?.file ?? null;
}

/** Removes a photo that is no longer needed. */
export async function forgetPhoto(name: string): Promise<void> {
  await inStore('readwrite', (store) => answerOf(store.delete(name)));
}

/** Removes the photos of tabs that were closed long ago. */
export async function forgetOldPhotos(): Promise<void> {
  await inStore('readwrite', async (store) => {
    const [names, all] = await Promise.all([answerOf(store.getAllKeys()), answerOf(store.getAll())]);
    for (const [index, { at }] of (all as KeptPhoto[]).entries()) {
      const name = names[index];
      if (name !== undefined && at < Date.now() - mostAge) await answerOf(store.delete(name));
    }
  });
}

/** Works with the stored photos in one transaction. Resolves with undefined in a browser that forbids it or has no room. */
async function inStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => Promise<T>,
): Promise<T | undefined> {
  try {
    const database = await openDatabase();
    try {
      const transaction = database.transaction(storeName, mode);
      const ended = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error ?? new Error('aborted'));
      });
      const [answer] = await Promise.all([work(transaction.objectStore(storeName)), ended]);
      return answer;
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(databaseName, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(storeName);
  return answerOf(opening);
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('failed'));
  });
}
