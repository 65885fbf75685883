import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import type { Settings } from '../../src-main/contract/settings.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import { mostCopiesBytes, mostCopyBytes } from '../../src-main/platform/mailbox-protocol.ts';
import { createAskSelf } from '../../src-main/http/ask-self.ts';
import { versionPaths } from '../../src-main/media/media-address.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { recordTables } from '../../src-main/app/tables.ts';
import { Copies } from '../../src-main/mailbox/copies/copies.ts';
import { openRecords, type Records } from '../../src-main/storage/records/records.ts';
import { openWork, type WorkQueue } from '../../src-main/storage/work/work.ts';
import { openSite, page, type Site } from './client-app.ts';
import { inside } from './copied-site.ts';
import { fakeCopyStore, type FakeCopyStore } from './fake-copy-store.ts';
import { startPorchlight, type Porchlight } from './porchlight.ts';
import { post } from './sign-in.ts';
import { strangersFind, type Seen } from './strangers.ts';

/** When the clock of the scene starts. */
export const sceneStart = Date.parse('2026-11-20T12:00:00Z');

/** Returns the path of a URL. */
export const addressOf = (url: string) => new URL(url).pathname;

/**
 * Prepares a server for all tests of a file, and for each test a mailbox of its own and whatever publishes the copies. The
 * file has to mock the modules of copied-site.ts.
 */
