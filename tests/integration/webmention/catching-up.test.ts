import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSite } from '../../support/client-app.ts';
import { openImport, type ImportScene } from '../../support/import-scene.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { openWebmentionIo, rowOf, type WebmentionIo } from '../../support/webmention-io.ts';

const day = 86_400_000;
const week = 7 * day;

/** All is here since more than a week: the next catch-up compares. */
async function openCompared(count: number) {
  const scene = await openImport(count);
  const catchUp = () => scene.import.run({ token: scene.io.token, fullAfterMs: week });
  await catchUp();
  scene.clock.now += 8 * day;
  return { scene, catchUp };
}

const removed = async ({ store }: ImportScene) =>
  (await store.list({ limit: 200, filter: { status: 'removed' } })).items;

describe('WI-33 catching up', () => {
  test('finds what was deleted at the aggregator once a week, and reads no more than what is new in between', async () => {
    const scene = await openImport(40);
    const token = scene.io.token;
    const catchUp = (it = scene.import) => it.run({ token, fullAfterMs: week });
    await catchUp();
    scene.io.rows[3]!.deleted = true;

    scene.clock.now += 6 * day;
    scene.io.rows.push(rowOf(40));
    expect(await catchUp()).toMatchObject({ imported: 1, removed: 0 });
    scene.clock.now += 2 * day;
    expect(await catchUp(scene.restarted())).toMatchObject({ imported: 0, removed: 1 });
    const gone = (await scene.stored()).get(scene.io.rows[3]!.id);
    expect(gone?.status).toBe('removed');

    // When that was is on disk: the next start does not compare again.
    scene.io.rows[4]!.deleted = true;
    scene.clock.now += 6 * day;
    expect(await catchUp(scene.restarted())).toMatchObject({ removed: 0 });
    scene.clock.now += 2 * day;
    expect(await catchUp(scene.restarted())).toMatchObject({ removed: 1 });
  });

  test('takes away nothing where the list is empty, and tells the owner instead', async () => {
    const { scene, catchUp } = await openCompared(12);
    for (const row of scene.io.rows) row.deleted = true;
    expect(await catchUp()).toMatchObject({ removed: 0 });
    expect(scene.compared).toEqual([expect.stringMatching(/^The aggregator lists no mentions any more\./)]);
    expect((await removed(scene)).length).toBe(0);
  });

  test('takes away no large part that nobody asked to take away; an import by hand does', async () => {
    const { scene, catchUp } = await openCompared(40);
    for (const row of scene.io.rows.slice(0, 11)) row.deleted = true;
    expect(await catchUp()).toMatchObject({ removed: 0, total: 29 });
    const words = expect.stringMatching(
      /^11 mentions no longer listed .* until you import by hand\.$/,
    ) as string;
    expect(scene.compared).toEqual([words]);
    expect(scene.progress.at(-1)).toMatchObject({
      state: 'done',
      words: expect.stringContaining('until you import by hand') as string,
    });
    expect(await scene.import.run({ token: scene.io.token, full: true })).toMatchObject({ removed: 11 });
    expect(scene.compared).toEqual([words, expect.stringMatching(/^11 mentions taken away: /)]);
  });

  test.each([
    ['ten', 40, 10],
    ['a tenth', 120, 12],
  ])('takes away up to %s, and tells so; the owner may approve each', async (_part, all, gone) => {
    const { scene, catchUp } = await openCompared(all);
    for (const row of scene.io.rows.slice(0, gone)) row.deleted = true;
    expect(await catchUp()).toMatchObject({ removed: gone });
    expect(scene.compared).toEqual([expect.stringMatching(new RegExp(`^${gone} mentions taken away: `))]);
    const [first] = await removed(scene);
    expect(await scene.store.setStatus(first!.id, 'approved', 'owner')).toMatchObject({ status: 'approved' });
    expect(await scene.import.run({ token: scene.io.token, full: true })).toMatchObject({ removed: 0 });
  });

  test('brings what is new however often the comparison fails, and says what could not be done', async () => {
    const { scene, catchUp } = await openCompared(40);
    scene.io.cap = 10;
    scene.io.fault = ({ searchParams: asked }) => {
      const isWhole = asked.get('sort-by') === 'created' && !asked.has('since_id');
      return isWhole && asked.get('page') === '2' ? 500 : undefined;
    };
    for (const index of [40, 41]) {
      scene.io.rows.push(rowOf(index));
      const counts = await catchUp();
      expect(counts).toMatchObject({ imported: 1 });
      expect(counts.broken).toMatch(
        /^What is new there is here; what is gone .* The aggregator answered 500/,
      );
    }
  });

  test('goes on with a comparison that was broken off, instead of waiting for the next week', async () => {
    const scene = await openImport(40);
    const token = scene.io.token;
    await scene.import.run({ token, fullAfterMs: week });
    scene.io.rows[3]!.deleted = true;
    scene.io.cap = 10;
    scene.clock.now += 8 * day;
    scene.io.fault = (url) => (url.searchParams.get('page') === '2' ? 401 : undefined);
    expect(await scene.import.run({ token, fullAfterMs: week })).toMatchObject({ removed: 0 });
    scene.io.fault = () => undefined;
    expect(await scene.restarted().run({ token, fullAfterMs: week })).toMatchObject({ removed: 1 });
  });
});

