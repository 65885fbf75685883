import type { Bare, BareRoute } from '../bare.ts';
import { filled, type LoadGenerator, type LoadRequest } from '../load.ts';
import type { Contender, Round } from '../measure.ts';
import type { Server } from '../servers.ts';
import { cpuMsOf } from '../usage.ts';
import { quiet } from './scene.ts';

/** How many requests are open at the same time, usually. */
export const connections = 16;

/** An operation that is a request. */
export interface RequestRow {
  /** Names it on the command line. */
  readonly name: string;
  readonly title: string;
  /** The requests that are sent in turn. The load generator fills their placeholders. */
  readonly requests: (server: Server) => readonly LoadRequest[];
  /** The status of a correct response. */
  readonly status: number;
  /** How many requests are open at the same time; 16 if absent. */
  readonly connections?: number;
  /** The most requests in one round, for those that the server limits or that need much space. */
  readonly most?: number;
  /**
   * Exactly so many requests in each round, whatever time they take. The round begins when the server has done what
   * followed from the one before.
   */
  readonly amount?: number;
  /** How many operations a request counts for; 1 if absent. */
  readonly operations?: (server: Server) => number;
  /** What the baseline does before it responds; `first`: the program's response to a first request. */
  readonly work?: (server: Server, first: Response) => Promise<BareRoute['work']>;
}

/** The path under which the baseline responds as a server does under `path`. */
const pathOnBare = (row: RequestRow, path: string) => `/${row.name}${path}`;

/** Returns the baseline's routes for a row. They send the headers and bytes with which `server` responds. */
export async function routesOf(row: RequestRow, server: Server): Promise<BareRoute[]> {
  const routes: BareRoute[] = [];
  for (const request of row.requests(server)) {
    const { pathname } = new URL(request.path, server.url);
    if (routes.some(({ url }) => url === pathOnBare(row, pathname))) continue;
    const response = await sent(server.url, request, row.status);
    routes.push({
      method: request.method,
      url: pathOnBare(row, pathname),
      status: row.status,
      headers: headersOf(response),
      work: await row.work?.(server, response.clone()),
      body: await response.text(),
    });
  }
  return routes;
}

/** The headers that every server makes for itself. */
const madeByServer = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

const headersOf = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !madeByServer.has(name)));

/**
 * Returns a contender that sends the requests of a row to a server, or to the baseline in the place of `server`.
 * @throws Error if a response has fewer than `least` bytes, because then the server does other work
 */
export async function requestContender(
  row: RequestRow,
  {
    target,
    server,
    least = 0,
    generator,
  }: { target: Bare | Server; server: Server; least?: number; generator: LoadGenerator },
): Promise<Contender> {
  const requests = row
    .requests(server)
    .map((request) =>
      target.name === 'bare' ? { ...request, path: pathOnBare(row, request.path) } : request,
    );
  const lengths = requests.map(async (request) => {
    const response = await sent(target.url, request, row.status);
    return (await response.arrayBuffer()).byteLength;
  });
  const smallest = Math.min(...(await Promise.all(lengths)));
  if (smallest < least) throw new Error(`${target.name} responds with ${smallest} bytes only`);
  // Dates and addresses in a body may become shorter.
  const bytes = Math.floor(smallest * 0.9);
  const order = {
    url: target.url,
    requests,
    connections: row.connections ?? connections,
    expected: { status: row.status, bytes },
  };
  const operations = row.operations?.(server) ?? 1;
  return {
    name: target.name,
    async run(amount) {
      if (row.amount !== undefined) await quiet(target);
      return costOf(target.pid, () => generator.send({ ...order, amount }), amount * operations);
    },
  };
}

/** Returns what `operations` cost a process; `work` does them and returns the seconds that it took. */
export async function costOf(pid: number, work: () => Promise<number>, operations: number): Promise<Round> {
  const before = cpuMsOf(pid);
  const seconds = await work();
  return { cpuMs: cpuMsOf(pid) - before, seconds, operations };
}

/** The load generator does not reach these numbers. */
let turn = 9_000_000;

/**
 * Sends one request without the load generator.
 * @throws Error if the response has another status
 */
async function sent(url: string, request: LoadRequest, status: number): Promise<Response> {
  const { method, path, headers, body } = filled(request, turn++);
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
    ...(body.length > 0 && { body }),
  });
  if (response.status !== status)
    throw new Error(`${path}: ${response.status} ${(await response.text()).slice(0, 500)}`);
  return response;
}
