import { expect, onTestFinished } from 'vitest';
import type { Params } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import { cloudflareScene, type CloudflareRun, type CloudflareScene } from './cloudflare-scene.ts';

/** Opens a scene that ends with the test. */
export async function openedCloudflare(): Promise<CloudflareScene> {
  const scene = await cloudflareScene();
  onTestFinished(() => scene.close());
  return scene;
}

/** Returns what is set up, if nothing else is said. */
export const setupOf = (scene: CloudflareScene, more: Partial<Params<'cloudflare.setUp'>> = {}) => ({
  accountId: scene.fake.account.id,
  zoneId: scene.fake.zone.id,
  hostname: 'porch.example.com',
  mailbox: true,
  ...more,
});

/** Pastes the token and sets up. */
export async function setUpCloudflare(
  scene: CloudflareScene,
  run: CloudflareRun,
  more: Partial<Params<'cloudflare.setUp'>> = {},
) {
  await run.handlers['cloudflare.connect']({ apiToken: scene.fake.token });
  return await run.handlers['cloudflare.setUp'](setupOf(scene, more));
}

/** Returns the error with which something fails. */
export async function failureOf(work: Promise<unknown>): Promise<PorchlightError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PorchlightError)) throw new Error(`It did not fail as expected: ${String(error)}`);
  return error;
}

/** Expects exactly one of everything, leading here. */
export function expectReady(scene: CloudflareScene, run: CloudflareRun): void {
  const { fake } = scene;
  expect(run.handlers['cloudflare.status']()).toMatchObject({
    state: 'ready',
    hostname: 'porch.example.com',
  });
  expect(fake.tunnels).toHaveLength(1);
  expect(fake.tunnels[0]?.ingress[0]).toEqual({
    hostname: 'porch.example.com',
    service: `http://127.0.0.1:${scene.port}`,
  });
  expect(fake.records.map(({ name, content }) => [name, content])).toEqual([
    ['porch.example.com', `${fake.tunnels[0]?.id ?? ''}.cfargotunnel.com`],
  ]);
  expect(fake.scripts).toHaveLength(1);
  expect(fake.routes.map(({ pattern, script }) => [pattern, script])).toEqual([
    ['porch.example.com/*', fake.scripts[0]?.name],
  ]);
  expect(run.settings.get().tunnel).toMatchObject({ mode: 'named', hostname: 'porch.example.com' });
  expect(fake.problems).toEqual([]);
}
