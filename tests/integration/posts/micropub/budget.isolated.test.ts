import { afterAll, beforeAll, expect, test } from 'vitest';
import { usualCostLimits } from '../../../../src-main/http/visitor-cost.ts';
import { openScene, type Scene } from '../../../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  // Otherwise, only a slow computer would come to the limit.
  Object.assign(usualCostLimits, { appMs: 400 });
  scene = await openScene();
});
afterAll(() => scene.close());

const post = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ type: ['h-entry'], properties: { content: ['Tea.'] } }),
};

test.each([
  ['queries of posts', '/micropub?q=source', {}],
  ['posts', '/micropub', post],
  ['queries of files', '/media?q=source', {}],
])(
  'an app that sends too many %s gets 429 with Retry-After, and no other app does',
  async (_name, path, init) => {
    const { porchlight } = scene;
    const issue = async (label: string) =>
      (await porchlight.call('apps.issueToken', { label, scopes: ['create', 'media'] })).token;
    const send = async (token: string) => {
      const headers = { ...('headers' in init && init.headers), authorization: `Bearer ${token}` };
      const response = await fetch(`${porchlight.base}${path}`, { ...init, headers });
      await response.arrayBuffer();
      return response;
    };
    const busy = await issue('Busy');
    let refused: Response | undefined;
    const inTurn = async (): Promise<void> => {
      for (let sent = 0; refused === undefined && sent < 250; sent += 1) {
        const response = await send(busy);
        if (!response.ok) refused = response;
      }
    };
    await Promise.all(Array.from({ length: 4 }, inTurn));
    expect(refused?.status).toBe(429);
    expect(refused?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await send(await issue('Other'))).ok).toBe(true);
    expect((await fetch(`${porchlight.base}/`)).status).toBe(200);
  },
);
