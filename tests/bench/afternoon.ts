import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { openSubscriber, type Subscriber } from '../support/websub-subscriber.ts';
import { percentile, residentOf, restMs } from './attack.ts';
import { fillWithPosts } from './post-folder.ts';
import { heading, ratio, row } from './report.ts';

export interface AfternoonOptions {
  /** A folder for the data, the hostile folder and the hostile archive. */
  readonly folder: string;
  readonly posts: number;
  /** The duration of the attack, in seconds; the baseline takes a third of it. */
  readonly seconds: number;
}

/** Response times of a visitor's pages, in ms, and how many responses weren't 200. */
interface Visits {
  readonly times: number[];
  failed: number;
}

const flags = ['--me', 'https://owner.example/', '--allow-private-fetch', '--tunnel', 'off'];
const pageEveryMs = 50;
const pages = ['/', '/feed.atom', '/archive'];
const subscriptions = 40;
const searches = 20;
/** Files of the folder and the archive that take the longest to parse. */
const hostileFiles: Readonly<Record<string, string>> = {
  '_config.yml': `title: x\nbaseurl: ''\n${'? '.repeat(400)}`,
  Gemfile: '\n'.repeat(80_000),
  '.htaccess': '\n'.repeat(80_000),
  '_posts/2026-01-01-yaml.md': `---\n${'? '.repeat(6_000)}\n---\nText`,
  '_posts/2026-01-02-aliases.md': `---\na: &a [x, x]\n${aliases(30)}---\nText`,
  '_posts/2026-01-03-brackets.md': `---\ntitle: B\n---\n${'['.repeat(50_000)}${'*a_'.repeat(30_000)}`,
  '_posts/2026-01-04-json.md': `{"a":${'['.repeat(50_000)}\nText`,
  '_posts/2026-01-05-toml.md': `+++\na = ${'['.repeat(50_000)}\n+++\nText`,
};

/**
 * Hostile files of the owner's own folder and archive, 40 subscriptions and 20 searches at the same time: what a
 * visitor's page costs meanwhile, compared with the same server at rest.
 */
export async function benchAfternoon({ folder, posts, seconds }: AfternoonOptions): Promise<void> {
  const dataDir = path.join(folder, 'data');
  console.log(`Filing ${posts} posts…`);
  await fillWithPosts(dataDir, posts);
  const [site, archive] = [path.join(folder, 'site'), path.join(folder, 'archive')];
  for (const place of [site, archive]) await writeFiles(place);
  const house = await startHeadless({ dataDir, args: flags });
  const subscriber = await openSubscriber();
  try {
    // The first pages wait for the posts.
    for (const page of pages)
      await fetch(house.ready.baseUrl + page).then((response) => response.arrayBuffer());
    const calm = await visit(house, AbortSignal.timeout(Math.round((seconds * 1000) / 3)));
    const before = await residentOf(house.child.pid ?? 0);
    const over = AbortSignal.timeout(seconds * 1000);
    const [visits] = await Promise.all([
      visit(house, over),
      checkArchive(house, archive, over),
      adoptFolder(house, site, over),
      subscribe(house, subscriber, over),
      ...Array.from({ length: searches }, (_, index) => search(house, index, over)),
    ]);
    await rest(restMs);
    report(calm, visits, { before, after: await residentOf(house.child.pid ?? 0) });
  } finally {
    await Promise.all([house.remove(), subscriber.close()]);
  }
}

function aliases(levels: number): string {
  const line = (level: number) => {
    const name = String.fromCharCode(97 + (level % 26)) + String(level);
    return `${name}: &${name} [${Array(9)
      .fill(level === 0 ? '*a' : `*${String.fromCharCode(97 + ((level - 1) % 26))}${level - 1}`)
      .join(', ')}]\n`;
  };
  return Array.from({ length: levels }, (_, level) => line(level)).join('');
}

async function writeFiles(place: string): Promise<void> {
  for (const [name, text] of Object.entries(hostileFiles)) {
    await mkdir(path.dirname(path.join(place, name)), { recursive: true });
    await writeFile(path.join(place, name), text);
  }
}

