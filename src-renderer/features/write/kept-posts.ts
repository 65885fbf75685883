import { answerOf, inStore } from './browser-store.ts';

/** A post as the page that wrote it has kept it. */
interface KeptPost {
  /** The page's lock. */
  readonly page: string;
  readonly place: string;
  readonly post: unknown;
}

/** The lock that this page holds while it lives. Even a kill releases it, so other pages know that this one has ended. */
const ownLock = `porchlight.page ${crypto.randomUUID()}`;

let holding: Promise<boolean> | undefined;

/** Resolves with whether this page holds its lock. */
function holdLock(): Promise<boolean> {
  holding ??= new Promise<boolean>((resolve, reject) => {
    const forever = new Promise<never>(() => undefined);
    const held = navigator.locks.request(ownLock, () => {
      resolve(true);
      return forever;
    });
    held.catch(reject);
  }).catch(() => false);
  return holding;
}

const nameOf = (place: string) => `${ownLock} ${place}`;

/** Keeps a post in this browser until it is saved, so that a crash doesn't lose it; null removes it. */
export async function keepPost(place: string, post: unknown): Promise<void> {
  // Without a lock, another page would take the post for one that a crash has left.
  if (!(await holdLock())) return;
  await inStore('posts', 'readwrite', async (store) => {
    if (post === null) await answerOf(store.delete(nameOf(place)));
    else await answerOf(store.put({ page: ownLock, place, post } satisfies KeptPost, nameOf(place)));
  });
}

/** Takes over the posts of pages that have ended without saving them, one for each place. */
export async function takeKeptPosts(): Promise<readonly KeptPost[]> {
  if (!(await holdLock())) return [];
  const found = (await inStore('posts', 'readonly', (store) => answerOf(store.getAll()))) as
    | KeptPost[]
    | undefined;
  // A page keeps a post only while it holds its lock, so the owners of these posts are either here or have ended.
  const { held = [] } = await navigator.locks.query();
  const living = new Set(held.map(({ name }) => name));
  const taken = new Map<string, KeptPost>();
  await inStore('posts', 'readwrite', async (store) => {
    for (const { page, place } of found ?? []) {
      if (living.has(page) || taken.has(place)) continue;
      // Another page may have taken it meanwhile.
      const kept = (await answerOf<unknown>(store.get(`${page} ${place}`))) as KeptPost | undefined;
      if (kept === undefined) continue;
      taken.set(place, kept);
      await answerOf(store.delete(`${page} ${place}`));
      await answerOf(store.put({ ...kept, page: ownLock }, nameOf(place)));
    }
  });
  return [...taken.values()];
}
