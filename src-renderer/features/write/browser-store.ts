/** What this browser keeps, for all tabs and through a crash: photos (kept-photos.ts) and posts (kept-posts.ts). */
const databaseName = 'porchlight.photos';
const storeNames = ['photos', 'posts'] as const;
type StoreName = (typeof storeNames)[number];

/** Works with one store in one transaction. Resolves with undefined in a browser that forbids it or has no room. */
export async function inStore<T>(
  name: StoreName,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => Promise<T>,
): Promise<T | undefined> {
  try {
    const database = await openDatabase();
    try {
      const transaction = database.transaction(name, mode);
      const ended = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error ?? new Error('aborted'));
      });
      const [answer] = await Promise.all([work(transaction.objectStore(name)), ended]);
      return answer;
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(databaseName, 2);
  opening.onupgradeneeded = () => {
    for (const name of storeNames)
      if (!opening.result.objectStoreNames.contains(name)) opening.result.createObjectStore(name);
  };
  return answerOf(opening);
}

/** Resolves with the result of a request. Throws what the browser reports. */
export function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('failed'));
  });
}
