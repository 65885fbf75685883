import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSite } from '../../support/client-app.ts';
import { openImport } from '../../support/import-scene.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { openWebmentionIo, rowOf, type WebmentionIo } from '../../support/webmention-io.ts';

const day = 86_400_000;
const week = 7 * day;

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
      { source: io.rows[0]!.source },
    ]);
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
