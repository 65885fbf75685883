import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EarlierPost, StoredPost } from '../../../src-main/posts/post-document.ts';
import { documentKinds } from '../../../src-main/storage/document-kinds.ts';
import { expectSound } from '../../support/post-folder.ts';
import { memoryPostRows } from '../../support/post-rows.ts';
import { runs } from '../../support/runs.ts';

const at = '2026-11-20T10:00:00.000Z';
const place = (slug: string) => ({ month: '2026/11', slug });
const path = (slug: string) => `/posts/2026/11/${slug}`;
const idOf = (slug: string) => slug.padStart(16, '0');

function post(text: string, over: Partial<StoredPost> = {}): StoredPost {
  const times = { createdAt: at, updatedAt: at, deletedAt: null };
  const rest = { commands: {}, status: 'published', visibility: 'public', ...times, ...over } as const;
  return { type: ['h-entry'], properties: { content: [text] }, ...rest };
}

const homeAt = (url: string, former: readonly string[] = []): Partial<StoredPost> => ({
  home: { url, file: 'notes/a.md', former: [...former], written: {}, liveAt: null },
});

const version = (text: string): EarlierPost => ({
  replacedAt: at,
  by: null,
  content: {
    type: ['h-entry'],
    properties: { content: [text] },
    commands: {},
    status: 'published',
    visibility: 'public',
  },
});
const versions = (texts: string) => Array.from(texts, version);

