import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSite, type Site } from '../../support/client-app.ts';
import { contentsOf, exportedSlugs, fillExport } from '../../support/export-scene.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { zipFolder } from '../../support/post-archives.ts';

let folder: string;
let exported: string;
let bo: Site;
/** The server that made the export. No test changes its data. */
let first: Porchlight;
let whole: string;
let second: Porchlight;

/** Starts a server with the same data as `first`, for a test that changes them. */
async function filled(): Promise<Porchlight> {
  const house = await startPorchlight();
  onTestFinished(() => house.remove());
  await fillExport(house, bo);
  return house;
}

beforeAll(async () => {
  whole = await mkdtemp(join(tmpdir(), 'porchlight-own-export-whole-'));
  bo = await openSite();
  first = await startPorchlight();
  await fillExport(first, bo);
  await first.call('data.export', { path: join(whole, 'export') });
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-own-export-'));
  exported = join(folder, 'export');
  await cp(join(whole, 'export'), exported, { recursive: true });
  second = await startPorchlight();
});

afterEach(async () => {
  await second.remove();
  await rm(folder, { recursive: true, force: true });
});

afterAll(async () => {
  await Promise.all([first.remove(), bo.close()]);
  await rm(whole, { recursive: true, force: true });
});

const importInto = (house: Porchlight, path = exported, more = {}) =>
  house.call('posts.import', { path, format: 'auto', ...more });
const empty = { posts: [], files: [], mentions: [], pages: [] };

/** Changes a file of the export. */
async function edit(name: string, change: (text: string) => string): Promise<void> {
  const file = join(exported, 'porchlight', name);
  await writeFile(file, change(await readFile(file, 'utf8')));
}

