import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DatabaseSync } from '../../src-main/storage/sqlite.ts';
import { mailboxScene, mentionSources, sendMention } from '../support/mailbox-scene.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const patience = { timeout: 360_000, interval: 200 };
const count = 40;

/** Returns how many items the Durable Object has stored below a folder. */
async function storedItems(folder: string): Promise<number> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sqlite'));
  for (const name of files) {
    const database = new DatabaseSync(join(folder, name), { readOnly: true });
    try {
      const has = database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'items'`).get();
      if (has) return Number(database.prepare('SELECT count(*) AS n FROM items').get()?.['n']);
    } finally {
      database.close();
    }
  }
  throw new Error('The mailbox has stored nothing.');
}

test(
  'while this server’s disk is full, nothing is deleted in the mailbox; with room, everything arrives exactly once',
  { timeout: 300_000 },
  async (context) => {
    const disk = await mountSmallDisk(context, '32m');
    onTestFinished(() => disk.remove());
    const scene = await mailboxScene({ dataDir: join(disk.dir, 'data') });
    const sources = await mentionSources(`${scene.url}/`);
    const house = await scene.start();
    const status = () => house.call('mailbox.status', {});
    await expect.poll(status, patience).toMatchObject({ state: 'asleep-ready', kept: 0 });

    // The server hangs, so the mailbox keeps what arrives.
    house.child.kill('SIGSTOP');
    const names = Array.from({ length: count }, (_, at) => at + 1);
    const statuses = await Promise.all(
      names.map((name) => sendMention(scene.url, sources.page(name), `${scene.url}/`)),
    );
    expect(new Set(statuses)).toEqual(new Set([202]));
    expect(await storedItems(scene.mailbox.folder)).toBe(count);
    await disk.fill();
    house.child.kill('SIGCONT');

    const full = { state: 'trouble', words: expect.stringMatching(/disk/i) as string };
    await expect.poll(() => house.call('mailbox.retry', {}), patience).toMatchObject(full);
    expect(await house.call('mailbox.retry', {})).toMatchObject(full);
    expect(await storedItems(scene.mailbox.folder)).toBe(count);

    await disk.free();
    await expect
      .poll(() => house.call('mailbox.retry', {}), patience)
      .toMatchObject({ state: 'asleep-ready', kept: 0 });
    expect(await storedItems(scene.mailbox.folder)).toBe(0);
    const mentions = async () => (await house.call('webmentions.list', { limit: 100 })).items;
    await expect.poll(async () => (await mentions()).length, patience).toBe(count);
    expect((await mentions()).map(({ source }) => source).sort()).toEqual(
      names.map((name) => sources.page(name)).sort(),
    );
    // Once it goes on, the server may still receive a mention from a request that the mailbox had given up on. If its
    // source is being read when the mailbox's copy of it comes, it is read once more: the page may have changed.
    expect([...sources.reads.values()].filter((reads) => reads > 2)).toEqual([]);
  },
);
