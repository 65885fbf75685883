import { describe, expect, test } from 'vitest';
import { managementToken, openImport, serveReading } from '../../../support/import-scene.ts';

const aggregator = 'token-at-the-aggregator';

async function open(count: number) {
  const scene = await openImport(count);
  const base = await serveReading(scene.store, { import: scene.import });
  const get = (query: string, init: RequestInit = {}) => fetch(`${base}/import${query}`, init);
  return { ...scene, get };
}

describe('GET /import', () => {
  test('imports everything and answers the counts when that is done', async () => {
    const { get } = await open(120);
    const answer = await get(`?token=${managementToken}&aggregator=${aggregator}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({ imported: 120, updated: 0, removed: 0, targets: 89, total: 120 });
  });

  test('is a full run: it finds deleted mentions', async () => {
    const { get, io } = await open(20);
    await get(`?token=${managementToken}&aggregator=${aggregator}`);
    io.rows[0]!.deleted = true;
    const answer = await get(`?token=${managementToken}&aggregator=${aggregator}`);
    expect(await answer.json()).toMatchObject({ imported: 0, removed: 1, total: 19 });
  });

  test('takes the management token as a bearer token too', async () => {
    const { get } = await open(3);
    const headers = { authorization: `Bearer ${managementToken}` };
    expect((await get(`?aggregator=${aggregator}`, { headers })).status).toBe(200);
  });

  test('an import without a token gets 401, with a wrong one 403, without an aggregator 400, and imports nothing', async () => {
    const { get, io } = await open(3);
    const missing = await get(`?aggregator=${aggregator}`);
    expect([missing.status, await missing.json()]).toEqual([401, { error: 'unauthorized' }]);
    const wrong = await get(`?token=wrong&aggregator=${aggregator}`);
    expect([wrong.status, await wrong.json()]).toEqual([403, { error: 'forbidden' }]);
    const incomplete = await get(`?token=${managementToken}`);
    expect(incomplete.status).toBe(400);
    expect(await incomplete.json()).toMatchObject({ error: 'invalid_request' });
    const head = await get(`?token=${managementToken}&aggregator=${aggregator}`, { method: 'HEAD' });
    expect(head.ok).toBe(false);
    expect(io.requests).toEqual([]);
  });

  test('a refused aggregator token is a 502 that says so, with the counts', async () => {
    const { get } = await open(3);
    const answer = await get(`?token=${managementToken}&aggregator=wrong`);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toEqual({
      error: 'aggregator_refused',
      error_description: 'The aggregator does not accept this token.',
      imported: 0,
      updated: 0,
      removed: 0,
      targets: 0,
      total: 0,
    });
  });

  test('an interruption answers 502 with the result so far, and the next import continues', async () => {
    const { get, io } = await open(300);
    io.cap = 100;
    io.fault = (url) => (url.searchParams.get('page') === '2' ? 500 : undefined);
    const broken = await get(`?token=${managementToken}&aggregator=${aggregator}`);
    expect(broken.status).toBe(502);
    expect(await broken.json()).toMatchObject({ error: 'aggregator_failed', imported: 200, total: 200 });
    io.fault = () => undefined;
    const answer = await get(`?token=${managementToken}&aggregator=${aggregator}`);
    expect(await answer.json()).toMatchObject({ imported: 100, total: 300 });
  });
});
