/** A page of a list, with the cursor of the page that follows it. */
interface ReadPage<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

/** How many items to read at once to find out whether another item passes. */
const lookedAt = 20;

/**
 * Returns a page with `limit` items that pass, as far as there are so many. `read` returns a page after a cursor, or
 * the first page. `next` is the cursor of the following page; undefined if no item that passes follows.
 */
export async function filledPage<T>(
  limit: number,
  read: (limit: number, cursor: string | undefined) => Promise<ReadPage<T>>,
  passes: (item: T) => boolean,
): Promise<{ items: T[]; next: string | undefined }> {
  const items: T[] = [];
  let next: string | undefined;
  do {
    const page = await read(limit - items.length, next);
    items.push(...page.items.filter(passes));
    next = page.next;
  } while (next !== undefined && items.length < limit);
  for (let cursor = next; cursor !== undefined;) {
    const page = await read(lookedAt, cursor);
    if (page.items.some(passes)) return { items, next };
    cursor = page.next;
  }
  return { items, next: undefined };
}