/** Opens the home page, a feed and the archive in turn, each time from another network. */
async function visit({ ready }: HeadlessProcess, over: AbortSignal): Promise<Visits> {
  const visits: Visits = { times: [], failed: 0 };
  const underWay: Promise<void>[] = [];
  const open = async (number: number) => {
    const began = performance.now();
    try {
      const headers = { 'cf-connecting-ip': `2001:db8:${number.toString(16)}::1` };
      const response = await fetch(ready.baseUrl + (pages[number % pages.length] ?? '/'), { headers });
      await response.arrayBuffer();
      if (response.status !== 200) visits.failed += 1;
    } catch {
      visits.failed += 1;
    }
    visits.times.push(performance.now() - began);
  };
  for (let number = 0; !over.aborted; number += 1) {
    underWay.push(open(number));
    await pause(pageEveryMs, over);
  }
  await Promise.all(underWay);
  return visits;
}

/** Calls a method again and again. A refusal is an answer too. */
async function again(over: AbortSignal, call: () => Promise<unknown>): Promise<void> {
  while (!over.aborted) {
    await call().catch(() => undefined);
    await pause(100, over);
  }
}

function checkArchive(house: HeadlessProcess, archive: string, over: AbortSignal): Promise<void> {
  return again(over, () => house.call('posts.import', { path: archive, format: 'markdown', dryRun: true }));
}

async function adoptFolder(house: HeadlessProcess, site: string, over: AbortSignal): Promise<void> {
  const { siteFolder } = await house.call('settings.get', {});
  await house
    .call('settings.update', {
      siteFolder: {
        ...siteFolder,
        on: true,
        path: site,
        generator: 'jekyll',
        baseUrl: 'https://owner.example/',
        postFile: '_posts/{yyyy}-{mm}-{dd}-{slug}.md',
        postUrl: 'posts/{slug}/',
        media: 'porch',
        adopt: true,
        // Without a repository, so that only the files count.
        commit: false,
        push: false,
      },
    })
    .catch((error: unknown) => console.log(`The folder was refused: ${String(error)}`));
  await again(over, () => house.call('siteFolder.detect', { path: site }));
}

async function subscribe(
  { ready }: HeadlessProcess,
  subscriber: Subscriber,
  over: AbortSignal,
): Promise<void> {
  const hub = `${ready.baseUrl}/websub`;
  for (let number = 0; number < subscriptions && !over.aborted; number += 1)
    await subscriber
      .ask(hub, {
        topic: `${ready.baseUrl}/feed.atom`,
        callback: `${subscriber.origin}/callback?of=mine&number=${number}`,
      })
      .catch(() => undefined);
}

function search({ ready }: HeadlessProcess, number: number, over: AbortSignal): Promise<void> {
  const headers = { 'cf-connecting-ip': `2001:db9:${number.toString(16)}::1` };
  return again(over, async () => {
    const response = await fetch(`${ready.baseUrl}/search?q=tea+${number}`, { headers });
    await response.arrayBuffer();
  });
}

function pause(ms: number, over: AbortSignal): Promise<unknown> {
  return rest(ms, undefined, { signal: over }).catch(() => undefined);
}

function report(calm: Visits, attacked: Visits, memory: { before: number; after: number }): void {
  heading('A hostile afternoon: folder, archive, subscriptions and searches');
  const compared = (name: string, percent: number, aim = '') => {
    const [now, base] = [percentile(attacked.times, percent), percentile(calm.times, percent)];
    const words = `${ratio(now, base)} of ${base.toFixed(0)} without the attack`;
    row(name, now.toFixed(0), aim === '' ? words : `${words} (aim: ${aim})`);
  };
  row('pages of visitors', String(attacked.times.length), `${calm.times.length} without the attack`);
  compared('page, median, ms', 50);
  compared('page, 99th percentile, ms', 99, 'under 300');
  compared('page, slowest, ms', 100);
  row('pages that were not 200', String(attacked.failed), `${calm.failed} without the attack (aim: 0)`);
  row('memory before the attack, MB', (memory.before / 1e6).toFixed(0));
  row(`memory ${restMs / 1000} s after it, MB`, (memory.after / 1e6).toFixed(0), '(aim: under 250)');
}
