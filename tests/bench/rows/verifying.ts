import { fromTunnel, sites } from '../load.ts';
import type { Contender } from '../measure.ts';
import type { Server } from '../servers.ts';
import type { Line } from '../targets.ts';
import type { Bare, BareRoute } from '../bare.ts';
import { connections, costOf } from './request-row.ts';
import { measureOperation, type Scene } from './scene.ts';
import { receivedTable } from '../../../src-main/mentions/receiving/received-mentions.ts';
import { rowsIn } from '../../../src-main/storage/records/closed-records.ts';

const verify = { name: 'verify', title: `verify, ${sites} sites` };
/**
 * How many mentions a round of a second has. The number is fixed, because a short round would mostly measure the start
 * of the threads that read pages.
 */
const perSecondOfRound = 150;
/** How long a round may take, in ms. A server that postpones some of the mentions cannot be measured. */
const longestMs = 60_000;

/** Returns the baseline's route: it fetches and parses the same pages. `port`: of the other sites. */
export const verifyRoute = (port: number): BareRoute => ({
  method: 'GET',
  status: 200,
  headers: {},
  body: 'done',
  url: `/${verify.name}`,
  work: { kind: 'verify', port, lanes: sites },
});

/** Measures mentions from sending to storing, compared with fetching and parsing the same pages. */
export async function measureVerifying(scene: Scene): Promise<Line[]> {
  const amount = Math.ceil(perSecondOfRound * scene.seconds);
  const line = await measureOperation({ ...verify, amount }, scene, (target) =>
    Promise.resolve(target.name === 'bare' ? bareVerifying(target) : verifying(target, scene)),
  );
  const rate = { name: 'verify-rate', title: `${verify.title}, rate`, unit: 'per second' } as const;
  return [line, { ...rate, value: line.perSecond ?? {} }];
}

/** The baseline does the task as often as it is asked to, in one request. */
function bareVerifying({ name, url, pid }: Bare): Contender {
  const run = async (amount: number) => {
    const response = await fetch(`${url}/${verify.name}?amount=${amount}`);
    if (!response.ok) throw new Error(`${verify.name}: ${await response.text()}`);
  };
  return { name, run: (amount) => costOf(pid, () => secondsOf(() => run(amount)), amount) };
}

/** Returns how many seconds some work takes. */
export async function secondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

function verifying({ name, url, pid, house, dataDir }: Server, { generator, sources }: Scene): Contender {
  const mention = {
    method: 'POST' as const,
    path: '/webmention',
    headers: {
      ...fromTunnel,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `source=http://127.0.0.{site}:${sources.port}/{n}&target=https://owner.example/page-{n}`,
  };
  const order = { url, requests: [mention], connections, expected: { status: 201, bytes: 0 } };

  async function sendAndWait(amount: number): Promise<void> {
    await generator.send({ ...order, amount });
    const end = Date.now() + longestMs;
    for (let waiting = amount; waiting > 0; { waiting } = await house.call('webmentions.process', {}))
      if (Date.now() > end) throw new Error(`${waiting} mentions still wait: ${await lastWords(dataDir)}`);
  }

  /** Checks that the newest mentions come from the other sites. */
  async function check(amount: number): Promise<void> {
    const { items } = await house.call('webmentions.list', { limit: Math.min(amount, 100) });
    const wrong = items.find(({ source }) => !source.includes(`:${sources.port}/`));
    if (wrong) throw new Error(`A mention was not verified; the newest is ${wrong.source}.`);
  }

  return {
    name,
    async run(amount) {
      const round = await costOf(pid, () => secondsOf(() => sendAndWait(amount)), amount);
      await check(amount);
      return round;
    },
  };
}

/** Returns why a mention still waits. */
async function lastWords(dataDir: string): Promise<string> {
  const waiting = (await rowsIn(dataDir, receivedTable)).findLast(({ state }) => state === 'waiting');
  return waiting ? JSON.stringify(waiting) : 'the queue is empty';
}
