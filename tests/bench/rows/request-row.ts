import { readFile } from 'node:fs/promises';
import { startBare, type BareRoute } from '../bare.ts';
import type { LoadGenerator, LoadOrder, LoadRequest } from '../load.ts';
import type { Contender, Name, Round } from '../measure.ts';
import type { Server } from '../servers.ts';
import { cpuMsOf } from '../usage.ts';

/** How many requests are open at the same time. */
export const connections = 16;

/** An operation that is a request. */
export interface RequestRow {
  /** Names it on the command line. */
  readonly name: string;
  readonly title: string;
  /** The requests that are sent, in turn. The text `{n}` in them makes each request different. */
  readonly requests: (server: Server) => readonly LoadRequest[];
  /** The status of a correct response. */
  readonly status: number;
  /** The most requests in one round, for those that the server limits or that need much space. */
  readonly most?: number;
  /** What the baseline does before it responds; `first`: the program's response to the first request. */
  readonly work?: (server: Server, first: Response) => Promise<BareRoute['work']>;
}

/** What measures a process: its address and its id. */
interface Target {
  readonly name: Name;
  readonly url: string;
  readonly pid: number;
}

/** Returns a contender that sends the requests of a row to a server; checks a first response. */
export async function requestContender(
  row: RequestRow,
  target: Target,
  requests: readonly LoadRequest[],
  generator: LoadGenerator,
): Promise<Contender> {
  const order: Omit<LoadOrder, 'amount'> = {
    ...{ url: target.url, requests, connections },
    expected: { status: row.status, bytes: await shortest(row, target.url, requests) },
  };
  return {
    name: target.name,
    run: (amount) => costOf(target.pid, () => generator.send({ ...order, amount })),
  };
}

/** Returns what `work`, which returns its seconds, costs a process. */
export async function costOf(pid: number, work: () => Promise<number>): Promise<Round> {
  const before = cpuMsOf(pid);
  const seconds = await work();
  return { cpuMs: cpuMsOf(pid) - before, seconds };
}

/** Starts a baseline that responds to the requests of a row with the bytes with which `server` responds. */
export async function startBareFor(
  row: RequestRow,
  server: Server,
  folder: string,
): Promise<Target & { stop(): void }> {
  const routes: BareRoute[] = [];
  for (const request of row.requests(server)) {
    const response = await sent(server.url, request);
    if (response.status !== row.status)
      throw new Error(`${request.path}: ${response.status} ${await response.text()}`);
    routes.push({
      ...{ method: request.method, url: request.path.split('?', 1)[0] ?? '/', status: row.status },
      type: response.headers.get('content-type') ?? 'text/plain',
      work: await row.work?.(server, response.clone()),
      body: await response.text(),
    });
  }
  return { name: 'bare', ...(await startBare({ folder, routes })) };
}

/** Returns the length of the shortest body among correct responses. */
async function shortest(row: RequestRow, url: string, requests: readonly LoadRequest[]): Promise<number> {
  const lengths = requests.map(async (request) => {
    const response = await sent(url, request);
    const body = await response.arrayBuffer();
    if (response.status !== row.status) throw new Error(`${request.path}: ${response.status}`);
    // Addresses and dates in a body may become shorter.
    return Math.floor(body.byteLength * 0.9);
  });
  return Math.min(...(await Promise.all(lengths)));
}

let turn = 0;

/** Sends one request without the load generator. */
function sent(url: string, { method, path, headers = {}, body }: LoadRequest): Promise<Response> {
  // Numbers that the load generator does not reach.
  const n = String(9_000_000 + turn++);
  const fill = (text: string) =>
    text.replaceAll('{n}', n).replaceAll('{net}', `200.${turn >> 8}.${turn & 255}`);
  const filled = Object.entries(headers).map(([name, value]) => [name, fill(value)] as const);
  return fetch(`${url}${fill(path)}`, {
    method,
    headers: { 'accept-encoding': 'identity', ...Object.fromEntries(filled) },
    ...(body !== undefined && { body: fill(body) }),
  });
}

/** Returns the usual length of a line of a journal, in bytes. */
export async function lineLength(file: string): Promise<number> {
  const text = await readFile(file, 'utf8');
  return Math.round(Buffer.byteLength(text) / (text.split('\n').length - 1));
}
