import { expect, test } from 'vitest';
import type { Post } from '../../../../src-main/contract/posts.ts';
import { publishedAt } from '../../../../src-main/posts/visibility.ts';
import { Copier, PageFailed } from '../../../../src-main/mailbox/copies/copier.ts';
import { Sweep } from '../../../../src-main/mailbox/copies/sweep.ts';
import type { Source } from '../../../../src-main/storage/caches.ts';
import { fakeCopyStore } from '../../../support/fake-copy-store.ts';
import { postOf } from '../../../support/site.ts';

const minute = 60_000;
const picture = '/media/2026/11/AbCdEfGhIjKlMnOpQrStUv-tea.png';
const copyAt = (address: string) =>
  ({ address, hash: 'old', status: 200, headers: {}, noteAt: null, body: Buffer.from('old') }) as const;

/** A site whose pages link as given, and a mailbox that has copies of more. */
function sceneOf(linked: Record<string, readonly string[]>, copied: readonly string[] = []) {
  const mailbox = fakeCopyStore();
  const links = new Map(Object.entries(linked));
  for (const address of copied) mailbox.copies.set(address, copyAt(address));
  const failing = new Set<string>();
  const [first, asked] = [new Set<string>(), new Array<string>()];
  const world = {
    now: Date.parse('2026-11-20T12:00:00Z'),
    all: new Array<Post>(),
    isRemoving: false,
    asking: (_address: string) => {},
  };
  const versions = new Map<Source, number>();
  let newest = 0;
  let loading: Promise<void> | undefined;
  const site = { base: () => 'https://home.test', pages: () => [] };
  const { signal } = new AbortController();
  const copier = new Copier({
    site,
    store: mailbox.connect().store,
    changed: () => undefined,
    again: (address) => void first.add(address),
    stopping: signal,
    ended: signal,
    ask(address) {
      asked.push(address);
      const text = links
        .get(address)
        ?.map((to) => `<a href="${to}">there</a>`)
        .join('');
      const status = failing.has(address) ? 500 : text === undefined ? 404 : 200;
      const headers = { 'content-type': 'text/html; charset=utf-8' };
      world.asking(address);
      return Promise.resolve({ status, headers, body: Buffer.from(`<body>${text ?? ''}</body>`) });
    },
  });
  const posts = {
    list: ({ filter: { deleted = false } = {} }) => Promise.resolve({ items: deleted ? [] : world.all }),
    formerPaths: () => Promise.resolve([]),
  };
  const sweep = new Sweep({
    posts,
    site,
    copier,
    first,
    now: () => world.now,
    restMs: 0,
    isRemoving: () => world.isRemoving,
    stopping: signal,
    versions: { of: (source) => versions.get(source) ?? 0 },
  });
  return {
    world,
    first,
    failing,
    mailbox,
    copier,
    sweep,
    links,
    change: (source: Source) => versions.set(source, (newest += 1)),
    bodyAt: (address: string) => Buffer.from(mailbox.copies.get(address)?.body ?? '').toString(),
    copied: () => [...mailbox.copies.keys()].sort(),
    copy: (address: string) => mailbox.copies.set(address, copyAt(address)),
    /** Runs the sweep. Returns what it asked this server for. */
    async run(): Promise<string[]> {
      await (loading ??= copier.load());
      asked.length = 0;
      await sweep.run(true);
      return [...asked];
    },
  };
}

test('one page that can’t be made keeps its last copy, and no other page that nothing links to is kept', async () => {
  const scene = sceneOf({ '/': ['/kinds/note'], '/kinds/note': ['/categories/tea'], '/categories/tea': [] }, [
    '/kinds/old',
  ]);
  await scene.run();
  expect(scene.copied()).toEqual(['/', '/categories/tea', '/kinds/note']);
  scene.copy('/kinds/old');
  scene.copy(picture);
  scene.failing.add('/kinds/note');
  scene.sweep.request();
  await expect(scene.run()).rejects.toThrow(PageFailed);
  expect(scene.copied()).toEqual(['/', '/categories/tea', '/kinds/note']);
});

test('one page that could never be made keeps its parts and every file, because it may show them', async () => {
  const [part, old] = ['/kinds/note?after=a', '/kinds/old'];
  const scene = sceneOf({ '/': ['/kinds/note'], '/kinds/note': [], [part]: [], [picture]: [] }, [
    '/',
    '/kinds/note',
    part,
    old,
    picture,
  ]);
  scene.failing.add('/kinds/note');
  await expect(scene.run()).rejects.toThrow(PageFailed);
  expect(scene.copied()).toEqual(['/', '/kinds/note', part, picture]);
  // Once it can be made, what nothing leads to is removed.
  scene.failing.clear();
  await scene.run();
  expect(scene.copied()).toEqual(['/', '/kinds/note']);
});

