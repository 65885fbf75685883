import type { BareRoute } from '../bare.ts';
import { sites } from '../load.ts';
import type { Contender } from '../measure.ts';
import type { Server } from '../servers.ts';
import type { Line } from '../targets.ts';
import { bareTask, secondsOf, taskRoute } from './bare-task.ts';
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
  ...taskRoute,
  url: `/${verify.name}`,
  work: { kind: 'verify', port, lanes: sites },
});

/** Measures mentions from sending to storing, compared with fetching and parsing the same pages. */
export async function measureVerifying(scene: Scene): Promise<Line[]> {
  const amount = Math.ceil(perSecondOfRound * scene.seconds);
  const line = await measureOperation({ ...verify, amount }, scene, (target) =>
    Promise.resolve(target.name === 'bare' ? bareTask(target, verify.name) : verifying(target, scene)),
  );
  const rate = { name: 'verify-rate', title: `${verify.title}, rate`, unit: 'per second' } as const;
  return [line, { ...rate, value: line.perSecond ?? {} }];
}

function verifying({ name, url, pid, house, dataDir }: Server, { generator, sources }: Scene): Contender {
  const mention = {
    method: 'POST' as const,
    path: '/webmention',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'cf-connecting-ip': '198.{net}',
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
