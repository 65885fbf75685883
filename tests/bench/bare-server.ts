import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Fastify from 'fastify';
import type { BareOrder, BareRoute } from './bare.ts';

// The baseline: Fastify with the routes that the parent process asks for, and nothing else. It sends fixed bytes, and
// its writes are durable before the response, with the fewest system calls that this takes.

process.once('message', (order: BareOrder) => void serve(order));
process.once('disconnect', () => process.exit());

async function serve({ folder, routes }: BareOrder): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const app = Fastify({ bodyLimit: 16_000_000 });
  app.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'multipart/form-data'],
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, body),
  );
  for (const { method, url, status, type, body, work } of routes) {
    const works = workOf(work, folder);
    app.route({
      method,
      url,
      handler: (_request, reply) => {
        reply.code(status).type(type);
        return works === undefined ? reply.send(body) : works().then(() => reply.send(body));
      },
    });
  }
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
}

/** Returns a function that does what a route does before it responds. */
function workOf(work: BareRoute['work'], folder: string): (() => Promise<unknown>) | undefined {
  switch (work?.kind) {
    case undefined:
      return undefined;
    case 'append':
      return appending(path.join(folder, 'journal'), 'x'.repeat(work.bytes - 1) + '\n');
    case 'file':
      return filing(folder, 'x'.repeat(work.bytes));
    case 'loop':
      return () => writeLoop(folder, Buffer.alloc(work.bytes, 'x'), work.files, work.lanes);
    case 'verify':
      return () => readSources(work.sources, work.lanes);
  }
}

/** Runs `write` for all that arrived while the previous one ran: they share its fsync. */
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

async function inLanes(count: number, lanes: number, each: (turn: number) => Promise<void>): Promise<void> {
  let turn = 0;
  const lane = async () => {
    while (turn < count) await each(turn++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

const writeLoop = (folder: string, content: Buffer, files: number, lanes: number) =>
  inLanes(files, lanes, () => writeFile(path.join(folder, randomUUID()), content, { flush: true }));

/** Fetches and parses pages, as the smallest receiver of mentions would. */
async function readSources(sources: readonly string[], lanes: number): Promise<void> {
  const { mf2 } = await import('microformats-parser');
  await inLanes(sources.length, lanes, async (turn) => {
    const baseUrl = sources[turn] ?? '';
    const { items } = mf2(await (await fetch(baseUrl)).text(), { baseUrl });
    if (items.length === 0) throw new Error('The source has no entry.');
  });
}
