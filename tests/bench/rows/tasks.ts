import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Bare, BareRoute } from '../bare.ts';
import { sites } from '../load.ts';
import type { Contender } from '../measure.ts';
import type { Server } from '../servers.ts';
import type { Line } from '../targets.ts';
import { connections, costOf, requestContender, type RequestRow } from './request-row.ts';
import { measureOperation, type Scene } from './scene.ts';
import { queueFile } from './writing.ts';

/** The operations whose baseline is a loop and not a request. */
const fileBytes = 2_000_000;
const boundary = 'frontier';
const filling = 'x'.repeat(fileBytes);

const upload: RequestRow = {
  ...{ name: 'upload', title: 'upload of 2 MB', status: 201, most: 32 },
  requests: ({ token }) => [
    {
      ...{ method: 'POST', path: '/media' },
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body: [
        `--${boundary}`,
        'content-disposition: form-data; name="file"; filename="a.pdf"',
        'content-type: application/pdf',
        '',
        `%PDF-1.7\n{n}\n${filling}`,
        `--${boundary}--`,
        '',
      ].join('\r\n'),
    },
  ],
};

/** The most mentions that wait at the same time, in all rows together, stay below the limit of the queue. */
const mostVerified = 480;
/** How long they may take, in ms. A server that defers some of them cannot be measured. */
const longestMs = 30_000;

/** Returns the baseline's routes for these operations. `port`: of the other sites. */
export function taskRoutes(port: number): BareRoute[] {
  const route = { method: 'GET', status: 200, type: 'text/plain', body: 'done' } as const;
  return [
    { ...route, url: '/upload', work: { kind: 'loop', bytes: fileBytes, lanes: connections } },
    { ...route, url: '/verify', work: { kind: 'verify', port, lanes: sites } },
  ];
}

/** Uploads, compared with writing and syncing the same files. */
export function measureUploads(scene: Scene): Promise<Line> {
  return measureOperation(upload, scene, (target) =>
    target.name === 'bare'
      ? Promise.resolve(bareTask(target, upload.name))
      : requestContender(upload, { target, server: target, generator: scene.generator }),
  );
}

/** Mentions from sending to storing, compared with fetching and parsing the same pages. */
export async function measureVerifying(scene: Scene): Promise<Line[]> {
  const row = { name: 'verify', title: `verify, ${sites} sites`, most: mostVerified };
  const line = await measureOperation(row, scene, (target) =>
    Promise.resolve(target.name === 'bare' ? bareTask(target, row.name) : verifying(target, scene)),
  );
  const { perSecond = {} } = line;
  const rate = { name: 'verify-rate', title: `${row.title}, rate`, unit: 'per second' } as const;
  return [line, { ...rate, value: perSecond }];
}

function bareTask({ name, url, pid }: Bare, task: string): Contender {
  return {
    name,
    run: (amount) =>
      costOf(
        pid,
        () =>
          secondsOf(async () => {
            const response = await fetch(`${url}/${task}?amount=${amount}`);
            if (!response.ok) throw new Error(`${task}: ${await response.text()}`);
          }),
        amount,
      ),
  };
}

function verifying({ name, url, pid, house, dataDir }: Server, { generator, sources }: Scene): Contender {
  const mention = {
    ...{ method: 'POST' as const, path: '/webmention' },
    headers: {
      ...{ 'content-type': 'application/x-www-form-urlencoded', 'cf-connecting-ip': '198.{net}' },
    },
    body: `source=http://127.0.0.{site}:${sources.port}/{n}&target=https://owner.example/page-{n}`,
  };
  const order = { url, requests: [mention], connections, expected: { status: 201, bytes: 0 } };

  async function verify(amount: number): Promise<void> {
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
      const round = await costOf(pid, () => secondsOf(() => verify(amount)), amount);
      await check(amount);
      return round;
    },
  };
}

/** Returns why a mention still waits, from the end of the queue's file. */
async function lastWords(dataDir: string): Promise<string> {
  const lines = (await readFile(path.join(dataDir, queueFile), 'utf8')).trim().split('\n');
  return lines.findLast((line) => line.includes('"waiting"')) ?? 'the queue is empty';
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
