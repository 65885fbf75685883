import { mkdtemp, rm } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openSealed } from '../../../src-main/mailbox/mailbox-client.ts';
import { DatabaseSync } from '../../../src-main/storage/sqlite.ts';
import { edgeClient } from '../../support/edge-client.ts';
import { startMailbox } from '../../support/edge-runtime.ts';
import { edgeScene, type EdgeScene } from '../../support/edge-scene.ts';

let folder: string;
let scene: EdgeScene;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-edge-tables-'));
  scene = await edgeScene({ folder });
  await scene.client.store([
    {
      address: '/page',
      hash: 'a',
      status: 200,
      headers: {},
      noteAt: null,
      body: Buffer.from('a page'),
    },
  ]);
  await scene.client.call('away', { kind: 'asleep' });
  scene.behave('broken');
  expect((await scene.post('/webmention', mention)).status).toBe(202);
  await scene.mailbox.stop();
});
afterEach(async () => {
  await scene.stop();
  await rm(folder, { recursive: true });
});

const mention = { source: 'https://sender.test/', target: 'https://home.test/post' };
const added =
  "ALTER TABLE items ADD COLUMN kind TEXT NOT NULL DEFAULT 'webmention'; CREATE TABLE later (one TEXT);";

/** Starts a Worker on the tables that another one left. Its calls go on from number 100 times `turn`. */
async function startOnTables(migrations: readonly string[], turn: number) {
  const mailbox = await startMailbox({ ...scene.options, folder, migrations });
  onTestFinished(() => mailbox.stop());
  const client = edgeClient(mailbox.url, scene.keys);
  let number = turn * 100;
  const call = async (name: string, body: object) => {
    const answer = await client.send(name, JSON.stringify(body), { number: (number += 1) });
    return (await answer.json()) as { items: { sealed: string }[] };
  };
  return { url: mailbox.url, call, stop: () => mailbox.stop() };
}

/** Reads the version and the names of the tables in the stored file. No Worker may run. */
function stored(): { version: unknown; tables: unknown[] } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.sqlite'))) {
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    try {
      const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      const names = (tables as { name: string }[]).map(({ name }) => name).sort();
      if (!names.includes('format')) continue;
      const [row] = database.prepare('SELECT version FROM format').all() as { version: number }[];
      return { version: row?.version, tables: names };
    } finally {
      database.close();
    }
  }
  throw new Error('There are no tables.');
}

async function whole({ url, call }: Awaited<ReturnType<typeof startOnTables>>): Promise<void> {
  expect(await (await fetch(`${url}/page`)).text()).toBe('a page');
  const { items } = await call('items', { after: 0, limit: 10 });
  expect(
    items.map(({ sealed }) => openSealed(Buffer.from(sealed, 'base64url'), [scene.sealing])?.trim()),
  ).toEqual([JSON.stringify({ kind: 'webmention', ...mention })]);
  expect(await call('state', {})).toMatchObject({ state: 'asleep', kept: 1, copies: 1 });
}

test('a newer Worker brings the tables up to date once, and loses nothing', async () => {
  const { version, tables } = stored();
  expect(version).toBe(1);
  const newer = await startOnTables([added], 1);
  await whole(newer);
  await newer.stop();
  expect(stored()).toEqual({ version: 2, tables: [...tables, 'later'].sort() });
  // The second start has nothing to bring up to date.
  const again = await startOnTables([added], 2);
  await whole(again);
  await again.stop();
  expect(stored().version).toBe(2);
});

test('a migration that fails changes nothing, and the next Worker finds everything', async () => {
  const before = stored();
  const broken = await startOnTables([`${added} ALTER TABLE none ADD COLUMN one TEXT;`], 1);
  // The mailbox fails, so the visitor gets what came instead of the server's answer.
  expect((await fetch(`${broken.url}/page`)).status).toBe(502);
  await broken.stop();
  expect(stored()).toEqual(before);
  await whole(await startOnTables([], 2));
});
