import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openSite, page, type Site } from '../../../support/client-app.ts';
import { addressBomb, relationBomb } from '../../../support/hostile-samples.ts';
import { patience } from '../../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../../support/porchlight.ts';
import { authorizationUrl, signInRequest } from '../../../support/sign-in.ts';

vi.setConfig({ testTimeout: 360_000, hookTimeout: 180_000 });

// The server lives in this thread, and can read no page in it. The reading threads load the real ones.
vi.mock('../../../../src-main/untrusted/pages/web-page.ts', () => {
  throw new Error('A page was to be read on the server’s own thread.');
});
vi.mock('../../../../src-main/mentions/sending/endpoint-in-html.ts', () => {
  throw new Error('An endpoint was to be looked for on the server’s own thread.');
});

let site: Site;
let porchlight: Porchlight;
beforeAll(async () => {
  site = await openSite();
  porchlight = await startPorchlight({ me: `${site.origin}/` });
});
afterAll(async () => {
  await porchlight.remove();
  await site.close();
});

const view = async () => {
  const answer = await fetch(authorizationUrl(porchlight.base, signInRequest(site.origin)));
  return answer.text();
};

test('an app’s page is read in a thread that isn’t the server’s own', async () => {
  site.pages.set('/', page('<title>Quill</title>'));
  expect(await view()).toContain('Sign in to <bdi>Quill</bdi>');
});

test.each([
  ['relations', relationBomb],
  ['addresses', addressBomb],
])('one with thousands of %s too', async (_, bomb) => {
  site.pages.set('/', page(`<title>Quill</title>${bomb()}`));
  expect(await view()).toContain('Your browser then returns to');
});

test('the owner’s own page is read for the profile and for the self-test', async () => {
  const { html } = await porchlight.call('setup.linkTags', {});
  site.pages.set('/', page(`<head>${html}</head><p class="h-card">Ann</p>`));
  expect(await porchlight.call('profile.read', { url: `${site.origin}/` })).toMatchObject({ name: 'Ann' });
  const { findings } = await porchlight.call('setup.check', { only: 'site' });
  expect(findings.map(({ level }) => level)).toEqual(findings.map(() => 'pass'));
});

test('the endpoint of a page that a post links is found', async () => {
  let notifications = 0;
  site.pages.set('/linked', page('<a rel="webmention" href="/end">mentions</a>'));
  site.pages.set('/end', (_request, response) => {
    notifications += 1;
    response.writeHead(202).end();
  });
  await porchlight.call('posts.create', {
    content: `See ${site.origin}/linked`,
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });
  await vi.waitUntil(() => notifications > 0, patience);
});
