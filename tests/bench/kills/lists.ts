import { setTimeout as rest } from 'node:timers/promises';
import type { HeadlessProcess } from '../../support/headless-process.ts';
import type { Census } from './census.ts';
import { documentsIn, type Documents, type StoredPost } from './documents.ts';

const postsInFeed = 30;
/** How long the file copies of posts may take to follow their rows, in ms. */
const patienceMs = 60_000;

/** Returns how the server's lists and the file copies of posts differ from the documents in its folder, in words. */
export async function wrongLists(
  house: HeadlessProcess,
  { census, base, bearer }: { census: Census; base: string; bearer: Record<string, string> },
): Promise<string[]> {
  const documents = documentsIn(house.dataDir);
  const { listed } = census;
  const live = documents.posts.filter(({ deletedAt }) => deletedAt === null);
  const get = async (path: string): Promise<unknown> =>
    (await fetch(`${base}/micropub?${path}`, { headers: bearer })).json();
  const { categories } = (await get('q=category')) as { categories: string[] };
  const usedCategories = new Set(live.flatMap(({ properties }) => properties['category'] ?? []));
  return [
    ...differences(
      'posts.list',
      new Map(listed.posts.map(({ path, deletedAt, status }) => [path, `${status} ${deletedAt}`])),
      new Map(documents.posts.map(({ path, deletedAt, status }) => [path, `${status} ${deletedAt}`])),
    ),
    ...differences(
      'q=source',
      await sources(base, bearer),
      new Map(live.map(({ path, properties }) => [path, JSON.stringify(properties)])),
    ),
    ...differences(
      'q=category',
      new Map(categories.filter((one) => !census.categories.includes(one)).map((one) => [one, 'used'])),
      new Map([...usedCategories].map((one) => [String(one), 'used'])),
    ),
    ...(await wrongFeed(base, live)),
    ...differences(
      'media.list',
      new Map(
        listed.files.map(({ url, bytes }) => [new URL(url).pathname.slice('/media/'.length), `${bytes}`]),
      ),
      new Map([...documents.files].map(([file, bytes]) => [file, `${bytes}`])),
    ),
    ...differences(
      'webmentions.list',
      new Map(listed.mentions.map(({ id, source, status, target }) => [id, `${source} ${status} ${target}`])),
      new Map(
        documents.mentions.map(({ id, source, status, target }) => [id, `${source} ${status} ${target}`]),
      ),
    ),
    ...(await wrongCounts(house, documents)),
    ...(await wrongCopies(house)),
    ...documents.aside.map((file) => `${file} was moved aside`),
  ];
}

/** Waits until the file copies of posts say what their rows say. Returns how they differ if they never do. */
async function wrongCopies({ dataDir }: HeadlessProcess): Promise<string[]> {
  const latest = performance.now() + patienceMs;
  for (;;) {
    const { rowTexts, copyTexts } = documentsIn(dataDir);
    const wrong = differences('file copies', copyTexts, rowTexts);
    if (wrong.length === 0 || performance.now() > latest) return wrong;
    await rest(100);
  }
}

/** Reads q=source to its end: the properties of each post, by path. */
async function sources(base: string, bearer: Record<string, string>): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for (let after = ''; ;) {
    const question = `${base}/micropub?q=source&limit=100${after && `&after=${encodeURIComponent(after)}`}`;
    const page = (await (await fetch(question, { headers: bearer })).json()) as {
      items: { properties: Record<string, unknown[]> }[];
      paging: { after?: string };
    };
    for (const { properties } of page.items) {
      const { url, ...rest } = properties;
      all.set(new URL(String(url?.[0])).pathname, JSON.stringify(rest));
    }
    if (page.paging.after === undefined) return all;
    after = page.paging.after;
  }
}

async function wrongFeed(base: string, live: readonly StoredPost[]): Promise<string[]> {
  const feed = (await (await fetch(`${base}/feed.json`)).json()) as { items: { url: string }[] };
  const shown = new Set(feed.items.map(({ url }) => new URL(url).pathname));
  const publics = live.filter(({ status, visibility }) => status === 'published' && visibility === 'public');
  const dateOf = ({ properties }: StoredPost) => String(properties['published']?.[0]);
  const oldest =
    publics
      .filter(({ path }) => shown.has(path))
      .map(dateOf)
      .sort()[0] ?? '';
  const newer = publics.filter((post) => !shown.has(post.path) && dateOf(post) > oldest);
  const known = new Set(publics.map(({ path }) => path));
  const expected = Math.min(publics.length, postsInFeed);
  return [
    ...newer.map(({ path }) => `feed.json: ${path} is missing`),
    ...[...shown].filter((path) => !known.has(path)).map((path) => `feed.json: ${path} should not be there`),
    ...(shown.size === expected ? [] : [`feed.json: ${shown.size} posts instead of ${expected}`]),
  ];
}

/** Compares the numbers that the window shows with the mentions in the files. */
async function wrongCounts(house: HeadlessProcess, { mentions }: Documents): Promise<string[]> {
  const statuses = new Map<string, Record<string, number>>();
  const months = new Map<string, number>();
  for (const { target, status, received } of mentions) {
    const page = target.split('#')[0] ?? '';
    const counts = statuses.get(page) ?? {};
    statuses.set(page, counts);
    counts[status] = (counts[status] ?? 0) + 1;
    const month = received.slice(0, 7);
    if (status === 'approved') months.set(month, (months.get(month) ?? 0) + 1);
  }
  const pages = await house.call('webmentions.pages', {});
  const counts = await house.call('webmentions.counts', {});
  return [
    ...differences(
      'webmentions.pages',
      new Map(pages.map(({ target, statuses: shown }) => [target, textOf(shown)])),
      new Map([...statuses].map(([target, shown]) => [target, textOf(shown)])),
    ),
    ...differences(
      'webmentions.counts',
      new Map(
        counts.map(({ month, types }) => [month, `${Object.values(types).reduce((sum, n) => sum + n, 0)}`]),
      ),
      new Map([...months].map(([month, count]) => [month, `${count}`])),
    ),
  ];
}

const textOf = (counts: Record<string, number>) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .sort()
    .join(', ');

/** Compares what a list shows with what the documents hold. */
function differences(
  list: string,
  shown: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...shown.keys(), ...stored.keys()])]
    .filter((name) => shown.get(name) !== stored.get(name))
    .map((name) => {
      const [has, should] = [shown.get(name), stored.get(name)];
      if (has === undefined) return `${list}: ${name} is missing`;
      if (should === undefined) return `${list}: ${name} should not be there`;
      return `${list}: ${name} is “${has.slice(0, 200)}”, and its document says “${should.slice(0, 200)}”`;
    });
}
