import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { snapshotsIn } from '../../../src-main/storage/records/snapshots.ts';
import { type Database, DatabaseSync } from '../../../src-main/storage/sqlite.ts';
import { openSite, page } from '../../support/client-app.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { addSampleRows } from '../../support/sample-rows.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const fileIn = (dataDir: string) => path.join(dataDir, 'records.sqlite');

/** Changes the database of a server that was stopped. */
function change(dataDir: string, work: (database: Database) => void): void {
  const database = new DatabaseSync(fileIn(dataDir));
  work(database);
  database.close();
}

/** Makes a copy of the database of a server that was stopped, as Porchlight does once a day. */
async function copyOf(dataDir: string): Promise<void> {
  for (const file of snapshotsIn(dataDir)) await rm(file, { force: true });
  change(dataDir, (database) => database.prepare('VACUUM INTO ?').run(snapshotsIn(dataDir)[0] ?? ''));
}

/** Starts a server again at the same port, so that what was sent to its posts stays theirs. */
async function startedAgain({ dataDir, base }: Porchlight): Promise<Porchlight> {
  const again = await startPorchlight({ dataDir, port: Number(new URL(base).port) });
  closing.push(() => again.remove());
  return again;
}

/** Resolves with the result once the server has repaired its database. */
const repaired = <T>(call: () => Promise<T>): Promise<T> =>
  vi
    .waitUntil(
      () =>
        call()
          .then((result) => ({ result }))
          .catch(() => undefined),
      patience,
    )
    .then(({ result }) => result);

const newsOf = async (porchlight: Porchlight) =>
  (await porchlight.call('status.get', {})).problems.filter(({ id }) => id !== undefined);

/** A stopped server with a post that has two mentions: a short one, and one that fills several pages. */
async function withMentions() {
  const site = await openSite();
  const porchlight = await startPorchlight();
  closing.push(() => site.close());
  await porchlight.call('settings.update', { webmention: { hold: 'nothing' } });
  const { url } = await porchlight.call('posts.create', {
    content: 'Hello',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });
  for (const [name, text] of [
    ['/short', 'Well said.'],
    ['/long', 'Well said. '.repeat(1500)],
  ] as const) {
    const reply = `<a class="u-in-reply-to" href="${url}">a post</a> <div class="e-content">${text}</div>`;
    site.pages.set(name, page(`<div class="h-entry">${reply}</div>`));
    const body = new URLSearchParams({ source: site.origin + name, target: url });
    await fetch(`${porchlight.base}/webmention`, { method: 'POST', body });
  }
  await vi.waitUntil(async () => {
    await porchlight.call('webmentions.process', {});
    return (await porchlight.call('webmentions.list', {})).items.length === 2;
  }, patience);
  await porchlight.stop();
  return { porchlight, url };
}

const isLong = `mention LIKE '%/long"%'`;

/** Ways in which the row of the long mention can't be read. */
const damages = [
  [
    'has no JSON',
    (dataDir: string) =>
      change(dataDir, (open) =>
        open.exec(`UPDATE mentions SET mention = replace(mention, '"facts":', '"facts"') WHERE ${isLong}`),
      ),
  ],
  [
    'says something that no mention says',
    (dataDir: string) =>
      change(dataDir, (open) =>
        open.exec(`UPDATE mentions SET mention = replace(mention, '"status":', '"state":') WHERE ${isLong}`),
      ),
  ],
  ['lies on an overwritten page of zeros', (dataDir: string) => overwritten(dataDir, 0)],
  ['lies on an overwritten page', (dataDir: string) => overwritten(dataDir, 0x5a)],
] as const;

/** Overwrites the last of the pages on which only the long mention lies. */
async function overwritten(dataDir: string, byte: number): Promise<void> {
  let at: number | undefined;
  change(dataDir, (database) => {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    at = Number(
      database
        .prepare(
          "SELECT pageno FROM dbstat WHERE name = 'mentions' AND pagetype = 'overflow' ORDER BY path DESC LIMIT 1",
        )
        .get()?.['pageno'],
    );
  });
  const handle = await open(fileIn(dataDir), 'r+');
  await handle.write(Buffer.alloc(4096, byte), 0, 4096, ((at ?? 0) - 1) * 4096);
  await handle.close();
}

describe('a mention that can’t be read', () => {
  test.each(damages)(
    '(it %s) comes back from the copy, and the page and the list answer',
    async (_, damage) => {
      const { porchlight, url } = await withMentions();
      await copyOf(porchlight.dataDir);
      await damage(porchlight.dataDir);
      const again = await startedAgain(porchlight);
      const { items } = await repaired(() => again.call('webmentions.list', {}));
      expect(items.map(({ source, status }) => [new URL(source).pathname, status]).sort()).toEqual([
        ['/long', 'held'],
        ['/short', 'approved'],
      ]);
      await expect.poll(async () => (await fetch(url)).status, patience).toBe(200);
      expect(await (await fetch(url)).text()).toContain('Well said.');
      expect(await newsOf(again)).toMatchObject([
        { code: 'mentions_held', message: expect.stringContaining('was damaged') as string },
      ]);
    },
  );

  test('is set aside if no copy has it, and the owner is told once', async () => {
    const { porchlight, url } = await withMentions();
    for (const file of snapshotsIn(porchlight.dataDir)) await rm(file, { force: true });
    damages[0][1](porchlight.dataDir);
    const again = await startedAgain(porchlight);
    await expect.poll(async () => (await fetch(url)).status, patience).toBe(200);
    const { items } = await repaired(() => again.call('webmentions.list', {}));
    expect(items.map(({ source }) => new URL(source).pathname)).toEqual(['/short']);
    expect(await newsOf(again)).toHaveLength(1);
    const { items: told } = await again.call('activity.list', {});
    expect(told.filter(({ kind }) => kind === 'data.recovered')).toHaveLength(1);
  });
});

/** The URL of the post in the sample rows. */
const samplePost = ({ base }: Porchlight) => ({ url: `${base}/posts/2026/11/lunch` });

describe('a row that can’t be read', () => {
  test.each([
    ['activity', 'sign_in', 'signIns.history', () => ({})],
    ['aggregator_runs', 'id', 'webmentions.importState', () => ({})],
    ['grants', 'body', 'apps.list', () => ({})],
    ['blocked_sites', 'domain', 'webmentions.blockedDomains', () => ({})],
    ['media', 'uploaded_at', 'media.list', () => ({})],
    ['import_runs', 'archive', 'posts.imports', () => ({})],
    ['news', 'code', 'status.get', () => ({})],
    ['posts', 'post', 'posts.list', () => ({})],
    ['post_versions', 'version', 'posts.history', samplePost],
    ['post_edits', 'edits', 'posts.edits', samplePost],
  ] as const)('of %s doesn’t block the owner, and is reported', async (table, column, method, about) => {
    const first = await startPorchlight();
    await first.stop();
    await addSampleRows(first.dataDir);
    change(first.dataDir, (open) => open.exec(`UPDATE ${table} SET ${column} = ''`));
    const again = await startedAgain(first);
    const call = () => again.call<typeof method>(method, about(again));
    await repaired(call);
    await expect
      .poll(async () => (await newsOf(again)).map(({ message }) => message), patience)
      .toContainEqual(expect.stringContaining('records.sqlite was damaged'));
    await repaired(call);
  });
});
