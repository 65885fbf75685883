import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPage } from '../../../src-main/untrusted/pages/web-page.ts';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { signInRequest, tokensFor } from '../../support/sign-in.ts';

let porchlight: Porchlight;
beforeAll(async () => void (porchlight = await startPorchlight()));
afterAll(() => porchlight.remove());

/** The relations a client looks for, and where they lead. */
const expected = (base: string) => ({
  'indieauth-metadata': `${base}/.well-known/oauth-authorization-server`,
  authorization_endpoint: `${base}/auth`,
  token_endpoint: `${base}/token`,
  micropub: `${base}/micropub`,
  webmention: `${base}/webmention`,
});

/** The first address of each relation. */
function firstOf(rels: Readonly<Record<string, readonly string[]>>): Record<string, string | undefined> {
  const found = Object.entries(rels).filter(([rel]) => rel in expected(''));
  return Object.fromEntries(found.map(([rel, addresses]) => [rel, addresses[0]]));
}

const linksOf = async (response: Response) => ({
  header: firstOf(
    readPage({ url: response.url, linkHeader: response.headers.get('link'), text: '' }).linkRels,
  ),
  markup: firstOf(readPage({ url: response.url, linkHeader: null, text: await response.text() }).linkRels),
});

describe('the front page', () => {
  test('IA-1 GET carries the links in the header and in the head', async () => {
    const response = await fetch(porchlight.base);
    expect(response.status).toBe(200);
    const { header, markup } = await linksOf(response);
    expect(header).toEqual(expected(porchlight.base));
    expect(markup).toEqual(expected(porchlight.base));
  });

  test('IA-1 HEAD carries them in the header', async () => {
    const response = await fetch(porchlight.base, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect((await linksOf(response)).header).toEqual(expected(porchlight.base));
  });

  test('IA-1 each relation leads to one address only, so that first and last are the same', async () => {
    const response = await fetch(porchlight.base);
    const { rels } = readPage({
      url: response.url,
      linkHeader: response.headers.get('link'),
      text: await response.text(),
    });
    for (const rel of Object.keys(expected(''))) expect(new Set(rels[rel]).size).toBe(1);
  });

  test('IA-2 carries what older clients know: both endpoints, and micropub', async () => {
    const { markup } = await linksOf(await fetch(porchlight.base));
    expect(Object.keys(markup)).toEqual(
      expect.arrayContaining(['authorization_endpoint', 'token_endpoint', 'micropub']),
    );
  });

  test('IA-3 the metadata names the same micropub as the page', async () => {
    const { markup } = await linksOf(await fetch(porchlight.base));
    const metadata = (await (await fetch(markup['indieauth-metadata'] ?? '')).json()) as Record<
      string,
      unknown
    >;
    expect(metadata['micropub']).toBe(markup['micropub']);
  });

  test('IA-4 any spelling of the domain leads to the same server', async () => {
    const direct = await linksOf(await fetch(porchlight.base));
    const byOther = await linksOf(await fetch(porchlight.base.replace('127.0.0.1', 'localhost')));
    expect(byOther).toEqual(direct);
  });

  test('it shows the owner’s description of themselves as text', async () => {
    const name = '</title><script>alert(1)</script>"\'&';
    const here = await startPorchlight();
    try {
      await here.call('settings.update', { profile: { name, photo: 'https://owner.example/me.jpg' } });
      const text = await (await fetch(here.base)).text();
      expect(text).not.toContain('<script>alert');
      expect(readPage({ url: here.base, linkHeader: null, text })).toMatchObject({
        title: name,
        items: [{ type: ['h-card'], properties: { name: [name] } }],
      });
    } finally {
      await here.remove();
    }
  });
});

describe('the owner’s own site', () => {
  let owner: Site;
  let www: Site;
  let app: Site;
  let server: Porchlight;
  beforeAll(async () => {
    [owner, www, app] = await Promise.all([openSite(), openSite(), openSite()]);
    server = await startPorchlight({ me: `${owner.origin}/` });
    const { html } = await server.call('setup.linkTags', {});
    owner.pages.set('/', page(`<!doctype html><title>Ann</title>${html}`));
    www.pages.set('/', (_request, response) =>
      response.writeHead(301, { location: `${owner.origin}/` }).end(),
    );
  });
  afterAll(async () => {
    await server.remove();
    await Promise.all([owner.close(), www.close(), app.close()]);
  });

  test('IA-1 IA-2 the links that setup gives to paste are all there is to it', async () => {
    expect((await linksOf(await fetch(owner.origin))).markup).toEqual(expected(server.base));
    const { findings } = await server.call('setup.check', { only: 'site' });
    expect(findings.map(({ level }) => level)).toEqual(findings.map(() => 'pass'));
  });

  test('IA-4 entered by another address or returned as me, both lead to the same metadata', async () => {
    const { me } = await tokensFor(server, signInRequest(app.origin));
    const entered = await linksOf(await fetch(www.origin));
    const returned = await linksOf(await fetch(me));
    expect(returned.markup['indieauth-metadata']).toBe(
      `${server.base}/.well-known/oauth-authorization-server`,
    );
    expect(entered).toEqual(returned);
  });
});
