import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPage } from '../../../src-main/untrusted/pages/web-page.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

let server: Porchlight;
beforeAll(async () => void (server = await startPorchlight()));
afterAll(() => server.remove());

test.each(['micropub', 'micropub_media'])(
  'MP-10 MX-28 rel=%s leads from the front page to an endpoint that asks for a token, in header and head',
  async (rel) => {
    const response = await fetch(server.base);
    const linkHeader = response.headers.get('link');
    const inHeader = readPage({ url: response.url, linkHeader, text: '' }).linkRels[rel];
    const inHead = readPage({ url: response.url, linkHeader: null, text: await response.text() }).linkRels[
      rel
    ];
    expect(inHeader).toHaveLength(1);
    expect(inHead).toEqual(inHeader);
    const [endpoint = ''] = inHeader ?? [];
    expect((await fetch(endpoint)).status).toBe(401);
  },
);