describe('R01 the import of Porchlight’s own export', () => {
  test('takes posts with all properties, files, mentions and pages; a second one creates nothing', async () => {
    const check = await importInto(second, exported, { dryRun: true });
    expect(check).toMatchObject({
      format: 'porchlight',
      state: 'checked',
      found: 8,
      imported: 0,
      mentions: 5,
      pages: 1,
      skipped: [],
    });
    expect(await contentsOf(second)).toEqual(empty);

    const report = await importInto(second, exported, { ownExport: true });
    expect(report).toMatchObject({
      state: 'done',
      found: 8,
      imported: 8,
      mentions: 5,
      pages: 1,
      skipped: [],
    });
    const before = await contentsOf(first);
    const after = await contentsOf(second);
    expect(after).toEqual(before);
    for (const slug of exportedSlugs)
      expect(after.posts.map(({ path }) => path)).toContainEqual(expect.stringMatching(`/${slug}$`));
    expect((await second.call('posts.imports', {})).items).toMatchObject([
      { posts: 8, files: 2, mentions: 5, pages: 1, ownExport: true, state: 'done' },
    ]);
    // Files lead to this server, former paths lead to their posts, and private posts stay private.
    const shown = await (await fetch(`${second.base}/posts/2025/03/article`)).text();
    expect(shown).toContain('Reply');
    const [, picture = ''] = /<img src="([^"]*\/media\/[^"]*)" alt="Brass"/.exec(shown) ?? [];
    expect((await fetch(new URL(picture, second.base))).status).toBe(200);
    const moved = await fetch(`${second.base}/posts/2025/05/before`);
    expect(moved.url).toBe(`${second.base}/posts/2025/05/after`);
    expect(await moved.text()).toContain('Reply');
    const [diary] = after.posts.filter(({ path }) => path.endsWith('/diary'));
    expect((await fetch(second.base + (diary?.path ?? ''))).status).toBe(404);

    expect(await importInto(second, exported, { ownExport: true })).toMatchObject({
      state: 'done',
      found: 8,
      imported: 0,
      mentions: 0,
      pages: 0,
      files: 0,
    });
    expect(await contentsOf(second)).toEqual(before);
  });

  test('a second one creates nothing after the address of the server has changed', async () => {
    await importInto(second, exported, { ownExport: true });
    const before = await contentsOf(second);
    await second.stop();
    second = await startPorchlight({ dataDir: second.dataDir });
    expect(await importInto(second, exported, { ownExport: true })).toMatchObject({
      imported: 0,
      mentions: 0,
      pages: 0,
      files: 0,
    });
    const after = await contentsOf(second);
    expect([after.posts.length, after.mentions.length]).toEqual([
      before.posts.length,
      before.mentions.length,
    ]);
  });

  test('creates nothing on the server that made the export, and nothing from an export of the copy', async () => {
    const maker = await filled();
    const own = join(folder, 'own');
    await maker.call('data.export', { path: own });
    const before = await contentsOf(maker);
    expect(await importInto(maker, own, { ownExport: true })).toMatchObject({
      imported: 0,
      mentions: 0,
      pages: 0,
      files: 0,
    });
    await importInto(second, own, { ownExport: true });
    const copy = join(folder, 'copy');
    await second.call('data.export', { path: copy });
    expect(await importInto(maker, copy, { ownExport: true })).toMatchObject({
      imported: 0,
      mentions: 0,
      pages: 0,
    });
    expect((await contentsOf(maker)).posts).toEqual(before.posts);
    expect((await contentsOf(maker)).mentions).toEqual(before.mentions);
  });

  test('recognizes a post that has moved since an earlier export', async () => {
    const maker = await filled();
    await maker.call('data.export', { path: join(folder, 'before') });
    await importInto(second, join(folder, 'before'));
    await maker.call('posts.update', { url: `${maker.base}/posts/2025/03/article`, slug: 'lamps' });
    const later = join(folder, 'later.zip');
    await maker.call('data.export', { path: later });
    expect(await importInto(second, later)).toMatchObject({ found: 8, imported: 0, mentions: 0 });
  });

  test('reads a zip, also one with a folder around its content, and exports of older versions', async () => {
    for (const name of ['export.json', 'mentions.json', 'pages.json'])
      await rm(join(exported, 'porchlight', name));
    const zip = await zipFolder(folder, join(tmpdir(), `${folder.split('/').at(-1)}.zip`));
    try {
      expect(await importInto(second, zip, { ownExport: true })).toMatchObject({ imported: 8, mentions: 5 });
    } finally {
      await rm(zip);
    }
    const [before, after] = [await contentsOf(first), await contentsOf(second)];
    expect(after.files).toEqual(before.files);
    const facts = ({ mentions }: typeof before) =>
      mentions.map(({ parsed: _read, removedBy: _by, ...mention }) => mention);
    expect(facts(after)).toEqual(facts(before));
  });

  test('is undone as a whole, and can be repeated', async () => {
    const { id } = await importInto(second, exported, { ownExport: true });
    expect(await second.call('posts.undoImport', { id })).toMatchObject({
      deleted: 8,
      files: 2,
      mentions: 5,
      pages: 1,
      keptCount: 0,
    });
    expect(await contentsOf(second)).toEqual(empty);
    expect(await importInto(second, exported, { ownExport: true })).toMatchObject({
      imported: 8,
      mentions: 5,
      pages: 1,
    });
    expect(await contentsOf(second)).toEqual(await contentsOf(first));
  });

  test('an undo keeps later changes', async () => {
    const { id } = await importInto(second, exported);
    const { items } = await second.call('webmentions.list', { limit: 100 });
    const waiting = items.find(({ source }) => source.endsWith('/waiting'));
    await second.call('webmentions.setStatus', { id: waiting?.id ?? '', status: 'approved' });
    await second.call('settings.update', { site: { pages: [{ slug: 'now', title: 'Now', text: 'Mine' }] } });
    const undone = await second.call('posts.undoImport', { id });
    expect(undone).toMatchObject({ deleted: 8, mentions: 4, pages: 0 });
    expect(undone.kept.map(({ why }) => why)).toEqual([
      'This mention has changed since.',
      'You have changed this page since.',
    ]);
    expect((await contentsOf(second)).mentions).toHaveLength(1);
  });
});

