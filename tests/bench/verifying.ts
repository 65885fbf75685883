import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGuardedFetch } from '../../src-main/platform/guarded-fetch.ts';
import { indexParts } from '../../src-main/service/index-parts.ts';
import { indexName, openIndex } from '../../src-main/storage/index/index-database.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { createMentionStore } from '../../src-main/mentions/mentions-on-disk.ts';
import { openReading } from '../../src-main/service/reading.ts';
import { createSourceReader, type SourceResult } from '../../src-main/webmention/read-source.ts';
import { openSite, page, type Site } from '../support/client-app.ts';
import { startHeadless } from '../support/headless-process.ts';
import { targetOf } from './mention-folder.ts';
import { heading, ratio, row } from './report.ts';

const flags = ['--me', 'https://owner.example/', '--allow-private-fetch'];
const sources = 400;
const hosts = 8;

interface Pair {
  readonly source: string;
  readonly target: string;
}

/**
 * Verifying against local servers of sources: of one site, which is asked for one page at a time, and of several; and
 * what fetching, reading and keeping the same sources take by themselves, one after the other.
 */
export async function benchVerifying(): Promise<void> {
  const sites = await Promise.all(
    Array.from({ length: hosts }, (_, index) => openSite(`127.0.0.${index + 1}`)),
  );
  const ofOne = pairsOn(sites.slice(0, 1), 'one');
  const ofMany = pairsOn(sites, 'many');
  const { fetching, reading, keeping } = await partsOf(ofOne);
  heading(`${sources} sources verified (2 KB each)`);
  for (const [name, pairs] of [
    ['of one site, a second', ofOne],
    [`of ${hosts} sites, a second`, ofMany],
  ] as const) {
    const seconds = await verified(pairs);
    row(
      name,
      (sources / seconds).toFixed(0),
      `${ratio(seconds, fetching)} times fetching one after the other`,
    );
  }
  const share = (seconds: number) => `${((100 * seconds) / (reading + keeping)).toFixed(0)} %`;
  row('by themselves: fetching', share(fetching));
  row('taking apart, in the thread', share(reading - fetching));
  row('keeping, on disk', share(keeping));
  await Promise.all(sites.map((site) => site.close()));
}

function pairsOn(sites: readonly Site[], name: string): Pair[] {
  return Array.from({ length: sources }, (_, number) => {
    const site = sites[number % sites.length]!;
    const words = '<p>What a nice porch, and what a lamp!</p>'.repeat(50);
    const link = `<a class="u-in-reply-to" href="${targetOf(number)}">reply</a>`;
    site.pages.set(
      `/${name}/${number}`,
      page(`<article class="h-entry">${link}<div class="e-content">${words}</div></article>`),
    );
    return { source: `${site.origin}/${name}/${number}`, target: targetOf(number) };
  });
}

/** Seconds from the first that is sent to the last that is kept, by the built server. */
async function verified(pairs: readonly Pair[]): Promise<number> {
  const house = await startHeadless({ args: flags });
  const began = performance.now();
  for (const [number, pair] of pairs.entries()) {
    // Each from a network of its own: what is measured is not the limit of one visitor.
    const headers = { 'cf-connecting-ip': `198.18.${number >> 8}.${number & 255}` };
    const body = new URLSearchParams({ ...pair });
    const response = await fetch(`${house.ready.baseUrl}/webmention`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`refused: ${response.status}`);
  }
  await house.call('webmentions.process', {});
  const seconds = (performance.now() - began) / 1000;
  const { items } = await house.call('webmentions.list', { limit: 500 });
  if (items.length !== pairs.length) throw new Error(`${items.length} of ${pairs.length} are there`);
  await house.remove();
  return seconds;
}

/** Seconds that the parts of it take by themselves; `reading` is with its fetching. */
async function partsOf(pairs: readonly Pair[]) {
  const dir = await mkdtemp(path.join(tmpdir(), 'porchlight-bench-mentions-'));
  const fetch = createGuardedFetch({ allowPrivate: true, userAgent: 'Porchlight bench' });
  const pages = openReading({ clock: Date.now });
  const reader = createSourceReader({ fetch, reading: pages.mentions, log: silentLog });
  const store = createMentionStore({
    ...{ dir: path.join(dir, 'mentions'), now: Date.now, log: silentLog },
    index: openIndex(path.join(dir, indexName), indexParts),
  });
  await reader.read(pairs[0]!.source, pairs[0]!.target); // its thread is there then
  const fetching = await secondsOf(pairs, ({ source }) =>
    fetch(source, { accept: '*/*', maxBytes: 1e6, timeoutMs: 10_000 }),
  );
  const readings: SourceResult[] = [];
  const reading = await secondsOf(pairs, async ({ source, target }) => {
    readings.push(await reader.read(source, target));
  });
  const keeping = await secondsOf(pairs, async (pair) => {
    const found = readings.shift();
    if (found?.kind !== 'links') throw new Error(`not read: ${JSON.stringify(found)}`);
    const { facts, text } = found;
    const parsed = new Date().toISOString();
    await store.keep({ ...pair, facts, status: 'approved', parsed, snapshot: { text } });
  });
  await pages.close();
  await fetch.close();
  await rm(dir, { recursive: true, force: true });
  return { fetching, reading, keeping };
}

async function secondsOf<T>(things: readonly T[], work: (thing: T) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  for (const thing of things) await work(thing);
  return (performance.now() - began) / 1000;
}