describe('after the computer slept', () => {
  let io: WebmentionIo;
  let house: Porchlight;
  let ahead: number;

  beforeEach(async () => {
    ahead = 0;
    // Only what looks at the clock every minute; all else goes by itself.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    io = await openWebmentionIo(5);
    house = await startPorchlight({ me: 'https://owner.example/', clock: () => Date.now() + ahead });
    await house.call('settings.update', { webmention: { aggregatorUrl: io.origin, catchUp: true } });
    await house.call('webmentions.import', { aggregatorToken: io.token });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await house.remove();
    await io.close();
  });

  function sleep(ms: number): void {
    ahead += ms;
    vi.advanceTimersByTime(60_000);
  }
  const all = async () => (await house.call('webmentions.list', { limit: 100 })).items;

  test('what came to the aggregator meanwhile is here, and within a week nothing is compared', async () => {
    io.rows[0]!.deleted = true;
    io.rows.push(rowOf(5));
    sleep(day);
    await vi.waitUntil(async () => (await all()).length === 6, { timeout: 20_000 });
    expect((await all()).filter(({ status }) => status === 'removed')).toEqual([]);
  });

  test('WI-33 after more than a week, what was deleted there is not shown any more', async () => {
    io.rows[0]!.deleted = true;
    sleep(week + day);
    await vi.waitUntil(async () => (await all()).some(({ status }) => status === 'removed'), {
      timeout: 20_000,
    });
    expect((await all()).filter(({ status }) => status === 'removed')).toMatchObject([
      { source: io.rows[0]!.source, removedBy: 'aggregator' },
    ]);
    const told = async () =>
      (await house.call('activity.list', { area: 'mentions', query: '1 mention taken away' })).items;
    await vi.waitUntil(async () => (await told()).length > 0, { timeout: 20_000 });
    expect(await told()).toMatchObject([{ kind: 'webmention.compared' }]);
  });

  test('pictures that another server could not give are asked for again', async () => {
    const site = await openSite();
    const url = `${site.origin}/ada.png`;
    const notes = join(house.dataDir, 'webmentions/pictures/waiting.json');
    expect(await house.call('webmentions.picture', { url })).toEqual({ dataUrl: null });
    await vi.waitUntil(async () => /"tries": ?1/.test(await readFile(notes, 'utf8').catch(() => '')), {
      timeout: 20_000,
    });
    expect(site.requests).toEqual(['GET /ada.png']);
    sleep(2 * day);
    await vi.waitUntil(() => site.requests.length === 2, { timeout: 20_000 });
    await site.close();
  });
});
