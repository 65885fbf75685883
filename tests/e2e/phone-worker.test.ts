import type { FastifyPluginCallback } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { buildPublicApp } from '../../src-main/http/app.ts';
import { pushRoutes } from '../../src-main/phones/push/routes.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { launchChromium } from '../support/chromium.ts';

/** A page at /phone that may register the worker, and nothing more. */
const phonePage: FastifyPluginCallback = (app, _options, done) => {
  app.get('/phone', (_request, reply) =>
    reply
      .header('content-security-policy', "default-src 'none'; worker-src 'self'; manifest-src 'self'")
      .type('text/html')
      .send('<title>Phone</title><link rel="manifest" href="/phone/manifest.webmanifest">'),
  );
  done();
};

test('a browser that shows no declarative push shows it through the worker, and a tap opens /phone', async () => {
  const routes = pushRoutes({
    isOn: () => true,
    phoneOf: () => undefined,
    subscribe: () => Promise.resolve(),
    unsubscribe: () => Promise.resolve(),
  });
  const app = await buildPublicApp({
    log: silentLog,
    features: [routes, phonePage],
    closing: () => undefined,
  });
  const origin = (await app.listen({ host: '127.0.0.1', port: 0 })).replace('127.0.0.1', 'localhost');
  const chromium = await launchChromium({ draws: false });
  onTestFinished(async () => {
    await chromium.close();
    await app.close();
  });
  const context = await chromium.newContext({ permissions: ['notifications'] });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      const active = versions.find(({ status }) => status === 'activated');
      if (active !== undefined) resolve(active.registrationId);
    }),
  );
  await session.send('ServiceWorker.enable');
  await page.goto(`${origin}/phone`);
  const { scope, manifest } = await page.evaluate(async () => ({
    scope: (await navigator.serviceWorker.register('/phone/worker.js')).scope,
    manifest: (await fetch('/phone/manifest.webmanifest').catch(() => undefined))?.status,
  }));
  expect(scope).toBe(`${origin}/phone/`);
  // The policy of this page forbids the script to read it; the browser itself does.
  expect(manifest).toBeUndefined();
  const { errors, url } = await session.send('Page.getAppManifest');
  expect({ errors, url }).toEqual({ errors: [], url: `${origin}/phone/manifest.webmanifest` });

  const navigate = `${origin}/phone`;
  const data = JSON.stringify({
    web_push: 8030,
    notification: { title: 'Someone asks to sign in', navigate },
  });
  const registrationId = await registered;
  const [worker] = context.serviceWorkers();
  // This browser has no place for notifications, and only a real tap may open a window.
  await worker!.evaluate(() => {
    const scope = globalThis as unknown as WorkerScope;
    scope.calls = [];
    const note = (...call: readonly unknown[]) => Promise.resolve(void scope.calls.push(call));
    scope.registration.showNotification = (...call) => note('show', ...call);
    scope.clients.openWindow = (...call) => note('open', ...call);
  });
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  const calls = () => worker!.evaluate(() => (globalThis as unknown as WorkerScope).calls);
  const show = ['show', 'Someone asks to sign in', { tag: 'sign-in', data: navigate }];
  await expect.poll(calls).toEqual([show]);
  await worker!.evaluate((to) => {
    const scope = globalThis as unknown as WorkerScope;
    const notification = { data: to, close: () => void scope.calls.push(['close']) };
    const waitUntil = () => undefined;
    scope.dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil }));
  }, navigate);
  expect(await calls()).toEqual([show, ['close'], ['open', navigate]]);
}, 60_000);

/** What the test uses of the worker's global scope. */
interface WorkerScope extends EventTarget {
  calls: (readonly unknown[])[];
  readonly registration: Pick<ServiceWorkerRegistration, 'showNotification'>;
  readonly clients: { openWindow(url: string): Promise<void> };
}
