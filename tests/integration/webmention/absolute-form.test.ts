import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { rawRequest } from '../../support/raw-request.ts';

let porchlight: Porchlight;
beforeAll(async () => void (porchlight = await startPorchlight()));
afterAll(() => porchlight.remove());

test.each(['GET', 'HEAD'])(
  'a feed of mentions answers %s with a whole address in the request line',
  async (method) => {
    const target = 'http://other.example/api/mentions.atom?target=https://owner.example/page';
    const { statuses, body } = await rawRequest(
      porchlight.base,
      `${method} ${target} HTTP/1.1\r\nHost: porch.example\r\nConnection: close\r\n\r\n`,
    );
    expect(statuses).toEqual([200]);
    // The feed names its own address, not the one that the visitor made up (RFC 9112, 3.2.2).
    expect(body).not.toContain('other.example');
  },
);
