import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { expect, test } from 'vitest';
import { publicRoutes } from '../fuzz/routes.ts';
import { startPorchlight } from '../support/porchlight.ts';

/** What the server registers while it starts, as `METHOD /path`. */
async function registered(): Promise<string[]> {
  const found: string[] = [];
  const listen = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
      found.push(...[method].flat().map((one) => `${one} ${url}`));
    });
  };
  subscribe('fastify.initialization', listen);
  const porchlight = await startPorchlight();
  unsubscribe('fastify.initialization', listen);
  await porchlight.remove();
  return found;
}

test('the fuzzer knows every route that is registered, and no other', async () => {
  const known = publicRoutes.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`));
  // The answer to preflights of any address; the fuzzer sends OPTIONS to all routes.
  const found = (await registered()).filter((one) => !one.startsWith('OPTIONS '));
  expect([...new Set(found)].sort()).toEqual([...known].sort());
});
