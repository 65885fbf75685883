import { rm } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { indexName } from '../../src-main/storage/index/index-database.ts';
import { headlessProgram, startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { fillWithMentions } from './mention-folder.ts';
import { fillWithPosts } from './post-folder.ts';
import { heading, row } from './report.ts';
import { publicUrl, serverArguments } from './servers.ts';

interface IndexStartOptions {
  /** Where the data goes. */
  readonly folder: string;
  readonly posts: number;
  readonly mentions: number;
  /** The checkout of the program to measure (default: this one). */
  readonly root?: string | undefined;
}

const kills = 10;
const pollMs = 100;
/** How long a visitor of a page waits for an answer, in ms. */
const patienceMs = 120_000;

/** When a page was first answered with each status, in ms since the program was started. */
type Seen = Map<number, number>;

/**
 * Runs `npm run bench -- index`: what visitors see after a start without an index of posts, with one, and with one that
 * is built while the program is killed ten times.
 */
export async function benchIndexStart({ folder, posts, mentions, root }: IndexStartOptions): Promise<void> {
  const dataDir = path.join(folder, 'indexed');
  console.log(`${posts} posts and ${mentions} mentions ...`);
  const post = await fillWithPosts(dataDir, posts);
  await fillWithMentions(dataDir, mentions, `${publicUrl}${post}`);
  const measured = { dataDir, post, root };
  heading(`Start with ${posts} posts and ${mentions} mentions`);
  // The first start after filling files the mentions.
  report('first start', await measure(measured));
  await removeIndex(dataDir);
  report('without an index', await measure(measured));
  report('with its index', await measure(measured));
  await removeIndex(dataDir);
  for (let kill = 0; kill < kills; kill += 1) {
    const house = await start(measured);
    await delay(300 + 200 * kill);
    await house.stop('SIGKILL');
  }
  report(`after ${kills} kills`, await measure(measured));
}

async function removeIndex(dataDir: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm'])
    await rm(path.join(dataDir, indexName + ending), { force: true });
}

interface Measured {
  readonly dataDir: string;
  readonly post: string;
  readonly root: string | undefined;
}

const start = ({ dataDir, root }: Measured): Promise<HeadlessProcess> =>
  startHeadless({
    dataDir,
    args: serverArguments,
    ...(root !== undefined && { program: headlessProgram(root) }),
  });

/** Starts the program and asks for pages, each as a visitor of its own, until everything is listed. */
async function measure(measured: Measured) {
  const began = performance.now();
  const house = await start(measured);
  const portMs = performance.now() - began;
  const url = `http://127.0.0.1:${house.ready.port}`;

  async function watch(address: string, visitor: number, isDone: (status: number) => boolean): Promise<Seen> {
    const seen: Seen = new Map();
    for (;;) {
      const status = await visit(url + address, `203.0.113.${visitor}`);
      if (!seen.has(status)) seen.set(status, performance.now() - began);
      if (isDone(status) || performance.now() - began > patienceMs) return seen;
      await delay(pollMs);
    }
  }
  try {
    const isShown = (status: number) => status === 200;
    const [home, page, feed, archive] = await Promise.all([
      watch('/', 1, isShown),
      watch(measured.post, 2, isShown),
      watch('/feed.atom', 3, isShown),
      watch('/archive', 4, isShown),
    ]);
    await house.call('posts.list', { limit: 1 });
    return { portMs, home, page, feed, archive, wholeMs: performance.now() - began };
  } finally {
    await house.stop();
  }
}

/** Requests a page as a visitor through the tunnel. Returns the status. */
function visit(url: string, address: string): Promise<number> {
  const headers = { host: new URL(publicUrl).host, 'cf-connecting-ip': address };
  return new Promise((resolve, reject) => {
    get(url, { headers, timeout: patienceMs }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    }).once('error', reject);
  });
}

function report(name: string, { portMs, wholeMs, ...pages }: Awaited<ReturnType<typeof measure>>): void {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  row(`${name}: port open`, seconds(portMs));
  for (const [page, seen] of Object.entries(pages))
    row(`${name}: ${page}`, [...seen].map(([status, ms]) => `${status} after ${seconds(ms)}`).join(', '));
  row(`${name}: all posts listed`, seconds(wholeMs));
}
