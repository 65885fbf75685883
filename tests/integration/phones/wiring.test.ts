import { expect, onTestFinished, test } from 'vitest';
import { openPushService } from '../../support/push-service.ts';
import { openScene } from '../../support/scene.ts';

test('a sign-in that begins to wait leads to one push, and one of the same asker to no other', async () => {
  const service = await openPushService();
  const scene = await openScene({ baseUrl: 'https://ada.example' });
  onTestFinished(async () => {
    await scene.close();
    await service.close();
  });
  const { porchlight } = scene;
  await porchlight.call('settings.update', { phones: { on: true, push: 'ntfy' } });
  await porchlight.call('secrets.setNtfy', { server: service.origin, topic: 'a-topic-that-nobody-guesses' });
  const browser = scene.visitor();
  const { id } = await scene.ask(scene.request(), browser);
  await expect.poll(() => service.received.length).toBe(1);
  expect(JSON.stringify(service.received[0])).not.toContain('Quill');
  await porchlight.call('signIns.deny', { id });
  await scene.ask(scene.request(), browser);
  await scene.ask(scene.request());
  await expect.poll(() => service.received.length).toBe(2);
});