test('at rest nothing is compared, and a change of what all pages show compares everything once', async () => {
  const scene = sceneOf({ '/': ['/kinds/note'], '/kinds/note': [] });
  await scene.run();
  expect(await scene.run()).toEqual([]);
  for (const source of ['posts', 'media', 'profile', 'pictures', 'people', 'cited'] as const) {
    scene.change(source);
    expect(scene.sweep.waiting()).toBe(1);
    expect(await scene.run()).toEqual(expect.arrayContaining(['/', '/kinds/note']));
    expect(await scene.run()).toEqual([]);
  }
});

test('an address with priority is compared alone, with the linked addresses that have no copy', async () => {
  const scene = sceneOf({ '/': ['/kinds/note'], '/kinds/note': [] });
  await scene.run();
  scene.links.set('/kinds/note', ['/', picture]);
  scene.links.set(picture, []);
  scene.first.add('/kinds/note');
  expect(await scene.run()).toEqual(['/kinds/note', picture]);
  expect(scene.copied()).toContain(picture);
});

test('a page that changes between its response and its sending is compared again', async () => {
  const scene = sceneOf({ '/': ['/kinds/note'], '/kinds/note': [] });
  scene.world.asking = (address) => {
    if (address !== '/kinds/note' || scene.links.get('/')?.length !== 1) return;
    scene.links.set('/', ['/kinds/note', 'https://new.test/']);
    scene.links.set('/kinds/note', ['https://new.test/']);
    scene.sweep.note([]);
  };
  await scene.run();
  expect([scene.bodyAt('/'), scene.bodyAt('/kinds/note')].join(' ')).toMatch(/new\.test.* .*new\.test/);
});

test('what could not be sent is compared again', async () => {
  const scene = sceneOf({ '/': [] });
  await scene.run();
  scene.links.set('/', ['https://new.test/']);
  scene.first.add('/');
  scene.mailbox.fails = (name) => name === 'store';
  await expect(scene.run()).rejects.toThrow();
  expect(scene.sweep.waiting()).toBe(1);
  scene.mailbox.fails = () => false;
  await scene.run();
  expect(scene.bodyAt('/')).toContain('new.test');
});

test.each(['as time passes', 'while this computer sleeps right after it was saved'])(
  'a scheduled post that becomes public %s is copied',
  async (when) => {
    const scene = sceneOf({ '/': [] });
    await scene.run();
    const post = postOf({ published: [new Date(scene.world.now + minute).toISOString()] });
    scene.world.all.push(post);
    scene.links.set(post.path, []);
    scene.change('posts');
    if (when === 'as time passes') {
      await scene.run();
      expect(scene.copied()).toEqual(['/']);
    }
    scene.world.now = publishedAt(post) + minute;
    await scene.run();
    expect(scene.copied()).toEqual(['/', post.path]);
    expect(await scene.run()).toEqual([]);
  },
);

test('after a removal, everything is compared, and nothing shows the removed page', async () => {
  const post = '/posts/2026/11/a';
  const scene = sceneOf({ '/': [post], [post]: [], '/archive': [] });
  await scene.run();
  scene.links.set('/', []);
  scene.links.delete(post);
  await scene.copier.removeLost([post]);
  expect(scene.sweep.coveredLosses).toBe(0);
  scene.sweep.mayDiffer();
  await scene.run();
  expect(scene.copied()).toEqual(['/', '/archive']);
  expect(scene.bodyAt('/')).not.toContain(post);
  expect(scene.sweep.coveredLosses).toBe(1);
});

test('while something is removed, a page that can’t be updated loses its copy', async () => {
  const scene = sceneOf({ '/': ['/kinds/note'], '/kinds/note': [], '/archive': [] });
  await scene.run();
  scene.world.isRemoving = true;
  scene.failing.add('/kinds/note');
  scene.links.set('/archive', ['https://new.test/']);
  scene.mailbox.fails = (name) => name === 'store';
  scene.sweep.mayDiffer();
  await expect(scene.run()).rejects.toThrow(PageFailed);
  expect(scene.copied()).toEqual(['/']);
});

test('a copy that a failed call may have changed is sent again', async () => {
  const scene = sceneOf({ '/': [], '/archive': [] });
  await scene.run();
  scene.links.set('/', ['https://new.test/']);
  scene.first.add('/');
  scene.mailbox.fails = (name) => (name === 'store' ? 'late' : false);
  await expect(scene.run()).rejects.toThrow();
  scene.mailbox.fails = () => false;
  scene.links.set('/', []);
  await scene.run();
  expect(scene.bodyAt('/')).not.toContain('new.test');
});

test('a response that was requested before a removal began is not sent after it', async () => {
  const post = '/posts/2026/11/a';
  const scene = sceneOf({ '/': [post], [post]: [] });
  const early = await scene.copier.find('/');
  scene.links.set('/', []);
  scene.links.delete(post);
  await scene.copier.removeLost([post]);
  await scene.copier.send([early]);
  expect(scene.copied()).toEqual([]);
  expect([...scene.first]).toContain('/');
});
