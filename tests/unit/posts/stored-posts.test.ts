import { describe, expect, test } from 'vitest';
import type { UnsavedEdits } from '../../../src-main/contract/writing.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { ChooseHome, PostContent, Within } from '../../../src-main/posts/post-store.ts';
import { createPostStore } from '../../../src-main/posts/stored-posts.ts';
import type { WriteOptions } from '../../../src-main/storage/records/group-commit.ts';
import type { Records } from '../../../src-main/storage/records/records.ts';
import { content, expectSound, note, now, origin, pathsOf } from '../../support/post-folder.ts';
import { memoryPostRows } from '../../support/post-rows.ts';

const path = (slug: string) => `/posts/2026/11/${slug}`;
const keepsAll = <T>(same: T): T => same;

/** A store of posts in memory. */
function store(chooseHome?: ChooseHome) {
  const { records, addresses, ...changes } = memoryPostRows();
  return {
    records,
    addresses,
    changes,
    posts: createPostStore({
      records,
      changes,
      base: () => origin,
      homeChooser: () => chooseHome,
    }),
  };
}

describe('the former addresses of a post', () => {
  test('are its own: it gets one back when its slug is changed back, and no other post ever has one', async () => {
    const { records, posts } = store();
    const first = await posts.create(note('One'), { slug: 'a', now });
    await posts.change(first.path, keepsAll, { slug: 'b', now });
    const other = await posts.create(note('Other'), { slug: 'a', now });
    expect(other.path).toBe(path('a-2'));
    await expect(posts.create(note('Third'), { slug: 'a', isExact: true, now })).rejects.toMatchObject({
      code: 'slug_taken',
      status: 409,
    });
    await expect(posts.change(other.path, keepsAll, { slug: 'b', isExact: true, now })).rejects.toMatchObject(
      { code: 'slug_taken' },
    );

    const back = await posts.change(path('b'), keepsAll, { slug: 'a', now });
    expect(back.path).toBe(path('a'));
    expect(await posts.movedTo(path('a'))).toBeUndefined();
    expect(await posts.movedTo(path('b'))).toBe(path('a'));
    expect(await posts.get(path('b'))).toBeUndefined();
    expect((await posts.create(note('Fourth'), { slug: 'b', now })).path).toBe(path('b-2'));
    expect(pathsOf(await posts.list({ limit: 9 })).sort()).toEqual([path('a'), path('a-2'), path('b-2')]);
    await expectSound(records);
  });

  test('all lead to it, however often it moves to and fro, and its versions move with it', async () => {
    const { records, posts, addresses } = store();
    await posts.create(note('0'), { slug: 'a', now });
    let at = path('a');
    for (const [turn, slug] of ['b', 'c', 'a', 'b', 'a', 'c'].entries()) {
      addresses.length = 0;
      const moved = await posts.change(at, () => note(String(turn + 1)), { slug, now: now + turn });
      expect(moved.path).toBe(path(slug));
      expect(new Set(addresses)).toEqual(new Set([at, ...(turn < 2 ? [] : [moved.path])]));
      at = moved.path;
      for (const one of ['a', 'b', 'c'].filter((name) => path(name) !== at)) {
        if (turn < 1 && one === 'c') continue;
        expect(await posts.movedTo(path(one))).toBe(at);
      }
    }
    const texts = (await posts.history(at)).map((version) => version.content.properties['content']);
    expect(texts).toEqual([['5'], ['4'], ['3'], ['2'], ['1'], ['0']]);
    expect((await posts.formerPaths()).sort()).toEqual([path('a'), path('b')]);
    expect((await posts.list({ limit: 9 })).items).toHaveLength(1);
    await expectSound(records);
  });

  test('that another Porchlight had are added, unless a post has or had them', async () => {
    const { posts } = store();
    const { path: one } = await posts.create(note('One'), { slug: 'one', now });
    const { path: two } = await posts.create(note('Two'), { slug: 'two', now });
    await posts.addFormerPaths(one, ['/posts/2020/01/old', two, 'https://elsewhere.example/', one]);
    expect(await posts.movedTo('/posts/2020/01/old')).toBe(one);
    expect((await posts.get(two))?.properties.content).toEqual(['Two']);
    await posts.addFormerPaths(two, ['/posts/2020/01/old']);
    expect(await posts.movedTo('/posts/2020/01/old')).toBe(one);
  });
});

