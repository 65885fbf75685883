import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

let porchlight: Porchlight;

beforeAll(async () => {
  porchlight = await startPorchlight();
});

afterAll(() => porchlight.remove());

/** What Chromium, Firefox and Safari send when they open a page. */
const browsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const ask = (path: string, accept: string | undefined, method = 'GET') =>
  fetch(new URL(path, porchlight.base), { method, headers: accept === undefined ? {} : { accept } });

describe('an address without anything', () => {
  test('is a page that leads home for a person in a browser', async () => {
    const response = await ask('/nothing-here', browsers);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    const page = await response.text();
    expect(page).toContain('<h1>Page not found</h1>');
    expect(page).toContain('<a href="/">');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test.each([
    ['a program that asks for JSON', 'application/json', 'GET'],
    ['a program that does not care', '*/*', 'GET'],
    ['a program that takes HTML too', 'application/json, text/html;q=0.5', 'GET'],
    ['a form of a page', browsers, 'POST'],
  ])('is JSON for %s', async (_who, accept, method) => {
    const response = await ask('/nothing-here', accept, method);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: 'not_found' });
  });
});
