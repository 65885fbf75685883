import { access, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { recordsName } from '../../../src-main/storage/records/records-file.ts';
import { limitOf, patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

/** How many pages of the database are overwritten, each in a folder of its own, spread over the whole file. */
const count = Number(process.env['PORCHLIGHT_DAMAGED_PAGES'] ?? 8);
const pageBytes = 4096;
const posts = 40;

interface Made {
  readonly path: string;
  readonly text: string;
  readonly isDeleted: boolean;
  /** Deleted, or made private: nobody may see it again, whatever happens. */
  readonly isEnded: boolean;
}

const fields = { photos: [], categories: [], visibility: 'public' as const, status: 'published' as const };

/** Makes a folder with posts that have earlier versions, former paths and endings, and whose file copies are written. */
async function folderWithPosts(): Promise<{ readonly origin: string; readonly made: readonly Made[] }> {
  const house = await startPorchlight();
  onTestFinished(() => house.remove());
  const made: Made[] = [];
  for (let number = 0; number < posts; number += 1) made.push(await makePost(house, number));
  const isWritten = ({ path }: Made) => access(join(house.dataDir, `${path}.json`)).then(() => true, () => false); // prettier-ignore
  for (const one of made) await vi.waitUntil(() => isWritten(one), patience);
  await house.stop();
  return { origin: house.dataDir, made };
}

async function makePost(house: Porchlight, number: number): Promise<Made> {
  const text = `Number ${number} says ${'words '.repeat(20 * (number % 30))}`.trim();
  const { url } = await house.call('posts.create', { ...fields, text: `Before ${text}` });
  const visibility = number % 7 === 3 ? 'private' : 'public';
  const slug = number % 4 === 1 ? { slug: `moved-${number}` } : {};
  const item = await house.call('posts.update', { url, ...fields, text, visibility, ...slug });
  const isDeleted = number % 5 === 2;
  if (isDeleted) await house.call('posts.delete', { url: item.url });
  return { path: item.path, text, isDeleted, isEnded: isDeleted || visibility === 'private' };
}

test(
  'whichever page of the database is overwritten, every post survives, and no deleted one comes back',
  async () => {
    const { origin, made } = await folderWithPosts();
    const database = await readFile(join(origin, recordsName));
    const pages = Math.floor(database.length / pageBytes);
    for (let turn = 0; turn < count; turn += 1) {
      const page = Math.floor((turn * pages) / count);
      const dataDir = await mkdtemp(join(tmpdir(), 'porchlight-damaged-'));
      await cp(origin, dataDir, { recursive: true });
      await rm(join(dataDir, 'lock.json'), { force: true });
      const damaged = Buffer.from(database);
      damaged.fill(0x5a, page * pageBytes, (page + 1) * pageBytes);
      await writeFile(join(dataDir, recordsName), damaged);
      const house = await startPorchlight({ dataDir });
      await expectPosts(house, made, `page ${page} of ${pages}`);
      await house.remove();
    }
  },
  limitOf(60_000 + 15_000 * count),
);

async function expectPosts(house: Porchlight, made: readonly Made[], message: string): Promise<void> {
  for (const { path, text, isEnded } of made) {
    const seen = async () => {
      const answer = await fetch(house.base + path, { headers: { accept: 'text/html' } });
      const page = await answer.text();
      if (isEnded) expect(page, `${message}: ${path}`).not.toContain(text);
      return page.includes(text);
    };
    if (isEnded) await seen();
    else await expect.poll(seen, { ...patience, message: `${message}: ${path}` }).toBe(true);
  }
  const listed = await house.call('posts.list', { limit: posts });
  const live = listed.items.filter(({ deletedAt }) => deletedAt === null);
  expect(live.length, message).toBe(made.filter((one) => !one.isDeleted).length);
}
