import { expect, test } from 'vitest';
import { createAddressBook } from '../../../../src-main/mailbox/copies/address-book.ts';
import { createComparison } from '../../../../src-main/mailbox/copies/comparison.ts';
import { createCopier, PageFailed } from '../../../../src-main/mailbox/copies/copier.ts';
import { fakeCopyStore } from '../../../support/fake-copy-store.ts';

const picture = '/media/2026/11/AbCdEfGhIjKlMnOpQrStUv-tea.png';
const copyAt = (address: string) =>
  ({ address, hash: 'old', status: 200, headers: {}, noteAt: null, body: Buffer.from('old') }) as const;

/** A site without posts, whose pages link as given, and a mailbox that has copies of more. */
function sceneOf(links: Record<string, readonly string[]>, copied: readonly string[]) {
  const mailbox = fakeCopyStore();
  for (const address of copied) mailbox.copies.set(address, copyAt(address));
  const failing = new Set<string>();
  const book = createAddressBook();
  const site = { base: () => 'https://home.test', pages: () => [] };
  const { signal } = new AbortController();
  const copier = createCopier({
    ...{ book, site, store: mailbox.connect().store, changed: () => undefined },
    ...{ stopping: signal, ended: signal },
    ask(address) {
      const text = links[address]?.map((to) => `<a href="${to}">there</a>`).join('');
      const status = failing.has(address) ? 500 : text === undefined ? 404 : 200;
      const headers = { 'content-type': 'text/html; charset=utf-8' };
      return Promise.resolve({ status, headers, body: Buffer.from(`<body>${text ?? ''}</body>`) });
    },
  });
  const posts = {
    list: () => Promise.resolve({ items: [] }),
    formerPaths: () => Promise.resolve([]),
  };
  const comparison = createComparison({ posts, site, book, copier, now: Date.now, restMs: 0 });
  return {
    failing,
    copied: () => [...mailbox.copies.keys()].sort(),
    copy: (address: string) => mailbox.copies.set(address, copyAt(address)),
    async compare(): Promise<void> {
      await copier.load();
      await comparison.begin(false);
      await comparison.run(signal);
    },
  };
}

test('one page that can’t be made keeps what it showed last, and nothing else that no page leads to', async () => {
  const scene = sceneOf({ '/': ['/kinds/note'], '/kinds/note': ['/categories/tea'], '/categories/tea': [] }, [
    '/kinds/old',
  ]);
  await scene.compare();
  expect(scene.copied()).toEqual(['/', '/categories/tea', '/kinds/note']);
  scene.copy('/kinds/old');
  scene.copy(picture);
  scene.failing.add('/kinds/note');
  await expect(scene.compare()).rejects.toThrow(PageFailed);
  expect(scene.copied()).toEqual(['/', '/categories/tea', '/kinds/note']);
});

test('one page that could never be made keeps its parts and every file, because it may show them', async () => {
  const scene = sceneOf({ '/': ['/kinds/note'], '/kinds/note': [] }, [
    ...['/', '/kinds/note', '/kinds/note?after=a', '/kinds/old', picture],
  ]);
  scene.failing.add('/kinds/note');
  await expect(scene.compare()).rejects.toThrow(PageFailed);
  expect(scene.copied()).toEqual(['/', '/kinds/note', '/kinds/note?after=a', picture]);
});
