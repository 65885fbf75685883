import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openSite, page } from '../../support/client-app.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

const open: Porchlight[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
  vi.restoreAllMocks();
});

async function started(dataDir?: string): Promise<Porchlight> {
  const porchlight = await startPorchlight({ ...(dataDir !== undefined && { dataDir }) });
  open.push(porchlight);
  return porchlight;
}

/** Stops a server, changes its folder and starts it again. */
async function restarted(porchlight: Porchlight, change?: (dataDir: string) => Promise<void>) {
  await porchlight.stop();
  open.splice(open.indexOf(porchlight), 1);
  await change?.(porchlight.dataDir);
  return started(porchlight.dataDir);
}

const newsOf = async (porchlight: Porchlight) =>
  (await porchlight.call('status.get', {})).problems.filter(({ id }) => id !== undefined);

/** Returns what the activity says about recovered files. */
const entriesOf = async (porchlight: Porchlight) =>
  (await porchlight.call('activity.list', {})).items.filter(({ kind }) => kind === 'data.recovered');

/** Makes a file unreadable that has a version before it. */
const broken = (name: string) => async (dataDir: string) => {
  await writeFile(path.join(dataDir, name), '{"format":1,"na');
};

describe('the news of a damaged file', () => {
  test('the owner is notified of a damaged file at every start, and once in the activity, until the notice is dismissed', async () => {
    const first = await started();
    await first.call('settings.update', { profile: { name: 'One' } });
    await first.call('settings.update', { profile: { name: 'Two' } });
    const second = await restarted(first, broken('profile.json'));
    const [news, ...others] = await newsOf(second);
    expect(news).toMatchObject({
      code: 'storage_recovered',
      message: expect.stringContaining('profile.json') as string,
    });
    expect(others).toEqual([]);

    const third = await restarted(second);
    expect(await newsOf(third)).toEqual([news]);
    expect(await entriesOf(third)).toMatchObject([{ words: news?.message }]);
    const { problems } = await third.call('status.dismiss', { id: news?.id ?? '' });
    expect(problems).toEqual([]);
    // Another window may dismiss it, too.
    await third.call('status.dismiss', { id: news?.id ?? '' });

    const fourth = await restarted(third);
    expect(await newsOf(fourth)).toEqual([]);
    expect(await entriesOf(fourth)).toHaveLength(1);
  });

  test('a damaged settings.json holds new mentions until its notice is dismissed', async () => {
    const site = await openSite();
    const first = await started();
    const { url } = await first.call('posts.create', {
      content: 'Hello',
      photos: [],
      categories: [],
      visibility: 'public',
      status: 'published',
    });
    await first.call('settings.update', { webmention: { hold: 'nothing' } });
    const second = await restarted(first, async (dataDir) => {
      for (const name of await readdir(dataDir))
        if (name.startsWith('settings.json')) await writeFile(path.join(dataDir, name), 'x');
    });
    const target = new URL(new URL(url).pathname, second.base).href;
    const mention = async (name: string) => {
      site.pages.set(name, page(`<a href="${target}">a post</a>`));
      const body = new URLSearchParams({ source: site.origin + name, target });
      await fetch(`${second.base}/webmention`, { method: 'POST', body });
      return vi.waitUntil(async () => {
        await second.call('webmentions.process', {});
        const { items } = await second.call('webmentions.list', {});
        return items.find(({ source }) => source.endsWith(name));
      }, patience);
    };
    expect(await mention('/one')).toMatchObject({ status: 'held' });
    const [news] = await newsOf(second);
    expect(news?.message).toContain('New mentions wait for your approval');
    await second.call('status.dismiss', { id: news?.id ?? '' });
    expect(await mention('/two')).toMatchObject({ status: 'approved' });
    await site.close();
  });
});

