import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPage } from '../../../src-main/untrusted/pages/web-page.ts';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { openEdge, type Edge } from '../../support/fake-edge.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { redeem, signIn, signInRequest } from '../../support/sign-in.ts';

let edge: Edge;
let app: Site;
let porchlight: Porchlight;

beforeAll(async () => {
  let target = '';
  edge = await openEdge(() => target);
  app = await openSite();
  app.pages.set('/', page('<title>Quill</title>'));
  porchlight = await startPorchlight({ baseUrl: edge.origin, me: `${edge.origin}/` });
  target = `http://127.0.0.1:${(await porchlight.call('status.get', {})).port ?? 0}`;
  await porchlight.call('settings.update', { profile: { name: '🦊🏮' } });
});
afterAll(async () => {
  await porchlight.remove();
  await Promise.all([edge.close(), app.close()]);
});

test('IA-1 IA-4 the public address as home page declares this server, and is what a sign-in returns', async () => {
  const me = `${edge.origin}/`;
  const home = await fetch(me);
  const { linkRels } = readPage({
    url: home.url,
    linkHeader: home.headers.get('link'),
    text: await home.text(),
  });
  const [metadata = ''] = linkRels['indieauth-metadata'] ?? [];
  const { issuer, authorization_endpoint: endpoint } = (await (await fetch(metadata)).json()) as Record<
    string,
    string
  >;
  expect([issuer, endpoint]).toEqual([me, `${edge.origin}/auth`]);
  const outside = { ...porchlight, base: edge.origin };
  const request = signInRequest(app.origin, { me });
  const tokens = await redeem(outside, request, await signIn(outside, request));
  expect(await tokens.json()).toMatchObject({ me, profile: { name: '🦊🏮', url: me } });
});

test('the self-test finds every link on that home page, with nothing pasted anywhere', async () => {
  const { findings } = await porchlight.call('setup.check', {});
  const site = findings.filter(({ area }) => area === 'site');
  expect(site.length).toBeGreaterThan(1);
  expect(site.filter(({ level }) => level !== 'pass')).toEqual([]);
});
