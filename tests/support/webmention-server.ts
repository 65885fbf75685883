import type { AddressInfo } from 'node:net';
import type { Settings } from '../../src-main/contract/settings.ts';
import type { ProcessCounts } from '../../src-main/contract/webmentions.ts';
import { buildPublicApp } from '../../src-main/http/app.ts';
import { createGuardedFetch } from '../../src-main/platform/guarded-fetch.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { sameText } from '../../src-main/platform/secrets.ts';
import { openReading } from '../../src-main/app/reading.ts';
import type { Mention } from '../../src-main/mentions/mention.ts';
import { type Blocks, createBlocks } from '../../src-main/mentions/blocked.ts';
import { createWebmention, type Webmention } from '../../src-main/mentions/receiving/webmention.ts';
import { openSite, page, type Site } from './client-app.ts';
import type { WorkQueue } from '../../src-main/storage/work/work.ts';
import { memoryMentions } from './memory-mentions.ts';
import type { memoryRecords } from './memory-records.ts';
import { memoryWork } from './memory-work.ts';
import { allPublic } from './no-posts.ts';

export const managementToken = 'the-management-token-of-the-tests';
/** A page of the owner's, on the host of `me`. */
export const target = 'https://ada.example/2026/post';

export interface WebmentionServer {
  /** Where everything is kept. A test can make its writes fail. */
  readonly records: ReturnType<typeof memoryRecords>;
  /** The queue of work, which doesn't run before a test starts it. */
  readonly work: WorkQueue;
  readonly base: string;
  readonly webmention: Webmention;
  readonly store: ReturnType<typeof memoryMentions>;
  readonly settings: Settings['webmention'];
  readonly blocks: Blocks;
  /** What the owner's window was told: `received ID`, `changed ID`. */
  readonly events: { what: 'received' | 'changed'; mention: Mention }[];
  /** Why mentions were refused, as the owner was told. */
  readonly refusals: string[];
  /** What time it is, in ms. */
  readonly clock: { now: number };
  /** Somebody's site, for sources. */
  readonly site: Site;
  /** Publishes a page of HTML on that site and answers its address. */
  publish(path: string, html: string, status?: number): string;
  /** Sends a webmention as a form. */
  send(
    source: string | undefined,
    target: string | undefined,
    headers?: Record<string, string>,
  ): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  process(): Promise<ProcessCounts>;
  close(): Promise<void>;
}

/** The Webmention receiver over HTTP, mentions in memory, with a site on loopback for sources. Nothing runs unasked. */
export async function openWebmention({ allowPrivate = true } = {}): Promise<WebmentionServer> {
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const { records, work } = await memoryWork({ now: () => clock.now });
  const blocks = createBlocks(records);
  const store = memoryMentions(() => clock.now, undefined, records, blocks);
  const site = await openSite();
  const fetched = createGuardedFetch({ allowPrivate, userAgent: 'Porchlight/test (Webmention)' });
  const events: WebmentionServer['events'] = [];
  const refusals: string[] = [];
  const settings: Settings['webmention'] = {
    hosts: ['blog.example:8080'],
    hold: 'nothing',
    trustedDomains: [],
    aggregatorUrl: 'https://webmention.io',
    catchUp: false,
  };
  let base = '';
  // A computer that is busy with other tests takes its time to read a page.
  const reading = openReading({ clock: Date.now, deadlineMs: 30_000 });
  const webmention = createWebmention({
    records,
    work,
    base: () => base,
    owned: () => ({ base, me: 'https://ada.example/', folderSite: '', hosts: settings.hosts }),
    settings: () => settings,
    mayDisclose: allPublic,
    store,
    blocks,
    fetch: fetched,
    reading: reading.mentions,
    clock: () => clock.now,
    log: silentLog,
    isManagementToken: (text) => sameText(text, managementToken),
    readerOf: () => Promise.resolve(undefined),
    isPost: () => Promise.resolve(false),
    isPublicPage: ({ pathname }) => Promise.resolve(pathname === '/posts/2026/11/public'),
    events: {
      received: (mention) => void events.push({ what: 'received', mention }),
      changed: (mention) => void events.push({ what: 'changed', mention }),
      refused: (why) => void refusals.push(why),
    },
  });
  const app = await buildPublicApp({
    log: silentLog,
    features: webmention.routes,
    closing: () => undefined,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  return {
    records,
    work,
    base,
    webmention,
    store,
    settings,
    blocks,
    events,
    refusals,
    clock,
    site,
    publish(path, html, status = 200) {
      site.pages.set(path, page(html, undefined, status));
      return `${site.origin}${path}`;
    },
    send(source, to, headers = {}) {
      const form = new URLSearchParams();
      if (source !== undefined) form.set('source', source);
      if (to !== undefined) form.set('target', to);
      return fetch(`${base}/webmention`, { method: 'POST', body: form, headers });
    },
    get: (path, headers = {}) => fetch(`${base}${path}`, { headers }),
    process: () => webmention.processNow(),
    async close() {
      await app.close();
      await work.stop();
      await reading.close();
      await fetched.close();
      await site.close();
    },
  };
}

/** A page that replies to `to`, in microformats. */
export function replyTo(to: string, words = 'Well said.'): string {
  return `<article class="h-entry"><a class="u-in-reply-to" href="${to}">In reply to</a>
    <p class="e-content">${words}</p><a class="p-author h-card" href="/">Bea</a></article>`;
}
