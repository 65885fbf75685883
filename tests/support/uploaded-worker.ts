import { startWorker } from './edge-runtime.ts';
import type { FakeCloudflareApi } from './fake-cloudflare-api.ts';

/**
 * Runs what was uploaded to the stand-in for Cloudflare's API in workerd, as Cloudflare would: the Worker of the only
 * route, with the bindings that came with it, in front of the address that the tunnel leads to. `port`: where visitors
 * find it. `folder`: where its Durable Object is stored.
 */
export async function startUploadedWorker(
  fake: FakeCloudflareApi,
  { hostname, port, folder }: { hostname: string; port: number; folder: string },
) {
  const route = fake.routes.find(({ pattern }) => pattern === `${hostname}/*`);
  const script = fake.scripts.find(({ name }) => name === route?.script);
  const tunnel = fake.tunnels.find(({ id }) =>
    fake.records.some(({ name, content }) => name === hostname && content === `${id}.cfargotunnel.com`),
  );
  const origin = tunnel?.ingress.find((rule) => rule.hostname === hostname)?.service;
  if (!script || origin === undefined) throw new Error(`Nothing leads to ${hostname}.`);
  const texts = script.bindings.filter(({ type }) => type === 'secret_text' || type === 'plain_text');
  const objects = script.bindings.filter(({ type }) => type === 'durable_object_namespace');
  return startWorker(script.module, origin, {
    compatibilityDate: script.compatibilityDate,
    bindings: Object.fromEntries(texts.map(({ name, text }) => [name, text])),
    durableObjects: Object.fromEntries(
      objects.map(({ name, class_name: className = '' }) => [
        name,
        { className, useSQLite: script.sqliteClasses.includes(className) },
      ]),
    ),
    durableObjectsPersist: folder,
    unsafeDirectSockets: [{ host: '127.0.0.1', port }],
  });
}
