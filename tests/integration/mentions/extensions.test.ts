import { afterEach, beforeEach, expect, test } from 'vitest';
import { json, page } from '../../support/client-app.ts';
import { openWebmention, replyTo, target, type WebmentionServer } from '../../support/webmention-server.ts';

let server: WebmentionServer;
beforeEach(async () => {
  server = await openWebmention();
});
afterEach(() => server.close());

const post = (fields: Record<string, string>) =>
  fetch(`${server.base}/webmention`, { method: 'POST', body: new URLSearchParams(fields) });

test('WR-17 a private webmention is taken and never shown: no token is asked for with its code, so its source stays closed', async () => {
  const source = `${server.site.origin}/private`;
  const link = `<${server.site.origin}/token>; rel="token_endpoint"`;
  server.site.pages.set('/private', page(replyTo(target), { link, 'content-type': 'text/html' }, 401));
  server.site.pages.set('/token', json({ access_token: 'secret', token_type: 'Bearer' }));
  expect((await post({ source, target, code: 'the-code' })).status).toBe(201);
  expect(await server.process()).toMatchObject({ failed: 1, approved: 0 });
  expect(server.store.size).toBe(0);
  expect(server.site.requests).toEqual(['GET /private']);
});

test('WR-17 a vouch speaks for nobody: it is not looked at, and a stranger is held with it as without', async () => {
  server.settings.hold = 'strangers';
  server.settings.trustedDomains = ['trusted.example'];
  const source = server.publish('/reply', replyTo(target));
  const vouch = server.publish('/vouch', `<a href="${source}">A friend</a>`);
  expect((await post({ source, target, vouch })).status).toBe(201);
  await server.process();
  expect((await server.store.find(source, target))?.status).toBe('held');
  expect(server.site.requests).toEqual(['GET /reply']);
});

test('MF-6 another form that a page names is not requested: its HTML counts', async () => {
  const alternates = ['application/mf2+json', 'application/activity+json']
    .map((type) => `<link rel="alternate" type="${type}" href="/other">`)
    .join('');
  const source = server.publish('/reply', alternates + replyTo(target, 'In the HTML.'));
  const entry = { type: ['h-entry'], properties: { 'like-of': [target] } };
  server.site.pages.set('/other', json({ items: [entry] }));
  await post({ source, target });
  await server.process();
  expect((await server.store.find(source, target))?.facts).toMatchObject({
    type: 'reply',
    content: { value: 'In the HTML.' },
  });
  expect(server.site.requests).toEqual(['GET /reply']);
});

test('WI-20 what webmention.io tells by its webhook is no webmention: it is refused, and nothing is kept', async () => {
  const source = server.publish('/reply', replyTo(target));
  const answer = await fetch(`${server.base}/webmention`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret: 's', source, target, private: false, post: { type: 'entry' } }),
  });
  expect(answer.status).toBe(400);
  expect(await server.process()).toMatchObject({ processed: 0 });
  expect(server.store.size).toBe(0);
});
