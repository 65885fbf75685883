import { afterAll, beforeAll, expect, test } from 'vitest';
import { usualCostLimits } from '../../../src-main/http/visitor-cost.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  // Otherwise, only a slow computer would come to the limit.
  Object.assign(usualCostLimits, { appMs: 1000 });
  scene = await openScene();
  await scene.porchlight.call('settings.update', { assistants: { on: true } });
});
afterAll(() => scene.close());

test('1,000 calls in a minute get 429 with Retry-After once the app’s budget is used up, and no other app does', async () => {
  const { porchlight } = scene;
  const issue = async (label: string) =>
    (await porchlight.call('apps.issueToken', { label, scopes: ['draft'], assistant: true })).token;
  const call = (token: string, name: string, input: object) =>
    fetch(`${porchlight.base}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: input },
      }),
    });
  const busy = await issue('Busy');
  const statuses: number[] = [];
  const waits: string[] = [];
  const inTurn = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += 1) {
      const response = await call(busy, 'search_posts', { query: `tea ${made}`, limit: 50 });
      await response.arrayBuffer();
      statuses.push(response.status);
      if (response.status === 429) waits.push(response.headers.get('retry-after') ?? '');
    }
  };
  await Promise.all(Array.from({ length: 8 }, () => inTurn(125)));
  expect(statuses).toHaveLength(1000);
  expect([...new Set(statuses)].toSorted()).toEqual([200, 429]);
  expect(waits.filter((wait) => !/^[1-9]\d*$/.test(wait))).toEqual([]);
  expect((await call(await issue('Other'), 'search_posts', {})).status).toBe(200);
  expect((await fetch(`${porchlight.base}/`)).status).toBe(200);
});
