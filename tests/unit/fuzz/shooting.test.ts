import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { judgePulse, type Finding } from '../../fuzz/oracles.ts';
import { watchPulse } from '../../fuzz/pulse.ts';
import type { FuzzRequest } from '../../fuzz/request.ts';
import { emptyTally, shoot, type Tally } from '../../fuzz/shooting.ts';

const secrets = [{ name: 'token', text: 'a-token-of-some-length' }];

/** Runs `work` with a server that answers every request in the same way. */
async function withServer<T>(answer: RequestListener, work: (port: number) => Promise<T>): Promise<T> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  // Where the fuzzer waits for more answers, the server ends the connection.
  server.keepAliveTimeout = 1;
  await once(server, 'listening');
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function numbered(number: number, changes: Partial<FuzzRequest> = {}): FuzzRequest {
  return {
    number,
    generator: 'protocol',
    route: '/token',
    listener: 'public',
    bytes: Buffer.from(
      'POST /token HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3\r\n\r\na=b',
    ),
    delivery: { kind: 'whole' },
    mustAnswer: true,
    ...changes,
  };
}

async function shotAt(answer: RequestListener, requests: FuzzRequest[]): Promise<Tally> {
  const tally = emptyTally();
  await withServer(answer, (port) =>
    shoot(
      {
        requests,
        ports: { public: port, console: port },
        secrets,
        connections: 4,
        over: new AbortController().signal,
      },
      tally,
    ),
  );
  return tally;
}

const found = ({ findings }: { findings: readonly Finding[] }) =>
  findings.map(({ kind, request }) => [kind, request?.number]);

test('a server that fails at one request is found out, with that request', async () => {
  let count = 0;
  const tally = await shotAt(
    (_request, response) => response.writeHead((count += 1) === 3 ? 500 : 200).end(),
    [0, 1, 2, 3, 4].map((number) => numbered(number)),
  );
  expect(tally.sent).toBe(5);
  expect(tally.statuses).toEqual(
    new Map([
      ['200', 4],
      ['500', 1],
    ]),
  );
  expect(found(tally)).toHaveLength(1);
  expect(found(tally)[0]![0]).toBe('status');
});

test('a server that tells a secret is found out', async () => {
  const tally = await shotAt((_request, response) => response.end(secrets[0]!.text), [numbered(4)]);
  expect(found(tally)).toEqual([['leak', 4]]);
});

test('a server that is gone is found out', async () => {
  const tally = emptyTally();
  const port = await withServer(
    () => undefined,
    (one) => Promise.resolve(one),
  );
  const shooting = {
    ports: { public: port, console: port },
    secrets,
    connections: 1,
    over: new AbortController().signal,
  };
  await shoot({ ...shooting, requests: [numbered(1)] }, tally);
  expect(found(tally)).toEqual([['crash', 1]]);
});

test('every delivery brings its bytes and ends', async () => {
  let whole = 0;
  const deliveries = [
    { kind: 'slow', pieces: 5 },
    { kind: 'half-closed' },
    { kind: 'aborted', after: 10 },
    { kind: 'pipelined', times: 3 },
  ] as const;
  const kept = Buffer.from('POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na=b');
  const tally = await shotAt(
    (request, response) => {
      request.on('end', () => (whole += 1)).resume();
      response.end('ok');
    },
    deliveries.map((delivery, number) =>
      numbered(number, { delivery, bytes: kept, mustAnswer: delivery.kind !== 'aborted' }),
    ),
  );
  expect(tally.sent).toBe(4);
  expect(whole).toBe(5); // the slow one, the half-closed one, three at once
  expect(tally.statuses.get('closed')).toBe(1);
});

test('a server that leaves a harmless request waiting is a stall', async () => {
  const findings: Finding[] = [];
  await withServer(
    (_request, response) => {
      // Every time: what a busy machine itself waits for a processor is left out.
      setTimeout(() => response.end('{}'), 2000);
    },
    async (port) => {
      const probe = () => Promise.resolve({ heap: 0, late: 0, latest: 0, blocked: 0 });
      const pulse = watchPulse({ baseUrl: `http://127.0.0.1:${port}`, pid: process.pid, probe }, (one) =>
        findings.push(...judgePulse(one)),
      );
      await expect.poll(() => findings.length).toBeGreaterThan(0);
      await pulse.stop();
    },
  );
  expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['stall']));
});
