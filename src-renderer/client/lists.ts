import type { InfiniteData, Query, QueryClient, QueryKey } from '@tanstack/react-query';
import type { MethodName, Params } from '../../src-main/contract/contract.ts';
import type { PostItem } from '../../src-main/contract/posts.ts';
import type { Client } from './client.ts';

/** The questions whose answers come in pages. */
export type ListMethod = 'posts.list' | 'media.list';

interface ListPage {
  readonly items: readonly { readonly url: string }[];
  readonly nextCursor?: string;
}
type Pages = InfiniteData<ListPage, string | undefined>;

export function isListMethod(method: MethodName): method is ListMethod {
  return method === 'posts.list' || method === 'media.list';
}

/**
 * Makes the lists true again with one call each, however many pages they have: only the first page is asked for, and
 * what was read below it stays where the two still meet. Where they do not, the list starts again from the top.
 */
export async function renewLists(cache: QueryClient, client: Client, method: ListMethod): Promise<void> {
  await Promise.all(
    listsOf(cache, method).map(async (list) => {
      const before = pagesOf(list);
      if (before === undefined || before.pages.length < 2) {
        await cache.invalidateQueries({ queryKey: list.queryKey, exact: true });
        return;
      }
      const fresh = await client.call(method, wantedOf(list)).catch(() => undefined);
      // Where the service does not answer, the line says so elsewhere; the next event tries again.
      if (fresh === undefined) return;
      cache.setQueryData<Pages>(list.queryKey, (now) => now && joined(fresh, now));
    }),
  );
}

/** Takes a file or post out of the lists that it is not in any more. */
export function dropFromLists(
  cache: QueryClient,
  method: ListMethod,
  url: string,
  isOut: (wanted: Params<ListMethod>) => boolean = () => true,
): void {
  for (const list of listsOf(cache, method)) {
    if (!isOut(wantedOf(list))) continue;
    const has = pagesOf(list)?.pages.some(({ items }) => items.some((item) => item.url === url));
    if (has === true) edit(cache, list, (items) => items.filter((item) => item.url !== url));
  }
}

/** Shows a deleted or restored post at once where it belongs now, in lists of any length. */
export function movePost(cache: QueryClient, post: PostItem): void {
  const deleted = post.deletedAt !== null;
  dropFromLists(cache, 'posts.list', post.url, (wanted) => isOfDeleted(wanted) !== deleted);
  for (const list of listsOf(cache, 'posts.list')) {
    const wanted = wantedOf(list);
    // In lists of one page it comes with the page, which is asked for anyway.
    if (isOfDeleted(wanted) !== deleted || (pagesOf(list)?.pages.length ?? 0) < 2) continue;
    if ('kind' in wanted && wanted.kind !== undefined && wanted.kind !== post.kind) continue;
    if ('status' in wanted && wanted.status !== undefined && !deleted && wanted.status !== post.status)
      continue;
    putInOrder(cache, list, post);
  }
}

/** Shows a post as it is now in the lists that hold it. */
export function replacePost(cache: QueryClient, post: PostItem): void {
  for (const list of listsOf(cache, 'posts.list')) {
    edit(cache, list, (items) => items.map((item) => (item.url === post.url ? post : item)));
  }
}

function putInOrder(cache: QueryClient, list: Query, post: PostItem): void {
  let placed = false;
  const isOlder = (item: { url: string }) =>
    'published' in item &&
    typeof item.published === 'string' &&
    Date.parse(item.published) < Date.parse(post.published);
  edit(cache, list, (items) => {
    const others = items.filter(({ url }) => url !== post.url);
    const index = placed ? -1 : others.findIndex(isOlder);
    if (index === -1) return others;
    placed = true;
    return others.toSpliced(index, 0, post);
  });
}

type Items = ListPage['items'];

function edit(cache: QueryClient, list: Query, change: (items: Items) => Items): void {
  cache.setQueryData<Pages>(
    list.queryKey,
    (now) => now && { ...now, pages: now.pages.map((page) => ({ ...page, items: change(page.items) })) },
  );
}

/** The fresh first page, and below it what the list held below its last item. */
function joined(fresh: ListPage, { pages, pageParams }: Pages): Pages {
  const top = { pages: [fresh], pageParams: [undefined] };
  const seam = fresh.items.at(-1)?.url;
  const at = pages.findIndex(({ items }) => items.some(({ url }) => url === seam));
  const page = pages[at];
  if (fresh.nextCursor === undefined || page === undefined) return top;
  const rest = page.items.slice(page.items.findIndex(({ url }) => url === seam) + 1);
  return {
    pages: [fresh, { ...page, items: rest }, ...pages.slice(at + 1)],
    pageParams: [undefined, fresh.nextCursor, ...pageParams.slice(at + 1)],
  };
}

function listsOf(cache: QueryClient, method: ListMethod): Query[] {
  return cache.getQueryCache().findAll({ queryKey: [method] });
}

function pagesOf(list: Query): Pages | undefined {
  return list.state.data as Pages | undefined;
}

function wantedOf({ queryKey }: { queryKey: QueryKey }): Params<ListMethod> {
  return queryKey[1] as Params<ListMethod>;
}

function isOfDeleted(wanted: Params<ListMethod>): boolean {
  return 'status' in wanted && wanted.status === 'deleted';
}