describe('an export from somebody else', () => {
  test('an import of an export shows no mention before the owner has approved it', async () => {
    const report = await importInto(second);
    expect(report).toMatchObject({ imported: 8, mentions: 5 });
    const { items } = await second.call('webmentions.list', { limit: 100 });
    expect(items.map(({ status }) => status)).toEqual(['held', 'held', 'held', 'held', 'held']);
    expect(await (await fetch(`${second.base}/posts/2025/03/article`)).text()).not.toContain('u-comment');
    const [shown] = items.filter(({ source }) => source.endsWith('/shown'));
    await second.call('webmentions.setStatus', { id: shown?.id ?? '', status: 'approved' });
    expect(await (await fetch(`${second.base}/posts/2025/03/article`)).text()).toContain('u-comment');
  });

  test('an import of an export replaces no mention, and takes over no approval under another spelling of the page', async () => {
    await importInto(second, exported, { ownExport: true });
    const before = await contentsOf(second);
    await edit('mentions.json', (text) =>
      text
        .replaceAll('Reply', 'Forged')
        .replaceAll('/posts/2025/03/article"', '/posts/2025/03/article?utm_source=x"')
        .replaceAll(/"parsed":"[^"]*"/g, '"parsed":"2090-01-01T00:00:00.000Z"'),
    );
    await importInto(second);
    const page = await (await fetch(`${second.base}/posts/2025/03/article`)).text();
    expect(page).toContain('u-comment');
    expect(page).not.toContain('Forged');
    const { mentions } = await contentsOf(second);
    expect(mentions.filter(({ status }) => status === 'approved')).toEqual(
      before.mentions.filter(({ status }) => status === 'approved'),
    );
  });

  test('an import of an export hides mentions from a site that is blocked here', async () => {
    await second.call('webmentions.blockDomain', { domain: '127.0.0.1' });
    await importInto(second, exported, { ownExport: true });
    const { mentions } = await contentsOf(second);
    expect(mentions.filter(({ status }) => status === 'approved' || status === 'held')).toEqual([]);
  });

  test('an import of an export changes no settings, and cleans what it stores', async () => {
    const script = '<script>alert(1)</script><img src=x onerror=alert(1)>';
    await edit('posts.json', (text) =>
      text.replace('Nobody reads this', JSON.stringify(script).slice(1, -1)),
    );
    await edit('mentions.json', (text) =>
      text.replaceAll('<b>', '<script>alert(1)</script><b onclick=\\"alert(1)\\">'),
    );
    await edit('profile.json', (text) => text.replace(/"name": "[^"]*"/, '"name": "Mallory"'));
    const before = await second.call('settings.get', {});
    await importInto(second, exported, { ownExport: true });
    const after = await second.call('settings.get', {});
    expect({ ...after, site: { ...after.site, pages: [] } }).toEqual(before);
    const stored = JSON.stringify((await contentsOf(second)).mentions);
    expect(stored).toContain('Reply <b>');
    expect(stored).not.toContain('script');
    expect(stored).not.toContain('onclick');
    expect(await (await fetch(`${second.base}/posts/2025/03/article`)).text()).not.toMatch(
      /alert\(1\)|onclick/,
    );
  });

  test.for([
    ['a path outside the posts', '/posts/2025/03/article"', '/../../settings.json"'],
    ['a name with a special meaning', '"summary":', '"__proto__":'],
    ['a status that does not exist', '"status":"published"', '"status":"admin"'],
    ['a type that is no type', '"type":["h-entry"]', '"type":["\\" onload=\\"x"]'],
    ['properties that are no lists', '"category":["porch","Licht"]', '"category":7'],
  ])('with %s loses only that post, and still ends with a report', async ([, from = '', to = '']) => {
    await edit('posts.json', (text) => {
      const line = text.split('\n').find((one) => one.includes('"path":"/posts/2025/03/article"')) ?? '';
      expect(line).toContain(from);
      return text.replace(line, line.replace(from, to));
    });
    expect(await importInto(second)).toMatchObject({
      state: 'done',
      found: 8,
      imported: 7,
      mentions: 5,
      reasons: [{ why: 'It is damaged or too long.', count: 1 }],
    });
  });

  test.for(['pages.json', 'media.json', 'mentions.json', 'export.json'])(
    'an import of an export with %s cut off takes the rest, and says so',
    async (name) => {
      await edit(name, (text) => text.slice(0, text.length / 2));
      const report = await importInto(second);
      expect(report).toMatchObject({ state: 'done', imported: 8 });
      expect(report.skipped.map(({ what }) => what)).toEqual(
        name === 'export.json' ? [] : expect.arrayContaining([`porchlight/${name}`]),
      );
    },
  );

  test('with damaged files imports the sound ones', async () => {
    await edit('mentions.json', (text) => text.replace('"source":"http', '"source":"javascript'));
    await edit('pages.json', () =>
      JSON.stringify([
        { slug: '../admin', title: 'x', text: '' },
        { slug: 'auth', title: 'Auth', text: '' },
      ]),
    );
    await edit('media.json', (text) => text.replace('"file": "media/', '"file": "../../etc/'));
    const report = await importInto(second);
    expect(report).toMatchObject({ state: 'done', imported: 8, mentions: 4, pages: 0 });
    expect(report.reasons.map(({ why }) => why).toSorted()).toEqual([
      'It is damaged.',
      'The page “Auth” can’t have the address /auth, because Porchlight uses it. Choose another address.',
    ]);
  });
});
