import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { UnsavedEdits } from '../../../src-main/contract/writing.ts';
import {
  content,
  expectSound,
  month,
  newStoreWithFiles,
  note,
  now,
  pathsOf,
} from '../../support/post-folder.ts';
import { readJsonFile, temporaryFolder } from '../../support/storage-folder.ts';

const nothing = { changed: [], added: [], missing: [], ended: [], unreadable: [], conflicts: [] };

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

/** A post whose file is written. */
async function written() {
  const store = await newStoreWithFiles();
  const { path } = await store.posts.create(note('Old words'), { slug: 'a', now });
  await store.copies.settled();
  const file = store.fileOf(path);
  return {
    ...store,
    path,
    file,
    edit: async (from: string, to: string) => {
      const text = await readFile(file, 'utf8');
      expect(text).toContain(from);
      await writeFile(file, text.replace(from, to));
    },
    /** Changes the post, and waits for its file. */
    change: async (text: string) => {
      await store.posts.change(path, () => note(text), { now: now + 1 });
      await store.copies.settled();
    },
    names: async () => (await readdir(dirname(file))).sort(),
  };
}

describe('the file of a post', () => {
  test('has everything: the post, its versions, the unsaved edits, its id and the number of its row', async () => {
    const { posts, path, file, change, copies, files } = await written();
    await change('New words');
    await posts.keepEdits(path, edits);
    await copies.settled();
    expect(await readJsonFile(file)).toMatchObject({
      post: { properties: { content: ['New words'] } },
      history: [{ by: null, content: { properties: { content: ['Old words'] } } }],
      edits,
      id: expect.stringMatching(/^[\w-]{16}$/) as string,
      counter: 3,
      seal: expect.any(String) as string,
    });
    expect(await files.look()).toEqual(nothing);
  });

  test('that somebody edited changes nothing, and is kept under another name before it is written again', async () => {
    const { posts, path, file, edit, change, files, names } = await written();
    await edit('Old words', 'Words by hand');
    expect(await files.look()).toEqual({ ...nothing, changed: [`${month}/a.json`] });
    expect((await posts.get(path))?.properties.content).toEqual(['Old words']);
    await change('New words');
    expect(await readFile(file, 'utf8')).toContain('New words');
    expect(await readFile(`${file}.edited`, 'utf8')).toContain('Words by hand');
    await edit('New words', 'More by hand');
    await change('Newer words');
    expect(await readFile(`${file}.edited-2`, 'utf8')).toContain('More by hand');
    expect(await names()).toEqual(['a.json', 'a.json.edited', 'a.json.edited-2']);
    // What was kept is no post, and no other version of one.
    expect(await files.look()).toEqual(nothing);
    expect((await posts.list({ limit: 9 })).items).toHaveLength(1);
  });

  test.each([
    ['formatted', (text: string) => JSON.stringify(JSON.parse(text))],
    ['copied back after a change', (text: string) => text],
  ])('that was only %s is written again, and not kept', async (_what, changed) => {
    const { file, change, names } = await written();
    const before = await readFile(file, 'utf8');
    await change('New words');
    await writeFile(file, changed(before));
    await change('Newer words');
    expect(await readFile(file, 'utf8')).toContain('Newer words');
    expect(await names()).toEqual(['a.json']);
  });

  test.each([
    ['nobody can read', (file: string) => writeFile(file, '{ "format": 3, "po')],
    ['a newer Porchlight wrote', (file: string) => writeFile(file, '{"format":99,"post":null}')],
    ['is a folder', (file: string) => rm(file).then(() => mkdir(file))],
  ])('that %s stays under another name, and the post is written', async (_what, damage) => {
    const { file, change, names, files } = await written();
    await damage(file);
    expect((await files.look()).unreadable).toMatchObject([{ file: `${month}/a.json` }]);
    await change('New words');
    expect(await names()).toEqual(['a.json', 'a.json.edited']);
    expect(await readFile(file, 'utf8')).toContain('New words');
    expect(await files.look()).toEqual(nothing);
  });

  test('that is missing is reported, and is written again with the next change', async () => {
    const { file, change, files } = await written();
    await rm(file);
    expect(await files.look()).toEqual({ ...nothing, missing: [`${month}/a.json`] });
    await change('New words');
    expect(await readFile(file, 'utf8')).toContain('New words');
    expect(await files.look()).toEqual(nothing);
  });

  test('is written later if its folder accepts no files now, and the change itself counts', async () => {
    const { posts, copies, dir, fileOf, reopened } = await newStoreWithFiles();
    await writeFile(join(dir, 'posts'), 'in the way');
    const { path } = await posts.create(note('Words'), { slug: 'a', now });
    await copies.settled();
    expect((await posts.get(path))?.properties.content).toEqual(['Words']);
    await rm(join(dir, 'posts'));
    const again = await reopened();
    await again.copies.settled();
    expect(await readFile(fileOf(path), 'utf8')).toContain('Words');
  });
});

