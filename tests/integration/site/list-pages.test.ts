import { beforeEach, expect, test } from 'vitest';
import type { OwnerPostStore } from '../../../src-main/posts/micropub/owner-post-store.ts';
import { listingOf } from '../../../src-main/site/list-routes.ts';
import {
  categoryList,
  homeList,
  kindList,
  listAt,
  type SiteList,
} from '../../../src-main/posts/rendering/site-list.ts';
import { storeInMemory } from '../../support/store-in-memory.ts';

const now = Date.parse('2026-12-15T12:00:00Z');
const hour = 3_600_000;

let posts: OwnerPostStore;
let added: number;

beforeEach(() => {
  posts = storeInMemory();
  added = 0;
});

/** Adds posts, each newer than those before it, within one month. */
async function add(count: number, over: object = {}): Promise<void> {
  for (let one = 0; one < count; one += 1) {
    added += 1;
    const published = new Date(Date.parse('2026-11-02T00:00:00Z') + added * hour).toISOString();
    const properties = { content: [`Post ${added}`], category: ['tea'], published: [published] };
    const content = { type: ['h-entry'], properties, commands: {} };
    await posts.create({ ...content, status: 'published', visibility: 'public', ...over }, { now });
  }
}

/** Returns the pages of a list, by their URLs, as the links to older posts lead to them. */
async function pagesOf(list: SiteList): Promise<Map<string, string[]>> {
  const pages = new Map<string, string[]>();
  let newer: string | undefined;
  for (let at: string | undefined = list.path; at !== undefined;) {
    const after: string | null = new URL(at, 'http://localhost').searchParams.get('after');
    const page = await listingOf(posts, list, after ?? undefined, now);
    expect(page.newer).toBe(newer);
    pages.set(
      at,
      page.items.map(({ properties }) => String(properties['content']?.[0])),
    );
    [newer, at] = [at, page.older];
  }
  return pages;
}

const newestFirst = (count: number) => Array.from({ length: count }, (_, place) => `Post ${count - place}`);
const lengths = (pages: Map<string, string[]>) => [...pages.values()].map(({ length }) => length);

test.each([
  [0, [0]],
  [1, [1]],
  [29, [29]],
  [30, [10, 20]],
  [49, [29, 20]],
  [50, [10, 20, 20]],
  [75, [15, 20, 20, 20]],
])('a list of %i posts has pages of %j', async (count, expected) => {
  await add(count);
  const pages = await pagesOf(homeList);
  expect(lengths(pages)).toEqual(expected);
  expect([...pages.values()].flat()).toEqual(newestFirst(count));
});

test('a new post changes no page but the first, and at times divides that one', async () => {
  await add(45);
  for (let count = 46; count <= 75; count += 1) {
    const before = [...(await pagesOf(homeList))].slice(1);
    await add(1);
    const after = [...(await pagesOf(homeList))];
    const rest = after.slice(1);
    // What was the first page before may have become two.
    expect(rest.slice(rest.length - before.length)).toEqual(before);
    expect(rest.length - before.length).toBe(count % 20 === 10 ? 1 : 0);
  }
});

test('each list counts only the posts that it shows', async () => {
  await add(31);
  const others = [
    { visibility: 'private' },
    { visibility: 'unlisted' },
    { status: 'draft' },
    { properties: { content: ['Later'], category: ['tea'], published: ['2026-12-24T10:00:00Z'] } },
  ];
  for (const over of others) await add(7, over);
  for (const place of ['/posts/2026/', '/posts/2026/11/']) {
    const list = listAt(place);
    expect(list && lengths(await pagesOf(list))).toEqual([11, 20]);
  }
  for (const list of [homeList, kindList('note'), categoryList('tea')])
    expect(lengths(await pagesOf(list))).toEqual([11, 20]);
});
