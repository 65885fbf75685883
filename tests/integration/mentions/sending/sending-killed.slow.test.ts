import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { rowsIn, withClosedRecords } from '../../../../src-main/storage/records/closed-records.ts';
import { workTable } from '../../../../src-main/storage/work/work-rows.ts';
import { deliveryTable } from '../../../../src-main/mentions/sending/deliveries.ts';
import { openSender, ours } from '../../../support/sender.ts';
import { postOf } from '../../../support/site.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';
import { openReceivers } from '../../../support/webmention-receivers.ts';
import { bundleProgram, killRounds as rounds } from '../../../support/writer-program.ts';

/** Lets a writer work in `dir`, kills it at a random moment and answers the posts that it acknowledged. */
async function writeUntilKilled(writer: string, dir: string, origin: string): Promise<string[]> {
  const child = spawn(process.execPath, [writer, dir, origin], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const acknowledged: string[] = [];
  let until = 1 + Math.floor(Math.random() * 12);
  for await (const slug of createInterface({ input: child.stdout })) {
    acknowledged.push(slug);
    // Anywhere in what follows: in a write, in a delivery, between the two.
    if (--until === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 6);
  }
  const [, signal] = (await closed) as [number | null, NodeJS.Signals | null];
  expect(signal).toBe('SIGKILL');
  return acknowledged;
}

test(
  `after ${rounds} kills at random moments, the next start notifies every page that still needs it`,
  { timeout: 360_000 },
  async () => {
    const there = await openReceivers();
    there.add('/a');
    there.add('/b');
    const writer = await bundleProgram('webmention-writer', await temporaryFolder());
    const dir = await temporaryFolder();
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      acknowledged.push(...(await writeUntilKilled(writer, dir, there.origin)));
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(rounds);

    const rows = await rowsIn(dir, deliveryTable);
    const waiting = rows.filter(({ state }) => state === 'waiting').length;
    const work = await rowsIn(dir, workTable);
    expect(work).toHaveLength(waiting);
    const sender = await openSender({ dir });
    await sender.start();
    await sender.tried(waiting);
    const notified = new Set(there.received.map(({ source, target }) => `${source ?? ''} ${target ?? ''}`));
    for (const slug of acknowledged) {
      for (const page of ['a', 'b']) {
        expect(notified).toContain(`${ours}/posts/2026/11/${slug} ${there.origin}/${page}?${slug}`);
      }
    }
    await sender.stop();
    await there.close();
  },
);

test('unreadable work stops neither the start nor other work, and can be sent again', async () => {
  const there = await openReceivers();
  const dir = await temporaryFolder();
  const before = await openSender({ dir });
  const posts = ['one', 'two'].map((slug) => postOf({ 'like-of': [there.add(`/${slug}`)] }, { slug }));
  for (const post of posts) await before.change(post, 'created');
  await before.stop();
  await withClosedRecords(dir, [workTable], (database) =>
    database.exec("UPDATE work SET payload = '{' WHERE key LIKE '%/one'"),
  );

  const sender = await openSender({ dir });
  await sender.start();
  await sender.tried(1);
  expect(there.notifications()).toEqual(['/posts/2026/11/two -> /two']);
  await sender.retry(`${ours}/posts/2026/11/one`);
  await sender.tried(2);
  expect(there.notifications()).toHaveLength(2);
  await sender.stop();
  await there.close();
});