describe('a damaged database', () => {
  test('is reported at every start until it is dismissed, and the activity comes back from its copy', async () => {
    const first = await started();
    await vi.waitUntil(
      () => readdir(first.dataDir).then((names) => names.includes('records.snapshot.sqlite')),
      patience,
    );
    await first.call('server.turnOff', {});
    const before = (await first.call('activity.list', {})).items;
    await first.stop();
    open.splice(0);
    // The copy was made two days ago.
    const longAgo = Date.now() / 1000 - 2 * 86_400;
    await utimes(path.join(first.dataDir, 'records.snapshot.sqlite'), longAgo, longAgo);
    const second = await started(first.dataDir);
    await vi.waitUntil(
      () => readdir(first.dataDir).then((names) => names.includes('records.snapshot.previous.sqlite')),
      patience,
    );
    const third = await restarted(second, (dataDir) => rm(path.join(dataDir, 'records.sqlite')));
    const [news] = await newsOf(third);
    expect(news?.message).toContain('records.sqlite was missing');
    expect((await third.call('activity.list', {})).items.map(({ id }) => id)).toEqual(
      expect.arrayContaining(before.map(({ id }) => id)),
    );
    expect(await entriesOf(third)).toHaveLength(1);
    const fourth = await restarted(third);
    expect(await newsOf(fourth)).toEqual([news]);
    await fourth.call('status.dismiss', { id: news?.id ?? '' });
    const fifth = await restarted(fourth);
    expect(await newsOf(fifth)).toEqual([]);
  });

  test('that is found while the server runs is repaired without a restart', async () => {
    const first = await started();
    for (let turn = 0; turn < 40; turn += 1) {
      await first.call('server.turnOff', {});
      await first.call('server.turnOn', {});
    }
    const second = await restarted(first, async (dataDir) => {
      const file = path.join(dataDir, 'records.sqlite');
      const content = await readFile(file);
      // A page of the activity: a leaf that has its words.
      const isOfActivity = (at: number) =>
        content[at] === 0x0d && content.subarray(at, at + 4096).includes('turned Porchlight');
      const pages = Array.from({ length: content.length / 4096 }, (_, index) => index * 4096);
      const damaged = pages.find(isOfActivity);
      expect(damaged).toBeDefined();
      content.fill(0x5a, damaged, (damaged ?? 0) + 4096);
      await writeFile(file, content);
    });
    const { items } = await vi.waitUntil(
      () => second.call('activity.list', { limit: 500 }).catch(() => undefined),
      patience,
    );
    expect(items.length).toBeGreaterThan(20);
    expect(await newsOf(second)).toMatchObject([
      { message: expect.stringContaining('was damaged') as string },
    ]);
    expect(second.events.some(({ name }) => name === 'status.changed')).toBe(true);
    expect((await stat(path.join(second.dataDir, 'records.sqlite'))).mode & 0o777).toBe(0o600);
  });
});

test('an upgrade tells the owner once what of an earlier version isn’t read, until that is dismissed', async () => {
  const first = await started();
  const second = await restarted(first, async (dataDir) => {
    await writeFile(path.join(dataDir, 'grants.json'), '{"grants":[{"revokedAt":null},{"revokedAt":null}]}');
    await mkdir(path.join(dataDir, 'mentions'));
    await writeFile(path.join(dataDir, 'mentions', 'page.json'), '{"mentions":[{},{},{}]}');
  });
  const told = expect.stringContaining('3 mentions and 2 apps of an earlier version aren’t read.') as string;
  await expect.poll(() => newsOf(second), patience).toMatchObject([{ message: told }]);
  const third = await restarted(second);
  const [news, ...others] = await newsOf(third);
  expect(news).toMatchObject({ message: told });
  expect(others).toEqual([]);
  expect((await third.call('status.dismiss', { id: news?.id ?? '' })).problems).toEqual([]);
  const fourth = await restarted(third);
  // The work of the start is over once the server stops.
  await restarted(fourth);
  expect(await newsOf(open[0]!)).toEqual([]);
  expect(await entriesOf(open[0]!)).toMatchObject([{ words: told }]);
});
