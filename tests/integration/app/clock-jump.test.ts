import { afterEach, describe, expect, test } from 'vitest';
import { patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { openSubscriber } from '../../support/websub-subscriber.ts';
import { storedSubscriptions } from '../../support/stored-subscriptions.ts';

const day = 86_400_000;
let porchlight: Porchlight | undefined;

afterEach(async () => {
  await porchlight?.remove();
  porchlight = undefined;
});

/** A computer whose clock can be set while time passes as it always does. */
function settableClock() {
  const steady = () => performance.now();
  let offset = Date.parse('2026-11-22T10:00:00Z') - steady();
  return { steady, clock: () => Math.floor(steady() + offset), set: (ms: number) => void (offset += ms) };
}

const labels = async (server: Porchlight) =>
  (await server.call('apps.list', {})).map(({ clientName }) => clientName).sort();
const clockProblem = async (server: Porchlight) =>
  (await server.call('status.get', {})).problems.find(({ code }) => code === 'clock')?.message;

describe('a clock that is 400 days ahead for a while', () => {
  test('signs no app out, and the owner is told until the clock is right', async () => {
    const { set, ...clocks } = settableClock();
    porchlight = await startPorchlight(clocks);
    await porchlight.call('apps.issueToken', { label: 'Old', scopes: ['create'], expiresIn: 30 * 86_400 });
    expect(await clockProblem(porchlight)).toBeUndefined();

    set(400 * day);
    await porchlight.call('apps.issueToken', { label: 'New', scopes: ['create'], expiresIn: 30 * 86_400 });
    expect(await labels(porchlight)).toEqual(['New', 'Old']);
    expect(await clockProblem(porchlight)).toContain('400 days later than Porchlight expects');

    set(-400 * day);
    expect(await labels(porchlight)).toEqual(['New', 'Old']);
    expect(await clockProblem(porchlight)).toBeUndefined();
  });

  test('ends no WebSub subscription', async () => {
    const { set, ...clocks } = settableClock();
    porchlight = await startPorchlight(clocks);
    const { base, dataDir } = porchlight;
    const subscriber = await openSubscriber();
    const topics = async () => (await storedSubscriptions(dataDir)).subscriptions.map((one) => one.topic);
    const [atom, rss] = [`${base}/feed.atom`, `${base}/feed.rss`];
    await subscriber.ask(`${base}/websub`, { topic: atom });
    await expect.poll(topics, patience).toEqual([atom]);

    set(400 * day);
    await subscriber.ask(`${base}/websub`, { topic: rss });
    await expect.poll(topics, patience).toEqual([atom, rss]);

    set(-400 * day);
    await porchlight.call('posts.create', {
      text: 'After the jump',
      status: 'published',
      visibility: 'public',
      categories: [],
      photos: [],
    });
    await expect.poll(() => subscriber.deliveries.length, patience).toBe(2);
    await subscriber.close();
  });

  test('signs no app out at a start either', async () => {
    const { set, ...clocks } = settableClock();
    porchlight = await startPorchlight(clocks);
    await porchlight.call('apps.issueToken', { label: 'Old', scopes: ['create'], expiresIn: 30 * 86_400 });
    const { dataDir } = porchlight;
    await porchlight.stop();

    set(400 * day);
    porchlight = await startPorchlight({ ...clocks, dataDir });
    await porchlight.call('apps.issueToken', { label: 'New', scopes: ['create'], expiresIn: 30 * 86_400 });
    expect(await labels(porchlight)).toEqual(['New', 'Old']);
    expect(await clockProblem(porchlight)).toContain('400 days later');
  });

  test('does the same if the clock is years behind', async () => {
    const { set, ...clocks } = settableClock();
    porchlight = await startPorchlight(clocks);
    set(-4000 * day);
    expect(await clockProblem(porchlight)).toContain('4000 days earlier');
    await porchlight.call('apps.issueToken', { label: 'New', scopes: ['create'], expiresIn: 30 * 86_400 });
    set(4000 * day);
    expect(await labels(porchlight)).toEqual(['New']);
  });
});
