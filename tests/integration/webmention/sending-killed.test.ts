import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { openSender, ours } from '../../support/sender.ts';
import { postOf } from '../../support/site.ts';
import { readJsonFile, temporaryFolder } from '../../support/storage-folder.ts';
import { openReceivers } from '../../support/webmention-receivers.ts';
import { bundleProgram, killRounds as rounds } from '../../support/writer-program.ts';

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
  `${rounds} kills at random moments: every page that was to be told is told by the next start`,
  { timeout: 120_000 },
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

    // Nobody is there to be told: a broken document would be refused, not recovered.
    const left = (await readJsonFile(join(dir, 'outbox.json'))) as { posts: string[] };
    const sender = openSender({ dir });
    let waiting = 0;
    for (const path of left.posts) {
      const deliveries = await sender.deliveriesOf(ours + path);
      waiting += deliveries.filter(({ state }) => state === 'waiting').length;
    }
    await sender.start();
    await sender.tried(waiting);
    const told = new Set(there.received.map(({ source, target }) => `${source ?? ''} ${target ?? ''}`));
    for (const slug of acknowledged) {
      for (const page of ['a', 'b']) {
        expect(told).toContain(`${ours}/posts/2026/11/${slug} ${there.origin}/${page}?${slug}`);
      }
    }
    await sender.stop();
    await there.close();
  },
);

test('a broken document of one post stops neither the start nor the others', async () => {
  const there = await openReceivers();
  const dir = await temporaryFolder();
  const before = openSender({ dir });
  const posts = ['one', 'two'].map((slug) => postOf({ 'like-of': [there.add(`/${slug}`)] }, { slug }));
  for (const post of posts) await before.change(post, 'created');
  const folder = join(dir, 'outbox');
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8');
    if (text.includes('/posts/2026/11/one')) await writeFile(join(folder, name), text.slice(0, 20));
  }

  const sender = openSender({ dir });
  await sender.start();
  await sender.tried(1);
  expect(there.told()).toEqual(['/posts/2026/11/two -> /two']);
  await sender.stop();
  await there.close();
});
