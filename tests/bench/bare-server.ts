import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import Fastify, { type FastifyRequest } from 'fastify';
import { DatabaseSync } from '../../src-main/storage/sqlite.ts';
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
  // Left to the route.
  app.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
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
    case 'commit':
      return committing(folder, work.bytes);
    case 'post':
      return posting(folder, work.bytes);
    case 'receive': {
      const writing = durableFiles(folder);
      return ({ raw }) => writing((file) => pipeline(raw, createWriteStream(file, { flush: true })));
    }
    case 'tokens': {
      const commit = work.bytes === undefined ? undefined : committing(folder, work.bytes);
      return async () => {
        for (let token = 0; token < work.tokens; token += 1) verifyMac();
        await commit?.();
      };
    }
    case 'verify':
      return (request) => readSources(work.port, work.lanes, amountOf(request));
  }
}

const amountOf = ({ query }: FastifyRequest) => Number((query as { amount?: string }).amount);

/** Runs `write` for everything that arrived during the previous run and in this turn, so that it shares an fsync. */
function grouped(write: (count: number) => Promise<void>): () => Promise<void> {
  let waiting = 0;
  let next: Promise<void> | undefined;
  let running = Promise.resolve();
  return () => {
    waiting += 1;
    next ??= running
      .then(() => endOfTurn())
      .then(() => {
        const count = waiting;
        [waiting, next] = [0, undefined];
        return (running = write(count));
      });
    return next;
  };
}

/** Returns a function that adds rows to a database of its own in one transaction. */
function rowsOf(folder: string, bytes: number, synchronous: 'FULL' | 'NORMAL'): (count: number) => void {
  const database = new DatabaseSync(path.join(folder, `${randomUUID()}.sqlite`));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};
    CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL)`);
  const insert = database.prepare('INSERT INTO rows (text) VALUES (?)');
  const text = 'x'.repeat(bytes);
  return (count) => {
    database.exec('BEGIN');
    for (let row = 0; row < count; row += 1) insert.run(text);
    database.exec('COMMIT');
  };
}

function committing(folder: string, bytes: number): () => Promise<void> {
  const insert = rowsOf(folder, bytes, 'FULL');
  return grouped((count) => {
    insert(count);
    return Promise.resolve();
  });
}

/** The file is what is durable, so the commit needs no sync of its own. */
function posting(folder: string, bytes: number): () => Promise<void> {
  const writing = durableFiles(folder);
  const insert = rowsOf(folder, bytes, 'NORMAL');
  const text = 'x'.repeat(bytes);
  return async () => {
    await writing((file) => writeFile(file, text, { flush: true }));
    insert(1);
  };
}

/** Returns a function that renames a file once it is written. Files that arrive together share the sync of the folder. */
function durableFiles(folder: string): (write: (file: string) => Promise<void>) => Promise<void> {
  const opened = open(folder, 'r');
  const syncFolder = grouped(async () => (await opened).sync());
  return async (write) => {
    const file = path.join(folder, randomUUID());
    await write(`${file}.new`);
    await rename(`${file}.new`, file);
    await syncFolder();
  };
}

const key = randomBytes(32);
/** About as long as an access token. */
const token = randomBytes(300).toString('base64url');
const mac = createHmac('sha256', key).update(token).digest();

function verifyMac(): void {
  if (!timingSafeEqual(createHmac('sha256', key).update(token).digest(), mac))
    throw new Error('The token is not valid.');
}

/** Fetches and parses pages, as the smallest receiver of mentions would. */
async function readSources(port: number, lanes: number, amount: number): Promise<void> {
  const { mf2 } = await import('microformats-parser');
  let turn = 0;
  const lane = async () => {
    while (turn < amount) {
      const baseUrl = sourceOf(port, turn++);
      const { items } = mf2(await (await fetch(baseUrl)).text(), { baseUrl });
      if (items.length === 0) throw new Error('The source has no entry.');
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
