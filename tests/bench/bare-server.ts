import { randomUUID } from 'node:crypto';
import { open, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Fastify, { type FastifyRequest } from 'fastify';
import type { BareOrder, BareRoute } from './bare.ts';
import { sourceOf } from './load.ts';

// The baseline: Fastify with the routes that the parent process asks for, and nothing else. It sends fixed bytes, and
// its writes are durable before the response, with the fewest system calls that this takes.

process.once('message', (order: BareOrder) => void serve(order));
process.once('disconnect', () => process.exit());

async function serve({ folder, routes }: BareOrder): Promise<void> {
  const app = Fastify();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, body),
  );
  for (const { method, url, status, headers, body: text, work } of routes) {
    // Converted once: a text would be converted for each response.
    const body = Buffer.from(text);
    const works = workOf(work, folder);
    app.route({
      method,
      url,
      handler: (request, reply) => {
        reply.code(status).headers(headers);
        return works === undefined ? reply.send(body) : works(request).then(() => reply.send(body));
      },
    });
  }
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
}

/** Returns the function that does the work of a route before it responds. */
function workOf(
  work: BareRoute['work'],
  folder: string,
): ((request: FastifyRequest) => Promise<unknown>) | undefined {
  switch (work?.kind) {
    case undefined:
      return undefined;
    case 'append':
      return appending(path.join(folder, randomUUID()), 'x'.repeat(work.bytes - 1) + '\n');
    case 'file':
      return filing(folder, 'x'.repeat(work.bytes));
    case 'loop':
      return (request) => writeLoop(folder, Buffer.alloc(work.bytes, 'x'), work.lanes, amountOf(request));
    case 'verify':
      return (request) => readSources(work.port, work.lanes, amountOf(request));
  }
}

const amountOf = ({ query }: FastifyRequest) => Number((query as { amount?: string }).amount);

/** Runs `write` for everything that arrived during the previous run, so that it shares an fsync. */
function grouped(write: (count: number) => Promise<void>): () => Promise<void> {
  let waiting = 0;
  let next: Promise<void> | undefined;
  let running = Promise.resolve();
  return () => {
    waiting += 1;
    next ??= running.then(() => {
      const count = waiting;
      [waiting, next] = [0, undefined];
      return (running = write(count));
    });
    return next;
  };
}

function appending(file: string, line: string): () => Promise<void> {
  const opened = open(file, 'a');
  return grouped(async (count) => {
    const handle = await opened;
    await handle.appendFile(line.repeat(count));
    await handle.datasync();
  });
}

/** Writes, syncs and renames a file for each request. Requests that arrive together share the sync of the folder. */
function filing(folder: string, text: string): () => Promise<void> {
  const opened = open(folder, 'r');
  const syncFolder = grouped(async () => (await opened).sync());
  return async () => {
    const file = path.join(folder, randomUUID());
    await writeFile(`${file}.new`, text, { flush: true });
    await rename(`${file}.new`, file);
    await syncFolder();
  };
}

async function inLanes(lanes: number, amount: number, each: (turn: number) => Promise<void>): Promise<void> {
  let turn = 0;
  const lane = async () => {
    while (turn < amount) await each(turn++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

const writeLoop = (folder: string, content: Buffer, lanes: number, amount: number) =>
  inLanes(lanes, amount, () => writeFile(path.join(folder, randomUUID()), content, { flush: true }));

/** Fetches and parses pages, as the smallest receiver of mentions would. */
async function readSources(port: number, lanes: number, amount: number): Promise<void> {
  const { mf2 } = await import('microformats-parser');
  await inLanes(lanes, amount, async (turn) => {
    const baseUrl = sourceOf(port, turn);
    const { items } = mf2(await (await fetch(baseUrl)).text(), { baseUrl });
    if (items.length === 0) throw new Error('The source has no entry.');
  });
}
