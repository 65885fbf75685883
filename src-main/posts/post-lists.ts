import type { IndexDatabase } from '../storage/index/index-database.ts';
import type { startComparison } from './post-comparison.ts';
import type { IndexedPage } from './indexed-lists.ts';
import type { PostIndex } from './post-index.ts';
import { searchPosts } from './post-search.ts';
import type { PostLists, PostPage } from './post-store.ts';

/** Returns the lists, which wait until `ready` resolves with the index. */
export const waitingLists = (index: IndexDatabase, ready: () => Promise<PostIndex>): PostLists => ({
  list: async (page) => withoutStamps((await ready()).page(page)),
  categories: async (reader) => (await ready()).categories(reader),
  sizes: async (list, now, name) => (await ready()).sizes(list, now, name),
  async search(search) {
    await ready();
    return withoutStamps(await searchPosts(index, search));
  },
  nextPublication: async (now) => (await ready()).nextPublication(now),
  cursorsEvery: async (count, now) => (await ready()).cursorsEvery(count, now),
});

interface QuickListsDeps {
  readonly rows: PostIndex;
  readonly comparison: ReturnType<typeof startComparison>;
}

/** Returns the lists that don't wait for the comparison with the documents; see PostStore.soon. */
export const quickLists = (index: IndexDatabase, { rows, comparison }: QuickListsDeps): PostLists => ({
  ...waitingLists(index, () => comparison.all().then(() => rows)),
  list: async (page) => withoutStamps(await comparison.page(() => rows.page(page), page)),
  async categories(reader) {
    // The name of a category may come from a post that is private by now.
    await comparison.compared();
    return rows.categories(reader);
  },
  async sizes(list, now, name) {
    await (list === 'category' && name === undefined ? comparison.compared() : comparison.all());
    return rows.sizes(list, now, name);
  },
  async search(search) {
    const find = (): Promise<Omit<IndexedPage, 'before'>> => searchPosts(index, search);
    return withoutStamps(await comparison.page(find, { after: search.after }));
  },
  nextPublication: (now) => Promise.resolve(rows.nextPublication(now)),
});

const withoutStamps = ({ items, after, before }: PostPage): PostPage => ({
  items,
  ...(after !== undefined && { after }),
  ...(before !== undefined && { before }),
});