export function copiesScene() {
  /** The addresses of the posts so far, and of what they were called before. */
  const posts = new Set<string>();
  let line: ReturnType<FakeCopyStore['connect']>;
  let token = '';
  let porchlight: Porchlight;
  /** A connection to the service's database. */
  let connection: Records | undefined;
  let work: WorkQueue | undefined;

  const scene = {
    posts,
    /** The time of the server, in ms. */
    clock: sceneStart,
    isOn: true,
    /** Whether the disk takes no note of what is to be removed. */
    isDiskFull: false,
    /** A busy computer needs longer than three seconds for many pages. */
    removalMs: 60_000 as number | undefined,
    /** For a busy computer, too. */
    flushMs: 60_000,
    mostBytes: mostCopiesBytes,
    /** How often what has changed is sent, in ms. */
    everyMs: 5,
    pages: [] as Settings['site']['pages'],
    mailbox: fakeCopyStore(),
    /** Called after the server has made each page for the copies; the page is used once it resolves. */
    made: (_address: string) => Promise.resolve(),
    copies: undefined as Copies | undefined,
    /** Another website. */
    site: undefined as unknown as Site,
    base: '',

    /** Opens the publisher of copies on the service's folder, as a part of it would be. */
    async open(): Promise<Copies> {
      const { posts: store, versions } = inside;
      if (store === undefined || versions === undefined) throw new Error('No service was opened.');
      const base = () => scene.base;
      const records = (connection ??= await openRecords({
        dir: porchlight.dataDir,
        tables: recordTables,
        log: silentLog,
      }));
      const ask = createAskSelf({ app: () => inside.app, base, mostBytes: mostCopyBytes });
      work = await openWork({
        records: {
          ...records,
          write: (change) => (scene.isDiskFull ? Promise.reject(full()) : records.write(change)),
        },
        log: silentLog,
        now: () => scene.clock,
        online: () => true,
      });
      const opened = new Copies({
        work,
        log: silentLog,
        now: () => scene.clock,
        base,
        posts: store,
        versions,
        isOn: () => scene.isOn,
        isServing: () => true,
        changed: () => undefined,
        everyMs: scene.everyMs,
        restMs: 1,
        flushMs: scene.flushMs,
        mostBytes: scene.mostBytes,
        pages: () => scene.pages,
        ...(scene.removalMs !== undefined && { removalMs: scene.removalMs }),
        store: (line = scene.mailbox.connect()).store,
        async ask(address, signal) {
          const answer = await ask(address, signal);
          await scene.made(address);
          return answer;
        },
      });
      inside.postChanged = (changedPost) => opened.postChanged(changedPost);
      inside.sourceChanged = (source) => {
        // The rest is the id of a page: its path on this server.
        if (source.startsWith('mentions /'))
          void opened.pageChanged(scene.base + source.slice('mentions '.length), false);
      };
      work.start();
      opened.start();
      return (scene.copies = opened);
    },

    async close(): Promise<void> {
      inside.postChanged = () => Promise.resolve();
      inside.sourceChanged = () => undefined;
      await scene.copies?.stop();
      await work?.stop();
      scene.copies = undefined;
    },

    /** Ends the publisher as a kill would: none of its calls arrives any more. */
    async kill(): Promise<void> {
      line.cutOff();
      await scene.close();
    },

    async updateSite(settings: Partial<Settings['site']>): Promise<void> {
      await porchlight.call('settings.update', { site: settings });
      if (settings.pages) scene.pages = settings.pages;
      scene.copies?.everythingChanged();
    },

    /** Returns what strangers find. */
    found: () => strangersFind(scene.base, [...scene.pages.map(({ slug }) => `/${slug}`), ...posts]),

    /** Waits until the mailbox has exactly what strangers find, or all of it but what is left out. */
    async settled(): Promise<void> {
      await vi.waitFor(
        async () => {
          const status = scene.copies?.status();
          expect(status).toMatchObject({ toCopy: 0, toRemove: 0 });
          expect(status).not.toHaveProperty('error');
          const [copied, expected] = [words(scene.mailbox.copies), words(await scene.found())];
          let missing = Object.keys(expected);
          if (scene.mostBytes < mostCopiesBytes) {
            missing = missing.filter((address) => address in copied);
            expect(Object.keys(expected).length - missing.length).toBe(status?.leftOut);
          }
          expect(Object.keys(copied)).toEqual(missing);
          for (const address of missing) expect(copied[address] === expected[address], address).toBe(true);
        },
        { timeout: 180_000, interval: 25 },
      );
    },

    /** Waits until nothing is left to do. */
    async quiet(): Promise<void> {
      await vi.waitFor(() => expect(scene.copies?.status()).toMatchObject({ toCopy: 0, toRemove: 0 }), {
        timeout: 180_000,
        interval: 10,
      });
    },

    async create(properties: Record<string, unknown[]>): Promise<string> {
      return known(await micropub({ type: ['h-entry'], properties }));
    },
    act: (action: 'delete' | 'undelete', url: string) => micropub({ action, url }),
    /** Changes a post. Returns its URL, which may be another one. */
    async update(url: string, replace: Record<string, unknown[]>, more: object = {}): Promise<string> {
      return known(await micropub({ action: 'update', url, replace, ...more })) || url;
    },
    /** Uploads a file, and returns its URL. */
    async upload(content: Uint8Array, type: string, name: string): Promise<string> {
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(content)], { type }), name);
      const answer = await fetch(`${scene.base}/media`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: form,
      });
      return answer.headers.get('location') ?? '';
    },
    /** Deletes a file as the owner does. */
    async deleteFile(path: string): Promise<void> {
      await scene.deleteFileHere(path);
      await scene.fileDeleted(path);
    },
    /** Deletes a file on the server. The publisher of copies isn't told yet. */
    deleteFileHere: (path: string) => porchlight.call('media.delete', { url: scene.base + path }),
    /** Tells the publisher of copies that a file was deleted. Resolves when the owner is told, too. */
    fileDeleted: async (path: string) => scene.copies?.mediaDeleted(path, versionPaths(path)),
    /** Hides all mentions, as the owner does. */
    async hideMentions(): Promise<void> {
      const { items } = await porchlight.call('webmentions.list', {});
      await porchlight.call('webmentions.decide', { ids: items.map(({ id }) => id), decision: 'hidden' });
    },
    /** Sends a mention of a post, from page `number` of the other site. */
    async mention(url: string, number: number, html: string): Promise<void> {
      scene.clock += 60_000; // the same mention may be sent again
      scene.site.pages.set(`/${number}`, page(html.replaceAll('TARGET', url)));
      await post(porchlight, '/webmention', { source: `${scene.site.origin}/${number}`, target: url });
      await porchlight.call('webmentions.process', {});
    },
  };

  async function micropub(body: Record<string, unknown>): Promise<Response> {
    return fetch(`${scene.base}/micropub`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Remembers the address of a post, also after it has moved. */
  function known(answer: Response): string {
    const url = answer.headers.get('location');
    if (url !== null) posts.add(new URL(url).pathname);
    return url ?? '';
  }

  beforeAll(async () => {
    scene.site = await openSite();
    porchlight = await startPorchlight({ clock: () => scene.clock });
    scene.base = porchlight.base;
    const issued = { label: 'An app', scopes: ['create', 'update', 'delete', 'undelete', 'media'] };
    ({ token } = await porchlight.call('apps.issueToken', issued));
  });
  beforeEach(() => {
    scene.mailbox = fakeCopyStore();
    Object.assign(scene, { isOn: true, removalMs: 60_000, flushMs: 60_000 });
    Object.assign(scene, { mostBytes: mostCopiesBytes, everyMs: 5, made: () => Promise.resolve() });
  });
  afterEach(() => scene.close());
  afterAll(async () => {
    await connection?.close();
    await porchlight.remove();
    await scene.site.close();
  });
  return scene;
}

const full = () => new PorchlightError('storage_full', 'Full.', 507);

const words = (all: ReadonlyMap<string, Pick<Seen, 'status'> & { readonly body: Uint8Array }>) =>
  Object.fromEntries(
    [...all]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([address, { status, body }]) => [address, `${status} ${Buffer.from(body).toString('base64')}`]),
  );
