import { expect, onTestFinished, test } from 'vitest';
import { openPushService } from '../../support/push-service.ts';
import { openScene } from '../../support/scene.ts';

/** A server that sends its pushes to `service`. */
async function pushing(clock = () => Date.now()) {
  const service = await openPushService();
  const scene = await openScene({ baseUrl: 'https://ada.example', clock });
  onTestFinished(async () => {
    await scene.close();
    await service.close();
  });
  const { porchlight } = scene;
  await porchlight.call('settings.update', { phones: { on: true, push: 'ntfy' } });
  await porchlight.call('secrets.setNtfy', { server: service.origin, topic: 'a-topic-that-nobody-guesses' });
  return { service, scene, porchlight };
}

test('three denials at the computer mute pushes for an hour', async () => {
  let now = Date.now();
  const { service, scene, porchlight } = await pushing(() => now);
  for (let count = 1; count <= 3; count += 1) {
    const { id } = await scene.ask(scene.request());
    await expect.poll(() => service.received.length).toBe(count);
    await porchlight.call('signIns.deny', { id });
  }
  await scene.ask(scene.request());
  now += 3_600_000;
  await porchlight.call('secrets.setNtfy', { server: service.origin, topic: 'later' });
  await scene.ask(scene.request());
  await expect.poll(() => service.received.at(-1)?.path).toBe('/later');
  expect(service.received).toHaveLength(4);
});

test('a sign-in that begins to wait leads to one push, and one of the same asker to no other', async () => {
  const { service, scene, porchlight } = await pushing();
  const browser = scene.visitor();
  const { id } = await scene.ask(scene.request(), browser);
  await expect.poll(() => service.received.length).toBe(1);
  expect(JSON.stringify(service.received[0])).not.toContain('Quill');
  await porchlight.call('signIns.deny', { id });
  await scene.ask(scene.request(), browser);
  await scene.ask(scene.request());
  await expect.poll(() => service.received.length).toBe(2);
});
