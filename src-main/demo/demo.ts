import { rmSync } from 'node:fs';
import { ask } from '../app/ask.ts';
import type { Options } from '../app/options.ts';
import type { Service } from '../app/service.ts';
import type { OwnerApi } from '../contract/contract.ts';
import type { PostText } from '../contract/writing.ts';
import { type DemoApp, otherApps, ownerName, ownerPhoto, ownerSite, poster, waitingApps } from './cast.ts';
import { createDemoClient, type DemoClient, sendWebmention } from './client.ts';
import { landscape } from './pictures.ts';
import { createDemoWeb, type DemoWeb } from './web.ts';
import { announcement, type DemoArticle, site } from './writing.ts';
import { type DemoMention, demoMentionsOf, type DemoPost, postsOfTheYear, strangersOf } from './year.ts';

/** Prepares the demo. Deletes the demo's folder when the process ends. */
export function prepareDemo({ dataDir }: Options) {
  if (dataDir === undefined) return undefined;
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const clock = createDemoClock();
  let base = '';
  const web = createDemoWeb(() => base);
  const progress = demoProgress();
  progress(0, 1);
  return {
    /** The options for the service, in addition to the options from withDemo. */
    service: { me: ownerSite, clock: clock.now, web: web.fetch, allowPrivateFetch: false },
    /** Fills the running service with a year of posts, mentions and apps. Shows its progress, because that takes a while. */
    async fill({ owner }: Service): Promise<void> {
      const { port } = await ask(owner, 'status.get', {});
      if (port === null) throw new Error('The server of the demo did not start.');
      base = `http://127.0.0.1:${port}`;
      await liveAYear({ owner, base, web, clock, progress });
    },
  };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const everyDays = 20;

/** Creates a clock that can be set to the past. The clock runs at normal speed. */
function createDemoClock() {
  let behind = 0;
  return {
    now: () => Date.now() - behind,
    /** Sets the clock to `ms` milliseconds before the actual time. */
    goBack: (ms: number) => void (behind = ms),
  };
}

interface YearOptions {
  readonly owner: OwnerApi;
  readonly base: string;
  readonly web: DemoWeb;
  readonly clock: ReturnType<typeof createDemoClock>;
  /** Called with the number of events of the year that have happened, and their total. */
  readonly progress: (done: number, total: number) => void;
}

const written: Omit<PostText, 'text' | 'format'> = {
  photos: [],
  categories: [],
  visibility: 'public',
  status: 'published',
};

/** An event of the demo's year. `before`: how long before the present the event happens, in ms. */
interface Happening {
  readonly before: number;
  readonly work: () => Promise<unknown>;
}

/**
 * Simulates a year: apps sign in and post, and other people respond. At the end, two sign-ins wait for approval, and
 * from then on one always does. The apps and people use the same interfaces as real apps and sites. The clock is set to the time of each event.
 */
async function liveAYear({ owner, base, web, clock, progress }: YearOptions): Promise<void> {
  for (const app of [poster, ...otherApps, ...waitingApps]) web.addApp(app);
  const writer = createDemoClient(poster, base, owner);
  const posts = postsOfTheYear(clock.now());
  const addresses: string[] = [];
  const postedBefore = (index: number) => (posts[index]?.daysAgo ?? 0) * dayMs + ((index * 7) % 14) * hourMs;

  // Process each mention before the clock changes, so that it is received at the time at which it was written.
  async function receive(mention: DemoMention): Promise<void> {
    const target = addresses[mention.post];
    if (target === undefined) throw new Error('A mention of the demo comes before its post.');
    await sendWebmention(base, web.addMention(mention, target, clock.now()), target);
    await ask(owner, 'webmentions.process', {});
  }
  /** Publishes an article that the owner wrote in Porchlight's window. */
  const write = async ({ firstText, name, summary, text }: DemoArticle) =>
    (
      await ask(owner, 'posts.create', {
        ...written,
        name,
        summary,
        text: firstText ?? text,
        format: 'markdown',
      })
    ).url;
  /** Corrects the text of an article, so that the article has a change in its history. */
  const correct = (index: number, { text }: DemoArticle) =>
    ask(owner, 'posts.update', { url: addresses[index] ?? '', text });
  const hold = (what: 'nothing' | 'strangers') =>
    ask(owner, 'settings.update', { webmention: { hold: what } });

  const year: Happening[] = [
    {
      before: (poster.daysAgo + 1) * dayMs,
      work: () => ask(owner, 'settings.update', { profile: { name: ownerName, photo: ownerPhoto }, site }),
    },
    { before: (poster.daysAgo + 1) * dayMs, work: () => hold('nothing') },
    { before: poster.daysAgo * dayMs, work: () => writer.signIn() },
    ...posts.map((post, index) => ({
      before: postedBefore(index),
      async work() {
        await writer.refresh();
        addresses[index] = post.article ? await write(post.article) : await publish(writer, post, index);
      },
    })),
    ...posts.flatMap(({ article }, index) =>
      article?.firstText === undefined
        ? []
        : [{ before: postedBefore(index) - hourMs, work: () => correct(index, article) }],
    ),
    ...otherApps.flatMap((app, index) => usesOf(app, index, createDemoClient(app, base, owner))),
    ...demoMentionsOf(posts).map((mention, index) => ({
      before: postedBefore(mention.post) - mention.after * dayMs - (20 + ((index * 37) % 600)) * minuteMs,
      work: () => receive(mention),
    })),
    // In the last four hours of the demo's history, mentions by people who are new to the owner need approval. So the
    // mentions from `strangersOf` wait for approval.
    { before: 4 * hourMs, work: () => hold('strangers') },
    ...strangersOf(posts).map((mention, index) => ({
      before: (3 - index) * hourMs,
      work: () => receive(mention),
    })),
  ];
  for (const [index, { before, work }] of year.toSorted((a, b) => b.before - a.before).entries()) {
    clock.goBack(before);
    await work();
    progress(index + 1, year.length);
  }
  clock.goBack(0);
  const tomorrow = new Date(clock.now() + dayMs).toISOString();
  await ask(owner, 'posts.create', { ...written, text: announcement, published: tomorrow });
  await keepSignInsWaiting(
    owner,
    waitingApps.map((app) => createDemoClient(app, base, owner)),
  );
}

/** Returns the events of an app: its sign-in, and then its use at regular intervals. */
function usesOf({ daysAgo }: DemoApp, index: number, client: DemoClient): Happening[] {
  const uses = Array.from({ length: Math.floor(daysAgo / everyDays) }, (_, use) => ({
    before: (daysAgo - (use + 1) * everyDays + index) * dayMs,
    work: () => client.use(),
  }));
  return [{ before: daysAgo * dayMs, work: () => client.signIn() }, ...uses];
}

/** Returns a file name for a picture, made from the picture's alt text. */
const nameOf = (alt: string) =>
  `${alt
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .slice(0, 40)}.png`;

/** Publishes a post as an app does: uploads the pictures first, then creates the post that shows them. */
async function publish(client: DemoClient, post: DemoPost, number: number): Promise<string> {
  const { photos = [], isDraft, properties } = post;
  const shown = [];
  for (const [index, alt] of photos.entries())
    shown.push({ value: await client.upload(landscape(number + index), nameOf(alt)), alt });
  return client.post({
    ...properties,
    ...(isDraft && { 'post-status': ['draft'] }),
    ...(shown.length > 0 && { photo: shown }),
  });
}
/** Where progress is shown: a terminal, a file or a pipe. */
interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** How often a file or a pipe gets a line, in percent. */
const step = 20;

/**
 * Returns a function that shows how much of the demo is ready: on one line of a terminal, or in lines. It writes to
 * stderr, because stdout is for programs.
 */
export function demoProgress(output: Output = process.stderr): (done: number, total: number) => void {
  let shown = -1;
  return (done, total) => {
    const percent = Math.floor((done / total) * 100);
    const part = output.isTTY === true ? percent : percent - (percent % step);
    if (part === shown) return;
    shown = part;
    const words = `Preparing the demo, a made-up year: ${part} %`;
    if (output.isTTY === true) output.write(`\r\u001b[K${part < 100 ? words : ''}`);
    else output.write(`${words}\n`);
  };
}

/** How long the next app waits after the last sign-in ended, in ms. The visitor first sees what became of that one. */
const pauseMs = 5000;
/** How long until an app asks again that could not ask, for example because the server is off, in ms. */
const retryMs = 30_000;

/**
 * Lets each app ask for a sign-in, and keeps one waiting from then on: when the last one was answered or expired, the
 * next app asks. An approved app finishes its sign-in, as a real one does. Resolves once all apps have asked.
 */
export async function keepSignInsWaiting(owner: OwnerApi, clients: readonly DemoClient[]): Promise<void> {
  const waiting = new Map<string, { readonly client: DemoClient; readonly page: string }>();
  let turn = 0;

  async function request(client: DemoClient): Promise<void> {
    const page = await client.request();
    waiting.set(page.split('/').at(-1) ?? '', { client, page });
  }
  function requestNextIn(ms: number): void {
    setTimeout(() => {
      const client = clients[turn++ % clients.length];
      if (client === undefined || waiting.size > 0) return;
      request(client).catch(() => requestNextIn(retryMs));
    }, ms).unref();
  }

  owner.subscribe((event) => {
    if (event.name !== 'signIn.settled') return;
    const ended = waiting.get(event.data.id);
    if (!ended) return;
    waiting.delete(event.data.id);
    // An error is ignored: then the app doesn't appear among the owner's apps, and nothing else depends on it.
    if (event.data.outcome === 'approved') ended.client.finish(ended.page).catch(() => undefined);
    if (waiting.size === 0) requestNextIn(pauseMs);
  });
  for (const client of clients) await request(client);
}
