import type { InfiniteData, Query, QueryClient, QueryKey } from '@tanstack/react-query';
import type { MethodName, Params, Result } from '../../src-main/contract/contract.ts';
import type { PostItem } from '../../src-main/contract/posts.ts';
import type { Client } from './client.ts';

/** The methods whose answers come in pages. */
export type ListMethod = 'posts.list' | 'media.list' | 'webmentions.list' | 'activity.list';

/** An item in a list of this method. */
type ItemOf<M extends ListMethod> = Result<M>['items'][number];
type Item = ItemOf<ListMethod>;

interface ListPage {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}
type Pages = InfiniteData<ListPage, string | undefined>;

export function isListMethod(method: MethodName): method is ListMethod {
  return ['posts.list', 'media.list', 'webmentions.list', 'activity.list'].includes(method);
}

/** Returns what identifies an item: the id of a mention or an activity, otherwise the address. */
function keyOf(item: Item): string {
  return 'source' in item || 'words' in item ? item.id : item.url;
}

/**
 * Renews the lists with one call each, however many pages they have. Loads only the first page, and keeps the pages below
 * it if they still follow on from it. If they do not, the list starts again from the top.
 */
export async function renewLists(cache: QueryClient, client: Client, method: ListMethod): Promise<void> {
  await Promise.all(
    listsOf(cache, method).map(async (list) => {
      const before = pagesOf(list);
      if (before === undefined || before.pages.length < 2) {
        await cache.invalidateQueries({ queryKey: list.queryKey, exact: true });
        return;
      }
      const fresh = await client.call(method, paramsOf(list)).catch(() => undefined);
      // The window reports a lost connection elsewhere, and the next event tries again.
      if (fresh === undefined) return;
      cache.setQueryData<Pages>(list.queryKey, (now) => now && joined(fresh, now));
    }),
  );
}

/** Removes an item from the lists that no longer contain it. `key`: the address, or a mention's id. */
export function dropFromLists<M extends ListMethod>(
  cache: QueryClient,
  method: M,
  key: string,
  isOut: (params: Params<M>) => boolean = () => true,
): void {
  for (const list of listsOf(cache, method)) {
    if (!isOut(paramsOf<M>(list))) continue;
    const has = pagesOf(list)?.pages.some(({ items }) => items.some((item) => keyOf(item) === key));
    if (has === true) edit(cache, list, (items) => items.filter((item) => keyOf(item) !== key));
  }
}

/** Moves a deleted or restored post at once to the lists that contain it now. */
export function movePost(cache: QueryClient, post: PostItem): void {
  const deleted = post.deletedAt !== null;
  dropFromLists(cache, 'posts.list', post.url, ({ status }) => (status === 'deleted') !== deleted);
  for (const list of listsOf(cache, 'posts.list')) {
    const { kind, status } = paramsOf<'posts.list'>(list);
    // Lists of one page are loaded again anyway, with the post.
    if ((status === 'deleted') !== deleted || (pagesOf(list)?.pages.length ?? 0) < 2) continue;
    if (kind !== undefined && kind !== post.kind) continue;
    if (status !== undefined && !deleted && status !== post.status) continue;
    putInOrder(cache, list, post, ({ published }) => published);
  }
}

/** Replaces an item in the lists that contain it. */
export function replaceInLists<M extends ListMethod>(cache: QueryClient, method: M, item: ItemOf<M>): void {
  const key = keyOf(item);
  for (const list of listsOf(cache, method)) {
    edit(cache, list, (items) => items.map((one) => (keyOf(one) === key ? item : one)));
  }
}

/** Inserts an item in a list, newest first, unless its place is below the part that has loaded. */
export function putInOrder<T extends Item>(
  cache: QueryClient,
  list: Query,
  item: T,
  momentOf: (one: T) => string,
): void {
  const key = keyOf(item);
  const moment = Date.parse(momentOf(item));
  const isOlder = (one: Item) => Date.parse(momentOf(one as T)) < moment;
  let placed = false;
  edit(cache, list, (items, isEnd) => {
    const others = items.filter((one) => keyOf(one) !== key);
    const index = placed ? -1 : others.findIndex(isOlder);
    if (placed || (index === -1 && !isEnd)) return others;
    placed = true;
    return others.toSpliced(index === -1 ? others.length : index, 0, item);
  });
}

type Items = ListPage['items'];

/** `isEnd`: this is the last page. */
function edit(cache: QueryClient, list: Query, change: (items: Items, isEnd: boolean) => Items): void {
  cache.setQueryData<Pages>(
    list.queryKey,
    (now) =>
      now && {
        ...now,
        pages: now.pages.map((page) => ({
          ...page,
          items: change(page.items, page.nextCursor === undefined),
        })),
      },
  );
}

/** Returns the fresh first page, followed by the items that the list held below its last item. */
function joined(fresh: ListPage, { pages, pageParams }: Pages): Pages {
  const top = { pages: [fresh], pageParams: [undefined] };
  const last = fresh.items.at(-1);
  const isSeam = (item: Item) => last !== undefined && keyOf(item) === keyOf(last);
  const at = pages.findIndex(({ items }) => items.some(isSeam));
  const page = pages[at];
  if (fresh.nextCursor === undefined || page === undefined) return top;
  const rest = page.items.slice(page.items.findIndex(isSeam) + 1);
  return {
    pages: [fresh, { ...page, items: rest }, ...pages.slice(at + 1)],
    pageParams: [undefined, fresh.nextCursor, ...pageParams.slice(at + 1)],
  };
}

/** Returns the open lists of a method. */
export function listsOf(cache: QueryClient, method: ListMethod): Query[] {
  return cache.getQueryCache().findAll({ queryKey: [method] });
}

/** Returns the pages of a list; undefined if none has loaded, or if the query asks for one page only. */
function pagesOf(list: Query): Pages | undefined {
  const data = list.state.data as Pages | ListPage | undefined;
  return data !== undefined && 'pages' in data ? data : undefined;
}

/** Returns the filters of a list. */
export function paramsOf<M extends ListMethod>({ queryKey }: { queryKey: QueryKey }): Params<M> {
  return queryKey[1] as Params<M>;
}
