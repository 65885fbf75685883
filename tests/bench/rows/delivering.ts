import { setTimeout as rest } from 'node:timers/promises';
import { openSubscriber, signatureOf, type Subscriber } from '../../support/websub-subscriber.ts';
import { median } from '../measure.ts';
import { publicUrl, startServer, type Program, type Server } from '../servers.ts';
import type { Line } from '../targets.ts';

const topic = `${publicUrl}/feed.atom`;
const secret = 'a secret';
const postsPerRound = 5;
/** How long a confirmation or a delivery may take, in ms. */
const longestMs = 60_000;

/**
 * Measures the time from the owner's call to the moment at which a WebSub subscriber has the post, signed. Earlier
 * versions have no hub, so only the current program is measured.
 */
export async function measureDeliveries(programs: readonly Program[], rounds: number): Promise<Line[]> {
  const title = 'WebSub: post to signed delivery';
  console.log(`${title} ...`);
  const lines: Line[] = [];
  for (const [name, program] of [
    ['websub', programs.find((one) => one.name === 'now')],
    ['websub-much', programs.find((one) => one.name === 'nowMuch')],
  ] as const) {
    if (program === undefined) continue;
    const value = { now: await timeOf(program, rounds * postsPerRound) };
    lines.push({ name, title: name === 'websub' ? title : `${title}, much data`, unit: 'ms', value });
  }
  return lines;
}

/** Returns the median of the times, in ms. */
async function timeOf(program: Program, posts: number): Promise<number> {
  const subscriber = await openSubscriber();
  const server = await startServer(program);
  try {
    await subscriber.ask(`${server.url}/websub`, { topic, 'hub.secret': secret });
    await until(() => subscriber.questions.length > 0);
    // Posts that come before the subscription is stored bring no delivery.
    while (subscriber.deliveries.length === 0) {
      await create(server, 'The first one');
      await rest(100);
    }
    const times: number[] = [];
    for (let post = 0; post < posts; post += 1) times.push(await delivered(server, subscriber, post));
    return median(times);
  } finally {
    await server.house.stop();
    await subscriber.close();
  }
}

async function delivered(server: Server, { deliveries }: Subscriber, post: number): Promise<number> {
  const words = `Post number ${post} of this round`;
  const start = performance.now();
  await create(server, words);
  await until(() => deliveries.some(({ body }) => body.includes(words)));
  const took = performance.now() - start;
  const found = deliveries.find(({ body }) => body.includes(words));
  if (found?.signature !== signatureOf(found?.body ?? '', secret))
    throw new Error('A delivery has a wrong signature.');
  return took;
}

const create = ({ house }: Server, text: string) =>
  house.call('posts.create', {
    text,
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + longestMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error('The subscriber got nothing.');
    await rest(1);
  }
}
