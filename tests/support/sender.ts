import { onTestFinished } from 'vitest';
import type { Delivery, Post, PostChange } from '../../src-main/contract/posts.ts';
import { createGuardedFetch, type GuardedFetch } from '../../src-main/platform/guarded-fetch.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { openReading } from '../../src-main/app/reading.ts';
import type { PostFinder } from '../../src-main/posts/address.ts';
import type { CrossPosting } from '../../src-main/mentions/sending/copies.ts';
import { linksOfPost } from '../../src-main/mentions/sending/plan.ts';
import { Sender } from '../../src-main/mentions/sending/send.ts';
import { nobody } from '../../src-main/posts/links.ts';
import { openWork } from '../../src-main/storage/work/work.ts';
import { noPosts, noServices } from './no-posts.ts';
import { recordsIn } from './records-in.ts';

export const ours = 'http://127.0.0.1:4321';

export type TestSender = Sender & {
  readonly events: readonly Delivery[];
  /** Resolves once all that was to be sent by what changed was tried. */
  quiet(): Promise<void>;
  /** Resolves once so many tries, all told, had their outcome. */
  tried(count: number): Promise<void>;
  change(post: Post, change: PostChange['change'], before?: Post): Promise<void>;
  /** State and words of what a post sends, by the path of the target. */
  states(post: Post): Promise<Record<string, string>>;
};

export interface TestSenderOptions {
  readonly dir: string;
  readonly fetch?: GuardedFetch;
  readonly base?: () => string;
  /** The posts that the sender can look up; none if absent. */
  readonly posts?: PostFinder;
  readonly mayLeave?: (path: string) => boolean;
  readonly crossPosting?: CrossPosting;
  readonly now?: () => number;
  readonly allowPrivate?: boolean;
  readonly concurrency?: number | undefined;
  readonly online?: () => boolean;
}

/**
 * A sender whose work can be waited for, with a queue of its own. It sends from loopback unless told otherwise. `start`,
 * `wake` and `stop` are those of both.
 */
export async function openSender(options: TestSenderOptions): Promise<TestSender> {
  const { dir, base = () => ours, now = Date.now, allowPrivate = true, concurrency } = options;
  const records = await recordsIn(dir);
  const work = await openWork({ records, now, log: silentLog, online: options.online ?? (() => true) });
  const events: Delivery[] = [];
  const busy = new Set<string>();
  let tries = 0;
  let conditions: { holds: () => boolean; resolve: () => void }[] = [];
  const until = (holds: () => boolean): Promise<void> =>
    holds() ? Promise.resolve() : new Promise((resolve) => conditions.push({ holds, resolve }));
  const fetch =
    options.fetch ?? createGuardedFetch({ allowPrivate: true, userAgent: 'Porchlight (Webmention)' });
  const reading = openReading({ clock: now });
  const sender = new Sender({
    records,
    work,
    fetch,
    reading: reading.mentions,
    base,
    posts: options.posts ?? noPosts,
    personUrl: nobody,
    readLinks: linksOfPost,
    mayLeave: options.mayLeave ?? (() => true),
    notYet: () => Promise.resolve(undefined),
    crossPosting: options.crossPosting ?? noServices,
    now,
    log: silentLog,
    ...(concurrency !== undefined && { concurrency }),
    allowPrivate,
    changed(delivery) {
      events.push(delivery);
      const key = `${new URL(delivery.source).pathname} ${delivery.target}`;
      // Some words name work; "Waiting until ...", "... new responses" and "... try again" wait for a time that a test's clock brings.
      if (/^Waiting to (be sent|report that)/.test(delivery.words)) busy.add(key);
      else busy.delete(key);
      if (!delivery.words.startsWith('Waiting')) tries += 1;
      for (const { holds, resolve } of conditions) if (holds()) resolve();
      conditions = conditions.filter(({ holds }) => !holds());
    },
  });
  const [startSending, stopSending] = [sender.start.bind(sender), sender.stop.bind(sender)];
  async function stop(): Promise<void> {
    await work.stop();
    await stopSending();
    await records.close();
  }
  onTestFinished(async () => {
    await stop();
    await reading.close();
  });
  return Object.assign(sender, {
    async start() {
      work.start();
      await startSending();
    },
    wake: () => work.wake(),
    stop,
    events,
    quiet: () => until(() => busy.size === 0),
    tried: (count: number) => until(() => tries >= count),
    change: (post: Post, change: PostChange['change'], before?: Post) =>
      sender.postChanged({ post, before, change, url: new URL(post.path, base()).href }),
    async states(post: Post) {
      const deliveries = await sender.deliveriesOf(new URL(post.path, base()).href);
      return Object.fromEntries(deliveries.map(({ target, state }) => [new URL(target).pathname, state]));
    },
  });
}
