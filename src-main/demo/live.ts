import type { OwnerApi } from '../contract/contract.ts';
import { ask } from '../owner/ask.ts';
import type { Clock } from '../platform/clock.ts';
import { otherApps, ownerName, poster, waitingApps } from './cast.ts';
import { createDemoClient, sendWebmention } from './client.ts';
import { landscape } from './pictures.ts';
import type { DemoWeb } from './web.ts';
import { mentionsOf, postsOfTheYear, strangersOf, type DemoPost } from './year.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const everyDays = 20;

/** A clock that can be set, and that runs with the computer's own at the end. */
export interface DemoClock {
  readonly now: Clock;
  /** Sets the clock so many ms before the present. */
  goBack(ms: number): void;
}

export function createDemoClock(): DemoClock {
  let behind = 0;
  return { now: () => Date.now() - behind, goBack: (ms) => (behind = ms) };
}

export interface YearOptions {
  readonly owner: OwnerApi;
  readonly base: string;
  readonly web: DemoWeb;
  readonly clock: DemoClock;
}

/**
 * Lives a year: apps sign in and post, other people respond, and two sign-ins wait at the end. Everything goes
 * through the interfaces that real apps and sites use; only the clock is set.
 */
export async function liveAYear({ owner, base, web, clock }: YearOptions): Promise<void> {
  const posts = postsOfTheYear();
  const clients = [poster, ...otherApps].map((app) => ({ app, client: createDemoClient(app, base, owner) }));
  for (const app of [poster, ...otherApps, ...waitingApps]) web.addApp(app);
  const addresses: string[] = [];
  const events = [
    ...clients.map(({ app, client }) => ({ before: app.daysAgo * dayMs, work: () => client.signIn() })),
    ...posts.map((post, index) => ({
      before: post.daysAgo * dayMs + ((index * 7) % 14) * hourMs,
      work: async () => {
        const client = clients[0]?.client;
        if (!client) return;
        await client.refresh();
        addresses[index] = await publish(client, post, index);
      },
    })),
    // The others are used now and then, each until a different day.
    ...clients.slice(1).flatMap(({ app: { daysAgo }, client }, index) =>
      Array.from({ length: Math.floor(daysAgo / everyDays) }, (_, uses) => ({
        before: (daysAgo - (uses + 1) * everyDays + index) * dayMs,
        work: () => client.refresh(),
      })),
    ),
  ];
  const mentions = mentionsOf(posts).map((mention, index) => ({
    ...mention,
    before: ((posts[mention.post]?.daysAgo ?? 0) - mention.after) * dayMs + ((index * 37) % 600) * 60_000,
  }));

  clock.goBack((poster.daysAgo + 1) * dayMs);
  await ask(owner, 'settings.update', { profile: { name: ownerName }, webmention: { hold: 'nothing' } });
  for (const { before, work } of events.toSorted((a, b) => b.before - a.before)) {
    await receive(mentions.filter((mention) => mention.before > before));
    clock.goBack(before);
    await work();
  }
  await receive(mentions);
  // From here on, the owner looks at what strangers write before it is shown.
  await ask(owner, 'settings.update', { webmention: { hold: 'strangers' } });
  await receive(strangersOf(posts).map((mention, index) => ({ ...mention, before: (3 - index) * hourMs })));
  clock.goBack(0);
  for (const app of waitingApps) await createDemoClient(app, base, owner).request();

  /** Receives what was sent until now, and takes it off the list. */
  async function receive(sent: typeof mentions): Promise<void> {
    for (const mention of sent.toSorted((a, b) => b.before - a.before)) {
      if (mentions.includes(mention)) mentions.splice(mentions.indexOf(mention), 1);
      const target = addresses[mention.post];
      if (target === undefined) continue;
      clock.goBack(mention.before);
      const source = web.addMention(mention, target, clock.now());
      await sendWebmention(base, source, target);
    }
    if (sent.length > 0) await ask(owner, 'webmentions.process', {});
  }
}

/** Publishes a post as an app does: the picture first, then the post that shows it. */
async function publish(
  client: ReturnType<typeof createDemoClient>,
  post: DemoPost,
  number: number,
): Promise<string> {
  const { photo, isDraft, properties } = post;
  const pictures: DemoPost['properties'] =
    photo === undefined
      ? {}
      : { photo: [{ value: await client.upload(landscape(number), `photo-${number}.png`), alt: photo }] };
  return client.post({ ...properties, ...pictures, ...(isDraft && { 'post-status': ['draft'] }) });
}
