import { describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { cloudflareScene, type CloudflareRun, type CloudflareScene } from '../../support/cloudflare-scene.ts';
import { expectReady, setUpCloudflare } from '../../support/cloudflare-setup.ts';

/** Starts a task again and again. It dies after its first effect, its second, and so on, until it is through. */
async function afterEachEffect(
  work: (scene: CloudflareScene, effects: number) => Promise<'died' | 'through'>,
): Promise<number> {
  for (let effects = 1; ; effects += 1) {
    const scene = await cloudflareScene();
    try {
      if ((await work(scene, effects)) === 'through') return effects;
      expect(scene.fake.problems).toEqual([]);
    } finally {
      await scene.close();
    }
  }
}

const through = (work: Promise<unknown>) => work.then(() => 'through' as const);
const died = (run: CloudflareRun) => run.died.then(() => 'died' as const);

/** Calls with the kept token. Only if the run died before it could keep one, the owner pastes it again. */
async function withToken(
  scene: CloudflareScene,
  run: CloudflareRun,
  method: 'cloudflare.resume' | 'cloudflare.disconnect',
): Promise<void> {
  await run.handlers[method]({}).catch(async (error: unknown) => {
    if (!(error instanceof PorchlightError) || error.code !== 'cloudflare_token_needed') throw error;
    await run.handlers[method]({ apiToken: scene.fake.token });
  });
}

async function expectNothing(scene: CloudflareScene, run: CloudflareRun): Promise<void> {
  expect(run.handlers['cloudflare.status']()).toMatchObject({ state: 'none' });
  expect(scene.fake.contents()).toEqual([]);
  expect(await run.secrets.get('cloudflare-token')).toBeNull();
  expect(await run.secrets.get('tunnel-token')).toBeNull();
  expect(await run.secrets.get('mailbox-keys')).toBeNull();
  expect(run.settings.get().tunnel).toMatchObject({ mode: 'off', hostname: '' });
}

describe('an interruption after any effect', () => {
  test('of a setup is resumed, and nothing is created twice', { timeout: 360_000 }, async () => {
    const all = await afterEachEffect(async (scene, effects) => {
      const dying = await scene.start(effects);
      const outcome = await Promise.race([through(setUpCloudflare(scene, dying)), died(dying)]);
      if (outcome === 'through') return outcome;
      const run = await scene.start();
      await run.start();
      const { state } = run.handlers['cloudflare.status']();
      if (state === 'none') await setUpCloudflare(scene, run);
      else if (state === 'unfinished') await withToken(scene, run, 'cloudflare.resume');
      expectReady(scene, run);
      expect(await run.secrets.get('cloudflare-token')).toBeNull();
      return outcome;
    });
    expect(all).toBeGreaterThan(30);
  });

  test('of a setup can be removed, and leaves nothing', { timeout: 360_000 }, async () => {
    await afterEachEffect(async (scene, effects) => {
      const dying = await scene.start(effects);
      const outcome = await Promise.race([through(setUpCloudflare(scene, dying)), died(dying)]);
      if (outcome === 'through') return outcome;
      const run = await scene.start();
      await withToken(scene, run, 'cloudflare.disconnect');
      await expectNothing(scene, run);
      return outcome;
    });
  });

  test('of the mailbox’s removal is resumed, and leaves no keys', { timeout: 360_000 }, async () => {
    await afterEachEffect(async (scene, effects) => {
      await setUpCloudflare(scene, await scene.start(), { keepToken: true });
      const dying = await scene.start(effects);
      const outcome = await Promise.race([through(dying.removeMailbox()), died(dying)]);
      if (outcome === 'through') return outcome;
      const run = await scene.start();
      await run.start();
      if (run.handlers['cloudflare.status']().state === 'unfinished')
        await run.handlers['cloudflare.resume']({});
      // It may have died before it began.
      if (run.mailboxExists()) await run.removeMailbox();
      expect(run.handlers['cloudflare.status']()).toMatchObject({ state: 'ready', mailbox: false });
      expect(await run.secrets.get('mailbox-keys')).toBeNull();
      return outcome;
    });
  });

  test('of a removal is resumed, and leaves nothing', { timeout: 360_000 }, async () => {
    const all = await afterEachEffect(async (scene, effects) => {
      await setUpCloudflare(scene, await scene.start(), { keepToken: true });
      const dying = await scene.start(effects);
      const outcome = await Promise.race([through(dying.handlers['cloudflare.disconnect']({})), died(dying)]);
      if (outcome === 'through') return outcome;
      const run = await scene.start();
      await run.start();
      const { state } = run.handlers['cloudflare.status']();
      // It may have died before it began, or at its very end.
      if (state === 'ready') await run.handlers['cloudflare.disconnect']({});
      else if (state === 'unfinished') await withToken(scene, run, 'cloudflare.resume');
      await expectNothing(scene, run);
      return outcome;
    });
    expect(all).toBeGreaterThan(20);
  });
});