describe('the earlier versions of a post', () => {
  const id = idOf('a');

  /** A post with versions, and the numbers and texts of all versions that are stored. */
  async function withVersions(texts: string) {
    const rows = memoryPostRows();
    const set = (next: string) => rows.write((writes) => writes.setHistory(id, versions(next)));
    await rows.write((writes) => writes.setHistory(idOf('other'), versions('xyz')));
    await set(texts);
    const numbers = () =>
      rows.records.rows(
        ({ number }) => Number(number),
        'SELECT number FROM post_versions WHERE post = ? ORDER BY number DESC',
        id,
      );
    return { ...rows, set, numbers };
  }

  test('get one more, and those before keep their rows', async () => {
    const { reads, set, numbers } = await withVersions('cba');
    expect(numbers()).toEqual([3, 2, 1]);
    await set('dcba');
    expect(numbers()).toEqual([4, 3, 2, 1]);
    expect(reads.history(id)).toEqual(versions('dcba'));
  });

  test('get one more while the oldest are left out', async () => {
    const { reads, set, numbers } = await withVersions('cba');
    await set('dc');
    expect(numbers()).toEqual([4, 3]);
    await set('d');
    expect(numbers()).toEqual([4]);
    expect(reads.history(id)).toEqual(versions('d'));
  });

  test('are replaced if one in the middle has changed, and get new numbers', async () => {
    const { reads, set, numbers } = await withVersions('cba');
    await set('cXa');
    expect(numbers()).toEqual([6, 5, 4]);
    expect(reads.history(id)).toEqual(versions('cXa'));
  });

  test('stay unchanged if nothing has changed, and are deleted if there are none left', async () => {
    const { records, set, numbers } = await withVersions('cba');
    const before = records.rows(({ n }) => n, 'SELECT total_changes() AS n');
    await set('cba');
    expect(records.rows(({ n }) => n, 'SELECT total_changes() AS n')).toEqual(before);
    await set('');
    expect(numbers()).toEqual([]);
  });

  test('are the last ones that were set, whatever was stored before, and never those of another post', async () => {
    const some = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 5 }).map((texts) => texts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 6 }), async (steps) => {
        const { reads, set } = await withVersions('');
        for (const texts of steps) {
          await set(texts);
          expect(reads.history(id)).toEqual(versions(texts));
        }
        expect(reads.history(idOf('other'))).toEqual(versions('xyz'));
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('a row', () => {
  test('counts its changes: each is one more, and at least the number that is given', async () => {
    const { reads, write } = memoryPostRows();
    const put = (text: string, counter?: number) =>
      write((writes) =>
        writes.put(place('a'), { post: post(text), id: idOf('a') }, counter === undefined ? {} : { counter }),
      );
    const counters: unknown[] = [];
    const seen = () => counters.push(reads.at(place('a'))?.counter);
    await put('One');
    seen();
    await put('Two');
    seen();
    await put('Three', 9);
    seen();
    await put('Four', 3);
    seen();
    await write((writes) => writes.touch(place('a')));
    seen();
    await write((writes) => writes.put(place('a'), { movedTo: path('b') }));
    seen();
    expect(counters).toEqual([1, 2, 9, 10, 11, 12]);
  });

  test('of a post that moved is a redirect to its new row, which has its id and its history', async () => {
    const { records, reads, write, addresses } = memoryPostRows();
    const id = idOf('a');
    await write((writes) => {
      writes.put(place('a'), { post: post('One'), id });
      writes.setHistory(id, versions('a'));
    });
    expect(addresses).toEqual([]);
    await write((writes) => {
      writes.put(place('a'), { movedTo: path('b') });
      writes.put(place('b'), { post: post('Two'), id }, { counter: 2 });
    });
    expect(reads.at(place('a'))).toMatchObject({ post: null, id: null, movedTo: path('b') });
    expect(reads.at(reads.endOf(place('a')))).toMatchObject({ place: place('b'), id, post: post('Two') });
    expect(reads.pageAt(path('a'))).toBe(path('b'));
    expect(reads.placeOf(id)).toEqual(place('b'));
    expect(reads.history(id)).toEqual(versions('a'));
    expect(reads.formerPlaces()).toEqual([place('a')]);
    expect(addresses).toEqual([path('a')]);
    await expectSound(records);
  });

  test('is found through many moves, and a circle of redirects ends', async () => {
    const { reads, write } = memoryPostRows();
    await write((writes) => {
      for (let turn = 0; turn < 12; turn += 1)
        writes.put(place(`p${turn}`), { movedTo: path(`p${turn + 1}`) });
      writes.put(place('p12'), { post: post('Here'), id: idOf('a') });
      writes.put(place('x'), { movedTo: path('y') });
      writes.put(place('y'), { movedTo: path('x') });
    });
    expect(reads.at(reads.endOf(place('p0')))?.place).toEqual(place('p12'));
    expect(reads.pageAt(path('p0'))).toBe(path('p12'));
    expect(reads.at(reads.endOf(place('x')))?.post).toBeNull();
    expect(reads.at(reads.endOf(place('nothing')))).toBeUndefined();
  });

  test('that is removed takes everything along, and its addresses are noticed', async () => {
    const { records, reads, write, addresses } = memoryPostRows();
    const id = idOf('a');
    const url = 'https://me.example/notes/a/';
    await write((writes) => {
      writes.put(place('a'), { post: post('Gone', homeAt(url)), id });
      writes.setHistory(id, versions('ba'));
      writes.setEdits(id, { version: 'first', savedAt: at, post: editedText });
    });
    expect(reads.edits(id)?.post.text).toBe('Edited');
    addresses.length = 0;
    await write((writes) => writes.remove(place('a')));
    expect(reads.at(place('a'))).toBeUndefined();
    expect(reads.history(id)).toEqual([]);
    expect(reads.edits(id)).toBeNull();
    expect(reads.atHome(url)).toBeUndefined();
    expect(addresses).toHaveLength(1);
    await expectSound(records);
    await write((writes) => writes.remove(place('nothing')));
  });

  test('of a post that is too large to be read again is refused, and nothing is changed', async () => {
    const { reads, write } = memoryPostRows();
    await write((writes) => writes.put(place('a'), { post: post('Small'), id: idOf('a') }));
    const large = post('x'.repeat(documentKinds.post));
    await expect(
      write((writes) => writes.put(place('a'), { post: large, id: idOf('a') })),
    ).rejects.toMatchObject({ code: 'storage_invalid' });
    expect(reads.at(place('a'))?.post).toEqual(post('Small'));
  });
});

const editedText = {
  text: 'Edited',
  format: 'plain' as const,
  photos: [],
  categories: [],
  visibility: 'public' as const,
  status: 'published' as const,
};

describe('the URLs on the owner’s own site', () => {
  const [old, next] = ['https://me.example/notes/old/', 'https://me.example/notes/new/'];

  test('lead to the post however they are spelled, also the former ones', async () => {
    const { records, reads, write, addresses } = memoryPostRows();
    await write((writes) => writes.put(place('a'), { post: post('A', homeAt(old)), id: idOf('a') }));
    expect(addresses).toHaveLength(1);
    await write((writes) => writes.put(place('a'), { post: post('A', homeAt(next, [old])), id: idOf('a') }));
    expect(new Set(addresses).size).toBe(2);
    for (const url of [old, next, `${next}#top`, next.replace('me.example', 'ME.example')])
      expect(reads.atHome(url), url).toEqual(place('a'));
    expect(reads.homeUrl(path('a'))).toBe(next);
    expect(reads.pageAt(next.replace('https', 'http'))).toBe(path('a'));
    expect(reads.leftPages()).toEqual([place('a')]);
    expect(reads.homeOrigins()).toEqual(['https://me.example/']);
    await expectSound(records);
  });

  test('of a doubtful post are taken, too, so that no other post gets them', async () => {
    const { reads, write } = memoryPostRows();
    await write((writes) =>
      writes.put(place('a'), { post: post('A', homeAt(old)), id: idOf('a') }, { isDoubtful: true }),
    );
    expect(reads.atHome(old)).toEqual(place('a'));
    expect(reads.homeUrl(path('a'))).toBe(old);
    expect(reads.doubtful(9).map(({ place: one }) => one)).toEqual([place('a')]);
    expect(reads.homeless()).toBe(0);
  });
});

describe('derived columns', () => {
  const categories = fc.array(fc.constantFrom('tea', 'porch', 'tea\0', 'TEA'), { maxLength: 3 });
  const step = fc.record({
    slug: fc.constantFrom('a', 'b', 'c'),
    what: fc.constantFrom('put', 'doubt', 'move', 'remove', 'unfile'),
    deleted: fc.boolean(),
    draft: fc.boolean(),
    home: fc.boolean(),
    category: categories,
  });

  test('is right after any changes, and filing all rows again changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { records, write } = memoryPostRows();
        for (const { slug, what, deleted, draft, home, category } of steps)
          await write((writes, { run }) => {
            if (what === 'remove') writes.remove(place(slug));
            else if (what === 'move') writes.put(place(slug), { movedTo: path('a') });
            else if (what === 'unfile') run('UPDATE posts SET filed = NULL WHERE slug = ?', slug);
            else
              writes.put(
                place(slug),
                {
                  post: {
                    ...post(slug, home ? homeAt(`https://me.example/${slug}/`) : {}),
                    deletedAt: deleted ? at : null,
                    status: draft ? 'draft' : 'published',
                    properties: { content: [slug], category },
                  },
                  id: idOf(slug),
                },
                { isDoubtful: what === 'doubt' },
              );
          });
        await write((writes) => {
          while (writes.fileSome(2) > 0);
        });
        await expectSound(records);
        await write((_writes, { run }) => run('UPDATE posts SET filed = NULL'));
        await write((writes) => {
          while (writes.fileSome(2) > 0);
        });
        await expectSound(records);
      }),
      { numRuns: runs(150) },
    );
  });

  test('is filed in steps for rows that a repair brings, whose addresses are noticed', async () => {
    const { records, reads, lists, write, addresses, versions: shown } = memoryPostRows();
    const insert =
      'INSERT INTO posts (month, slug, counter, doubtful, id, post, moved_to) VALUES (?, ?, ?, ?, ?, ?, ?)';
    await records.write(({ run }) => {
      for (const [index, slug] of ['a', 'b', 'c'].entries()) {
        const home = homeAt(`https://me.example/${slug}/`);
        run(
          insert,
          '2026/11',
          slug,
          4,
          slug === 'c' ? 1 : 0,
          idOf(slug),
          JSON.stringify(post(slug, home)),
          null,
        );
        if (index === 2) run(insert, '2026/11', 'old', 1, 0, null, null, path('a'));
      }
    });
    expect((await lists.list({ limit: 9 })).items).toEqual([]);
    const before = shown.of('posts');
    expect(await write((writes) => writes.fileSome(3))).toBe(3);
    expect(shown.of('posts')).not.toEqual(before);
    expect(await write((writes) => writes.fileSome(3))).toBe(1);
    expect(await write((writes) => writes.fileSome(3))).toBe(0);
    expect((await lists.list({ limit: 9 })).items.map((one) => one.path)).toEqual([path('b'), path('a')]);
    expect(reads.atHome('https://me.example/a/')).toEqual(place('a'));
    expect(addresses).toHaveLength(4);
    expect(addresses).toContain(path('old'));
    await expectSound(records);
  });

  test('has each post in the full-text table once, after it was emptied and filled again in steps', async () => {
    const { records, lists, write } = memoryPostRows();
    await write((writes) => {
      for (const slug of ['a', 'b', 'c'])
        writes.put(place(slug), { post: post(`Tea ${slug}`), id: idOf(slug) });
      writes.put(place('old'), { movedTo: path('a') });
      writes.put(place('d'), { post: post('Tea d'), id: idOf('d') }, { isDoubtful: true });
    });
    await records.write(({ run }) => run('DELETE FROM post_words'));
    const found = async () => (await lists.list({ limit: 9, filter: { text: 'tea' } })).items.length;
    expect(await found()).toBe(0);
    const steps: (number | undefined)[] = [0];
    while (steps.at(-1) !== undefined) {
      const after = steps.at(-1) ?? 0;
      steps.push(await write((writes) => writes.addWords(after, 2)));
    }
    expect(steps).toHaveLength(4);
    expect(await found()).toBe(3);
    await write((writes) => writes.addWords(0, 9));
    expect(await found()).toBe(3);
    await expectSound(records);
  });
});
