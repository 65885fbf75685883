import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { createMailboxClient, type MailboxClient } from '../../../src-main/mailbox/mailbox-client.ts';
import type { SelfAnswer } from '../../../src-main/http/ask-self.ts';
import { Copier } from '../../../src-main/mailbox/copies/copier.ts';
import { edgeScene, type EdgeScene } from '../../support/edge-scene.ts';

const mostBytes = 10_000;

let scene: EdgeScene;
let store: MailboxClient;
beforeAll(async () => {
  scene = await edgeScene({ numbers: { mostCopiesBytes: mostBytes } });
  store = createMailboxClient({
    fetch: createGuardedFetch({ allowPrivate: true, userAgent: 'test' }),
    now: Date.now,
    base: () => scene.url,
    server: () => Promise.resolve('server-one'),
    callKey: () => Promise.resolve(scene.keys.callKey),
    answeredAt: () => null,
    answered: () => Promise.resolve(),
  });
});
afterAll(() => scene.stop());

const text = (bytes: number): SelfAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: Buffer.alloc(bytes, 'x'),
});
const copy = (address: string, bytes: number) => ({
  address,
  hash: 'a',
  headers: {},
  status: 200,
  noteAt: null,
  body: new Uint8Array(bytes),
});
const listed = async () => {
  const { copies } = await store.copies(undefined, 100);
  return Object.fromEntries(copies.map(({ address, bytes }) => [address, bytes]));
};

test('copies above the limit are refused together, and those before them stay', async () => {
  await store.store([copy('/first', 4000), copy('/second', 5000)]);
  await expect(store.store([copy('/first', 10), copy('/third', 6000)])).rejects.toMatchObject({
    code: 'mailbox_failed',
    message: 'The mailbox has no room for more copies.',
  });
  expect(await listed()).toEqual({ '/first': 4000, '/second': 5000 });
  await store.store([copy('/first', 10), copy('/third', 4990)]);
  expect(await listed()).toEqual({ '/first': 10, '/second': 5000, '/third': 4990 });
  await store.remove(['/first', '/second', '/third'], true);
  await store.store([copy('/all', mostBytes)]);
  await store.remove(['/all'], false);
});

test('a server whose site is too large for the mailbox leaves out its largest files', async () => {
  const answers = new Map<string, SelfAnswer>([
    ...[...Array(6).keys()].map((n) => [`/posts/2026/11/${n}`, text(1000)] as const),
    ...[...Array(4).keys()].map((n) => [`/media/2026/11/${n}.png`, text(1500 - n)] as const),
  ]);
  const copier = new Copier({
    mostBytes,
    changed: () => undefined,
    again: () => undefined,
    stopping: new AbortController().signal,
    ended: new AbortController().signal,
    ask: (address) => Promise.resolve(answers.get(address) ?? { ...text(0), status: 404 }),
    site: { base: () => 'https://home.test', pages: () => [] },
    store,
  });
  await copier.load();
  const copyAll = async (addresses = [...answers.keys()]) =>
    copier.send(await Promise.all(addresses.map((address) => copier.find(address))));
  // The files come first.
  await copyAll([...answers.keys()].reverse());
  const pages = Object.fromEntries([...answers.keys()].slice(0, 6).map((address) => [address, 1000]));
  const smallest = { '/media/2026/11/2.png': 1498, '/media/2026/11/3.png': 1497 };
  expect(await listed()).toEqual({ ...pages, ...smallest });
  expect([...copier.leftOut.keys()].sort()).toEqual(['/media/2026/11/0.png', '/media/2026/11/1.png']);

  answers.set('/posts/2026/11/0', text(3000));
  await copyAll();
  const grown = { ...pages, '/posts/2026/11/0': 3000 };
  expect(await listed()).toEqual({ ...grown, '/media/2026/11/3.png': 1497 });

  for (const address of ['/posts/2026/11/0', '/posts/2026/11/1']) answers.delete(address);
  await copier.removeLost(['/posts/2026/11/0', '/posts/2026/11/1']);
  await copyAll();
  expect(Object.keys(await listed())).toHaveLength(8);
  expect([...copier.leftOut.keys()]).toEqual([]);
});
