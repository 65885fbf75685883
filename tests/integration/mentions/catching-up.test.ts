import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSite } from '../../support/client-app.ts';
import { openImport, type ImportScene } from '../../support/import-scene.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { workOf } from '../../support/work-rows.ts';
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
  test('finds deletions at the aggregator once a week, and reads only new mentions in between', async () => {
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

  test('removes nothing if the aggregator’s list is empty, and tells the owner instead', async () => {
    const { scene, catchUp } = await openCompared(12);
    for (const row of scene.io.rows) row.deleted = true;
    expect(await catchUp()).toMatchObject({ removed: 0 });
    expect(scene.compared).toEqual([
      expect.stringMatching(/^The service you imported from lists no mentions now\. Porchlight kept all 12 /),
    ]);
    expect((await removed(scene)).length).toBe(0);
  });

  test('removes no large part, by itself or when the owner imports, until the owner agrees', async () => {
    const { scene, catchUp } = await openCompared(40);
    for (const row of scene.io.rows.slice(0, 11)) row.deleted = true;
    expect(await catchUp()).toMatchObject({ removed: 0, total: 29 });
    const words = expect.stringMatching(
      /no longer lists 11 mentions\. Porchlight kept them\. You can remove them under Webmentions\.$/,
    ) as string;
    expect(scene.compared).toEqual([words]);
    expect(scene.progress.at(-1)).toMatchObject({
      state: 'done',
      words: expect.stringContaining('You can remove them under Webmentions.') as string,
    });
    const run = await scene.import.run({ token: scene.io.token, full: true });
    expect(run).toMatchObject({ removed: 0, wouldRemove: 11 });
    expect(await removed(scene)).toEqual([]);

    const [gone] = await scene
      .restarted()
      .removals.apply(run.id ?? '')
      .then(async (count) => {
        expect(count).toBe(11);
        return removed(scene);
      });
    expect((await removed(scene)).length).toBe(11);
    // What the owner decided about meanwhile is not touched by bringing the rest back.
    await scene.store.setStatus(gone!.id, 'deleted', 'owner');
    expect(await scene.restarted().removals.undo(run.id ?? '')).toBe(10);
    expect(await removed(scene)).toEqual([]);
    // It was the owner's decision, so the next comparison leaves it.
    expect(await scene.import.run({ token: scene.io.token, full: true })).toMatchObject({ removed: 0 });
    expect(await scene.import.removals.undo(run.id ?? '')).toBe(0);
    await expect(scene.import.removals.undo('no such run')).rejects.toMatchObject({ code: 'not_found' });
  });

  test.each([
    ['ten', 40, 10],
    ['a tenth', 120, 12],
  ])('takes away up to %s, and tells so; the owner may approve each', async (_part, all, gone) => {
    const { scene, catchUp } = await openCompared(all);
    for (const row of scene.io.rows.slice(0, gone)) row.deleted = true;
    expect(await catchUp()).toMatchObject({ removed: gone });
    expect(scene.compared).toEqual([expect.stringMatching(new RegExp(`^Removed ${gone} mentions that `))]);
    const [first] = await removed(scene);
    expect(await scene.store.setStatus(first!.id, 'approved', 'owner')).toMatchObject({ status: 'approved' });
    expect(await scene.import.run({ token: scene.io.token, full: true })).toMatchObject({ removed: 0 });
  });

  test('imports new mentions however often the comparison fails, and reports what failed', async () => {
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
        /^New mentions are here\. Porchlight could not check for deleted ones\. The aggregator answered with status 500/,
      );
    }
  });

  test('continues an interrupted comparison instead of waiting for the next week', async () => {
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

  test('imports what the aggregator received in the meantime, and compares nothing within a week', async () => {
    io.rows[0]!.deleted = true;
    io.rows.push(rowOf(5));
    sleep(day);
    await vi.waitUntil(async () => (await all()).length === 6, { timeout: 60_000 });
    expect((await all()).filter(({ status }) => status === 'removed')).toEqual([]);
  });

  test('WI-33 after more than a week, mentions that were deleted at the aggregator are no longer shown', async () => {
    io.rows[0]!.deleted = true;
    sleep(week + day);
    await vi.waitUntil(async () => (await all()).some(({ status }) => status === 'removed'), {
      timeout: 60_000,
    });
    expect((await all()).filter(({ status }) => status === 'removed')).toMatchObject([
      { source: io.rows[0]!.source, removedBy: 'aggregator' },
    ]);
    const entries = async () =>
      (await house.call('activity.list', { area: 'mentions', query: 'Removed 1 mention' })).items;
    await vi.waitUntil(async () => (await entries()).length > 0, { timeout: 60_000 });
    expect(await entries()).toMatchObject([{ kind: 'webmention.compared' }]);
  });

  test('pictures that another server could not give are asked for again', async () => {
    const site = await openSite();
    const url = `${site.origin}/ada.png`;
    expect(await house.call('webmentions.picture', { url })).toEqual({ dataUrl: null });
    await vi.waitUntil(
      async () => (await workOf(house.dataDir, 'mention-picture')).some(({ tries }) => tries === 1),
      { timeout: 60_000 },
    );
    expect(site.requests).toEqual(['GET /ada.png']);
    sleep(2 * day);
    await vi.waitUntil(() => site.requests.length === 2, { timeout: 60_000 });
    await site.close();
  });
});