describe('a database that has not read the files', () => {
  /** Another data folder with the same files. `change`: made to them before. */
  async function filesOnly(
    from: string,
    change: (posts: string) => Promise<unknown> = () => Promise.resolve(),
  ) {
    const dir = await temporaryFolder();
    await cp(join(from, 'posts'), join(dir, 'posts'), { recursive: true });
    await change(join(dir, 'posts', month));
    return newStoreWithFiles(dir);
  }

  /** Expects that nobody sees the post of a damaged file, and that nobody else gets its path. */
  async function expectLost({ posts }: Awaited<ReturnType<typeof filesOnly>>, path: string): Promise<void> {
    await expect(posts.get(path)).rejects.toMatchObject({ code: 'storage_damaged', status: 503 });
    expect(await posts.damaged(5)).toEqual([{ path, copy: null, movedTo: null }]);
    const slug = path.split('/').at(-1) ?? '';
    expect((await posts.create(note('Mine'), { slug, now })).path).toBe(`${path}-2`);
  }

  test('gets all that they hold, and each post its own id', async () => {
    const { posts, dir, copies, path, change, records: old } = await written();
    await change('New words');
    await posts.keepEdits(path, edits);
    const moved = await posts.change(path, (same) => same, { slug: 'b', by: 'App', now: now + 2 });
    await copies.settled();
    const again = await filesOnly(dir, (folder) => cp(join(folder, 'b.json'), join(folder, 'copied.json')));
    expect(pathsOf(await again.posts.list({ limit: 9 }))).toEqual(['/posts/2026/11/copied', moved.path]);
    for (const one of [moved.path, '/posts/2026/11/copied']) {
      const { feedId: _feedId, ...whole } = moved;
      expect(await again.posts.get(one)).toMatchObject({ ...whole, path: one });
      expect(await again.posts.history(one)).toEqual(await posts.history(moved.path));
      expect(await again.posts.edits(one)).toEqual(edits);
    }
    expect(await again.posts.movedTo(path)).toBe(moved.path);
    const idAt = (records: typeof old, slug: string) =>
      records.rows(({ id }) => id, 'SELECT id FROM posts WHERE slug = ?', slug)[0];
    expect(idAt(again.records, 'b')).toBe(idAt(old, 'b'));
    expect(idAt(again.records, 'copied')).not.toBe(idAt(old, 'b'));
    expect(again.recoveries).toEqual([]);
    await expectSound(again.records);
  });

  test.each([
    ['a newer Porchlight wrote', '{"format":99,"post":null}'],
    ['holds neither a post nor a redirect', '{"format":3,"post":null,"movedTo":null}'],
  ])('leaves out only a file that %s, and leaves it unchanged', async (_what, text) => {
    const { posts, dir, copies } = await written();
    await posts.create(note('Later', '2026-12-05T10:00:00Z'), { slug: 'later', now });
    await copies.settled();
    const again = await filesOnly(dir, (folder) => writeFile(join(folder, '0.json'), text));
    expect(pathsOf(await again.posts.list({ limit: 9 }))).toEqual([
      '/posts/2026/12/later',
      '/posts/2026/11/a',
    ]);
    const file = join(again.dir, 'posts', month, '0.json');
    expect((await again.files.look()).unreadable).toMatchObject([{ file: `${month}/0.json` }]);
    expect(await readFile(file, 'utf8')).toBe(text);
    await expectLost(again, '/posts/2026/11/0');
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('keeps the place of a file that nobody can read and that has no previous version', async () => {
    const { dir } = await written();
    const again = await filesOnly(dir, (folder) => writeFile(join(folder, '0.json'), '{ "format": 3, "po'));
    expect(pathsOf(await again.posts.list({ limit: 9 }))).toEqual(['/posts/2026/11/a']);
    const file = join(again.dir, 'posts', month, '0.json');
    await expectLost(again, '/posts/2026/11/0');
    expect(await readFile(file, 'utf8')).toBe('{ "format": 3, "po');
    expect((await again.files.look()).unreadable).toMatchObject([{ file: `${month}/0.json` }]);
  });

  test('reads a post of format 1, which does not name its app', async () => {
    const { posts, dir, copies } = await newStoreWithFiles();
    const { path, ...post } = await posts.create(content({ content: ['old'] }, { visibility: 'private' }), {
      slug: 'a',
      now,
    });
    await copies.settled();
    const older = { format: 1, post, movedTo: null, movedFrom: null };
    const again = await filesOnly(dir, (folder) => writeFile(join(folder, 'a.json'), JSON.stringify(older)));
    expect(await again.posts.get(path)).toEqual({ path, ...post });
    const readableBy = { app: 'https://app.example/', now };
    expect((await again.posts.list({ limit: 5, filter: { readableBy } })).items).toEqual([]);
    const own = await again.posts.create(content({ content: ['new'] }, { status: 'draft' }), {
      now,
      createdBy: readableBy.app,
    });
    expect((await again.posts.list({ limit: 5, filter: { readableBy } })).items).toEqual([own]);
  });

  test('continues where an earlier start was stopped, and reads only files that are newer than their row', async () => {
    const { posts, dir, copies } = await newStoreWithFiles();
    for (const published of ['2026-09-15', '2026-10-15', '2026-11-15'])
      await Promise.all(
        Array.from({ length: 50 }, (_, number) =>
          posts.create(note(`Words of ${number}`, `${published}T10:00:00Z`), { slug: `p-${number}`, now }),
        ),
      );
    await copies.settled();
    const again = await filesOnly(dir);
    // As if a start had been killed after half of the files.
    await again.changes.write((writes, { run }) => {
      run("DELETE FROM posts WHERE month <> '2026/10'");
      run("UPDATE posts SET counter = 9 WHERE slug = 'p-1'");
      run("UPDATE posts SET doubtful = 1 WHERE slug = 'p-2'");
      run("UPDATE posts SET doubtful = 1, counter = 9 WHERE slug = 'p-3'");
      run(`UPDATE posts SET filed = NULL, position = NULL, at = NULL, kind = NULL, status = NULL, visibility = NULL,
        deleted = NULL, listed = NULL, homeless = NULL, behind = NULL`);
      for (const table of ['post_categories', 'list_counts', 'post_words']) run(`DELETE FROM ${table}`);
      writes.setState('read', undefined);
    });
    const last = await again.reopened();
    expect(pathsOf(await last.posts.list({ limit: 400 }))).toHaveLength(149);
    expect((await last.posts.damaged(9)).map(({ path }) => path)).toEqual(['/posts/2026/10/p-3']);
    expect(last.posts.progress()).toBeUndefined();
    await expectSound(last.records);
  });
});