describe('the id of a post’s entry in feeds', () => {
  test('is the URL at which it was listed first, and stays when the post moves or gets a page elsewhere', async () => {
    const { posts } = store();
    const draft = await posts.create({ ...note('One'), status: 'draft' }, { slug: 'a', now });
    expect(draft).not.toHaveProperty('feedId');
    await posts.change(path('a'), keepsAll, { slug: 'b', now });
    const listed = await posts.change(path('b'), (old) => ({ ...old, status: 'published' }), { now });
    expect(listed.feedId).toBe(`${origin}${path('b')}`);
    const home = { url: 'https://me.example/b/', file: 'b.md', former: [], written: {}, liveAt: null };
    await posts.setHome(path('b'), () => home);
    const moved = await posts.change(path('b'), () => note('Two'), { slug: 'c', now });
    expect(moved.feedId).toBe(listed.feedId);
    const [version] = await posts.history(path('c'));
    expect(version?.content).not.toHaveProperty('feedId');
    await posts.setDeleted(path('c'), true, now);
    expect((await posts.renew(path('c'), note('Three'), now))?.feedId).toBe(listed.feedId);
  });
});

describe('at the same time', () => {
  test('sixteen posts with the same slug get sixteen paths', async () => {
    const { records, posts } = store();
    const made = await Promise.all(
      Array.from({ length: 16 }, (_, turn) => posts.create(note(String(turn)), { slug: 'same', now })),
    );
    const numbered = Array.from({ length: 15 }, (_, turn) => path(`same-${turn + 2}`));
    expect(made.map((post) => post.path).sort()).toEqual([path('same'), ...numbered].sort());
    for (const post of made) expect(await posts.get(post.path)).toEqual(post);
    await expectSound(records);
  });

  test('sixteen posts get sixteen paths and URLs, also while their locations are chosen', async () => {
    const { records, posts } = store(slowly);
    const made = await Promise.all(
      Array.from({ length: 16 }, (_, turn) => posts.create(note(String(turn)), { slug: 'same', now })),
    );
    expect(new Set(made.map((post) => post.path)).size).toBe(16);
    expect(new Set(made.map(({ home }) => home?.url)).size).toBe(16);
    for (const post of made) expect(await posts.atHome(post.home?.url ?? '')).toBe(post.path);
    await expectSound(records);
  });

  test('of two posts that ask for the same slug exactly, one is refused', async () => {
    const { posts } = store();
    const exactly = { slug: 'same', isExact: true, now };
    const both = await Promise.allSettled([
      posts.create(note('One'), exactly),
      posts.create(note('Two'), exactly),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(pathsOf(await posts.list({ limit: 9 }))).toEqual([path('same')]);
  });

  test('two changes of a post both count, and each has the post before it', async () => {
    const { posts } = store();
    await posts.create(content({ category: [] }), { slug: 'a', now });
    const seen: unknown[] = [];
    const add = (name: string) =>
      posts.change(
        path('a'),
        (old) => ({ ...old, properties: { ...old.properties, category: [...categoriesIn(old), name] } }),
        { now, within: (_transaction, { before }) => void seen.push(before && categoriesIn(before)) },
      );
    await Promise.all([add('one'), add('two')]);
    expect((await posts.get(path('a')))?.properties.category).toEqual(['one', 'two']);
    expect(seen).toEqual([[], ['one']]);
    expect((await posts.history(path('a'))).map((version) => categoriesIn(version.content))).toEqual([
      ['one'],
      [],
    ]);
  });

  test('a move, a change and a record elsewhere about a post all count', async () => {
    const { records, posts } = store(slowly);
    const { path: at } = await posts.create(note('One'), { slug: 'a', now });
    const outcomes = await Promise.allSettled([
      posts.change(at, keepsAll, { slug: 'b', now }),
      posts.setHome(at, (home) => home && { ...home, written: { 'notes/a.md': 'abc' } }),
      posts.change(at, () => note('Two'), { now }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    const post = await posts.get(path('b'));
    expect(post).toMatchObject({
      properties: { content: ['Two'] },
      home: { url: 'https://me.example/notes/b/', written: { 'notes/a.md': 'abc' } },
    });
    await Promise.all([posts.setDeleted(path('b'), true, now), posts.setDeleted(at, true, now)]);
    expect((await posts.get(path('b')))?.deletedAt).not.toBeNull();
    await expectSound(records);
  });

  test('changes of one post are made in the order in which they came, and none is made twice', async () => {
    const { records, posts } = store();
    const { path: at } = await posts.create(note('One'), { slug: 'a', now });
    let writes = 0;
    inLaterTurns(records, () => (writes += 1));
    const names = Array.from({ length: 30 }, (_, number) => `c${number}`);
    await Promise.all(
      names.map((name) =>
        posts.change(at, (old) => ({ ...old, properties: { category: [...categoriesIn(old), name] } }), {
          now,
        }),
      ),
    );
    expect((await posts.get(at))?.properties['category']).toEqual(names);
    expect(writes).toBe(names.length);
    await expectSound(records);
  });

  test('a change that only ends a post after another change is made as an ending', async () => {
    const { records, posts } = store();
    const { path: at } = await posts.create(note('One'), { slug: 'a', now });
    const made: unknown[] = [];
    inLaterTurns(records, (how) => made.push(how?.ends));
    const hides = (old: PostContent): PostContent => ({
      ...old,
      visibility: categoriesIn(old).length > 0 ? 'private' : 'public',
    });
    await Promise.all([
      posts.change(at, (old) => ({ ...old, properties: { category: ['x'] } }), { now }),
      posts.change(at, hides, { now: now + 1 }),
    ]);
    expect((await posts.get(at))?.visibility).toBe('private');
    expect(made).toEqual([undefined, undefined, true]);
  });

  test('edits that are kept while a post is changed are not discarded unseen', async () => {
    const { posts } = store(slowly);
    const { path: at } = await posts.create(note('One'), { slug: 'a', now });
    const seen: unknown[] = [];
    await Promise.all([
      posts.change(
        at,
        (_old, _before, kept) => {
          seen.push(kept);
          return note('Two');
        },
        // The location is chosen again, so that the edits come in between.
        { slug: 'b', now },
      ),
      posts.keepEdits(at, edits),
    ]);
    expect(seen).toEqual([null, edits]);
    expect(await posts.edits(path('b'))).toBeNull();
  });
});

describe('rows that are saved within a change', () => {
  const mark: Within = ({ run }, about) => run("INSERT INTO post_state VALUES ('words-of', ?)", about.path);
  const refusal = new PorchlightError('invalid_request', 'No.');
  const refuse: Within = (transaction, about) => {
    mark(transaction, about);
    throw refusal;
  };
  const marks = ({ records }: ReturnType<typeof store>) =>
    records.rows(({ value }) => value, 'SELECT value FROM post_state');

  test('is in its transaction, and gets the path and the post before the change', async () => {
    const scene = store();
    const { posts } = scene;
    const seen: unknown[] = [];
    const within: Within = ({ rows }, { path: at, before }) =>
      void seen.push([at, before?.properties.content, rows('SELECT post FROM posts ORDER BY seq').length]);
    await posts.create(note('One'), { slug: 'a', now, within });
    await posts.change(path('a'), () => note('Two'), { slug: 'b', now, within });
    await posts.setDeleted(path('a'), true, now, within);
    await posts.setDeleted(path('a'), true, now, within);
    await posts.renew(path('b'), note('Three'), now, undefined, within);
    expect(seen).toEqual([
      [path('a'), undefined, 1],
      [path('a'), ['One'], 2],
      [path('b'), ['Two'], 2],
      [path('b'), ['Two'], 2],
    ]);
    await posts.create(note('Marked'), { slug: 'c', now, within: mark });
    expect(marks(scene)).toEqual([path('c')]);
  });

  test('leaves nothing behind if it fails: no post, no version, no move and no discarded edits', async () => {
    const scene = store();
    const { records, posts } = scene;
    await posts.create(note('One'), { slug: 'a', now });
    await posts.change(path('a'), () => note('Two'), { now: now + 1 });
    await posts.keepEdits(path('a'), edits);
    const before = await Promise.all([
      posts.get(path('a')),
      posts.history(path('a')),
      posts.edits(path('a')),
    ]);
    const [version] = before[1];
    if (version === undefined) throw new Error('no version');
    const tries = [
      () => posts.create(note('Never'), { slug: 'never', now, within: refuse }),
      () => posts.change(path('a'), () => note('Three'), { now, within: refuse }),
      () => posts.change(path('a'), () => note('Three'), { slug: 'b', now, within: refuse }),
      () => posts.setDeleted(path('a'), true, now, refuse),
      () =>
        posts.bringIn(note('Never'), {
          path: path('never'),
          now,
          earlier: { history: [version] },
          within: refuse,
        }),
    ];
    for (const one of tries) await expect(one()).rejects.toBe(refusal);
    expect(marks(scene)).toEqual([]);
    expect(
      await Promise.all([posts.get(path('a')), posts.history(path('a')), posts.edits(path('a'))]),
    ).toEqual(before);
    expect(pathsOf(await posts.list({ limit: 9 }))).toEqual([path('a')]);
    expect(await posts.movedTo(path('b'))).toBeUndefined();
    await expectSound(records);
    expect((await posts.create(note('Now'), { slug: 'never', now })).path).toBe(path('never'));
  });

  test('is not called for a change that Porchlight makes itself, which is made to the versions too', async () => {
    const { posts } = store();
    await posts.create(note('One'), { slug: 'a', now });
    await posts.change(path('a'), () => note('Two'), { now });
    await posts.keepEdits(path('a'), edits);
    await posts.change(
      path('a'),
      (old) => ({ ...old, properties: { ...old.properties, syndication: ['https://copy.example/'] } }),
      { now, isOwn: true, within: refuse },
    );
    const syndication = ['https://copy.example/'];
    expect((await posts.get(path('a')))?.properties).toMatchObject({ content: ['Two'], syndication });
    const history = await posts.history(path('a'));
    expect(history.map((version) => version.content.properties)).toMatchObject([
      { content: ['One'], syndication },
    ]);
    expect(await posts.edits(path('a'))).toEqual(edits);
  });
});

describe('a post of which something newer may be missing', () => {
  /** A doubtful post at `a`, to which `old` leads. */
  async function doubtful() {
    const scene = store();
    const { posts, changes } = scene;
    const { path: at } = await posts.create(note('Words'), { slug: 'old', now });
    await posts.change(at, keepsAll, { slug: 'a', now });
    await changes.write((writes) => {
      const row = writes.at({ month: '2026/11', slug: 'a' });
      if (!row?.post || row.id === null) throw new Error('no post');
      writes.put(row.place, { post: row.post, id: row.id }, { isDoubtful: true });
    });
    return scene;
  }
  const damaged = { code: 'storage_damaged', status: 503 };

  test('is shown and changed by nobody, keeps its paths, and is in no list', async () => {
    const { records, posts } = await doubtful();
    await expect(posts.get(path('a'))).rejects.toMatchObject(damaged);
    await expect(posts.movedTo(path('old'))).rejects.toMatchObject(damaged);
    await expect(posts.change(path('a'), () => note('New'), { now })).rejects.toMatchObject(damaged);
    await expect(posts.setDeleted(path('old'), true, now)).rejects.toMatchObject(damaged);
    await expect(posts.keepEdits(path('a'), edits)).rejects.toMatchObject(damaged);
    expect((await posts.list({ limit: 9 })).items).toEqual([]);
    expect((await posts.create(note('Next'), { slug: 'a', now })).path).toBe(path('a-2'));
    expect((await posts.create(note('Next'), { slug: 'old', now })).path).toBe(path('old-2'));
    await expectSound(records);
  });

  test('is offered to the owner, and is shown again unchanged once the owner asks for it', async () => {
    const { records, posts } = await doubtful();
    expect(await posts.damaged(9)).toMatchObject([
      { path: path('a'), copy: { path: path('a'), properties: { content: ['Words'] } }, movedTo: null },
    ]);
    expect(await posts.restoreCopy(path('a'))).toMatchObject({ path: path('a') });
    expect(await posts.damaged(9)).toEqual([]);
    expect(await posts.movedTo(path('old'))).toBe(path('a'));
    expect(pathsOf(await posts.list({ limit: 9 }))).toEqual([path('a')]);
    // Other posts stay as they are.
    const before = await posts.get(path('a'));
    expect(await posts.restoreCopy(path('a'))).toEqual(before);
    expect(await posts.restoreCopy(path('nothing'))).toBeUndefined();
    await expectSound(records);
  });

  test('does not hide the former paths of other posts', async () => {
    const { posts } = await doubtful();
    await posts.create(note('Other'), { slug: 'x', now });
    await posts.change(path('x'), keepsAll, { slug: 'y', now });
    expect(await posts.formerPaths()).toEqual([path('x')]);
  });
});

test('lists show a very long post only begun, also after a change, and its page shows it whole', async () => {
  const { posts } = store();
  const text = 'word '.repeat(100_000);
  const lengthInLists = async () => {
    const listed = await posts.list({ limit: 1, isBegun: true });
    const search = { texts: ['word'], limit: 1, now, pace: { step: () => undefined } };
    const found = await posts.search(search);
    return [listed, found].map(({ items }) => JSON.stringify(items[0]).length);
  };
  const { path: at } = await posts.create(note(text), { slug: 'long', now });
  for (const length of await lengthInLists()) expect(length).toBeLessThan(10_000);
  expect(JSON.stringify((await posts.list({ limit: 1 })).items[0]).length).toBeGreaterThan(text.length);
  expect((await posts.get(at))?.properties['content']).toEqual([text]);
  await posts.change(at, (content) => ({ ...content, properties: { content: ['Short words'] } }), { now });
  const { items } = await posts.list({ limit: 1, isBegun: true });
  expect(items[0]?.properties['content']).toEqual(['Short words']);
});

/** Makes each transaction in a later turn of the event loop, as the database does. `seen`: called with how it is made. */
function inLaterTurns(records: Pick<Records, 'write'>, seen: (how?: WriteOptions) => void): void {
  const { write } = records;
  records.write = async (change, how) => {
    seen(how);
    await new Promise((resolve) => setImmediate(resolve));
    return write(change, how);
  };
}

const categoriesIn = ({ properties }: { properties: Record<string, readonly unknown[]> }) =>
  properties['category'] ?? [];

const edits: UnsavedEdits = {
  post: {
    text: 'Edited',
    format: 'plain',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  },
  version: 'first',
  savedAt: '2026-11-20T11:00:00.000Z',
};

/** Chooses the first URL that is free, and lets others go first. */
const slowly: ChooseHome = async ({ path: at }, isFree) => {
  const slug = at.split('/').at(-1) ?? '';
  await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 1; ; turn += 1) {
    const url = `https://me.example/notes/${turn === 1 ? slug : `${slug}-${turn}`}/`;
    if (isFree(url)) return { url, file: `notes/${slug}.md` };
  }
};
