import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildPublicApp } from '../../../../src-main/http/app.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { noBlocks } from '../../../../src-main/mentions/blocked.ts';
import type { MentionQueue } from '../../../../src-main/mentions/receiving/queue.ts';
import { receiverRoutes } from '../../../../src-main/mentions/receiving/receiver-routes.ts';
import { expectError, jsonOf } from '../../../support/answers.ts';
import { openWebmention, target, type WebmentionServer } from '../../../support/webmention-server.ts';

let server: WebmentionServer;
beforeAll(async () => {
  server = await openWebmention();
});
afterAll(() => server.close());

let count = 0;
const freshSource = () => `https://bea.example/notes/${++count}`;
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('an accepted mention', () => {
  test('WR-4 a mention is answered with 201, a Location for its status, and a message about the next step', async () => {
    const response = await server.send(freshSource(), target, { accept: 'application/json, */*;q=0.8' });
    expect(response.status).toBe(201);
    const location = response.headers.get('location') ?? '';
    expect(location).toMatch(new RegExp(`^${server.base}/webmention/[\\w-]{20,}$`));
    expect(await jsonOf(response)).toEqual({
      status: 'queued',
      location,
      summary: expect.stringMatching(/^Received\./) as string,
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('WR-1 a form with a charset is a form', async () => {
    const response = await fetch(`${server.base}/webmention`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
      body: `source=${encodeURIComponent(freshSource())}&target=${encodeURIComponent(target)}`,
    });
    expect(response.status).toBe(201);
  });

  test.each([
    ['of the host of me', target],
    ['over http too', 'http://ada.example/2026/post'],
    ['with the host in another case', 'https://ADA.Example/2026/post'],
    ['with the dot of the root', 'https://ada.example./2026/post'],
    ['with a fragment', `${target}#part`],
    ['of a further host, with its port', 'https://blog.example:8080/x'],
  ])('WR-3 a target %s is taken', async (_name, address) => {
    expect((await server.send(freshSource(), address)).status).toBe(201);
  });

  test('WR-3 a public page of the built-in site is accepted, whatever its fragment', async () => {
    const post = `${server.base}/posts/2026/11/public`;
    expect((await server.send(freshSource(), post)).status).toBe(201);
    expect((await server.send(freshSource(), `${post}#comment`)).status).toBe(201);
  });

  test('WR-17 what extensions put beside source and target is no hindrance', async () => {
    const response = await fetch(`${server.base}/webmention`, {
      method: 'POST',
      body: new URLSearchParams({
        source: freshSource(),
        target,
        vouch: 'https://cyd.example/knows-bea',
        code: 'a-code-for-a-private-page',
        realm: 'r',
      }),
    });
    expect(response.status).toBe(201);
  });

  test('WR-5 the same pair, while it waits, is one mention with one Location', async () => {
    const source = freshSource();
    const answers = await Promise.all(Array.from({ length: 5 }, () => server.send(source, target)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
  });

  test('WR-5 a target with another fragment is another mention', async () => {
    const source = freshSource();
    const one = await server.send(source, target);
    const other = await server.send(source, `${target}#part`);
    expect(other.headers.get('location')).not.toBe(one.headers.get('location'));
  });
});

describe('a refused mention', () => {
  const junk = 'jwoijgoisdjlskjegisvjowuehjtkx';
  const source = 'https://bea.example/notes/refused';

  test.each([
    ['WR-1 a source that is no address', junk, target],
    ['WR-1 a target that is no address', source, 'owiejduvyeiwljjjcjmvbpsouehgd'],
    ['WR-1 two that are none', junk, 'owiejduvyeiwljjjcjmvbpsouehgd'],
    ['WR-16 a source of angle brackets', '<>', target],
    ['WR-1 a missing source', undefined, target],
    ['WR-1 a missing target', source, undefined],
    ['WR-1 an empty source', '', target],
    ['WR-1 a source of another scheme', 'ftp://bea.example/1', target],
    ['WR-1 a script as source', 'javascript:alert(1)', target],
    ['WR-1 a source without a host', 'https:///notes', target],
    ['WR-1 a source without slashes', 'https:bea.example/notes', target],
    ['WR-1 a source with a space', 'https://bea.example/a b', target],
    ['WR-1 a source with a line break', 'https://bea.example/a\nb', target],
    ['WR-1 a source that is too long', `https://bea.example/${'a'.repeat(2048)}`, target],
    ['WR-3 a source with a user', 'https://user@bea.example/', target],
    ['WR-3 a target with a user', source, 'https://user:pass@ada.example/2026/post'],
    ['WR-2 a source that is the target', target, target],
    [
      'WR-2 a source that is the target but for a fragment and the scheme',
      'http://Ada.example/2026/post#a',
      target,
    ],
    ['WR-3 a target without a scheme', source, '//ada.example/2026/post'],
    ['WR-16 a target of another host', source, 'https://elsewhere.example/'],
    ['WR-3 a host that only ends like ours', source, 'https://notada.example/'],
    ['WR-3 a host under ours', source, 'https://www.ada.example/'],
    ['WR-3 another port of our host', source, 'https://ada.example:8443/2026/post'],
    ['WR-3 a further host without its port', source, 'https://blog.example/x'],
  ])('%s is refused at once', async (_name, from, to) => {
    await expectError(await server.send(from, to), 400, 'invalid_request');
  });

  test('WR-3 a page that the built-in site does not show is refused', async () => {
    const response = await server.send(source, `${server.base}/posts/2026/11/private`);
    await expectError(response, 400, 'invalid_request');
  });

  test('a blocked site gets an error, and nothing is queued', async () => {
    await server.blocks.sites.add('spam.example');
    const before = server.webmention.waiting();
    const response = await server.send('https://SPAM.example/1', target);
    expect(response.status).toBe(400);
    expect((await jsonOf(response))['error_description']).toBe(
      'The owner does not accept mentions from this site.',
    );
    expect(server.webmention.waiting()).toBe(before);
  });

  test('WR-1 a source that came twice is refused', async () => {
    const response = await fetch(`${server.base}/webmention`, {
      method: 'POST',
      body: new URLSearchParams([
        ['source', source],
        ['source', freshSource()],
        ['target', target],
      ]),
    });
    await expectError(response, 400, 'invalid_request');
  });

  test.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
  ])('WR-13 a body of type %s is refused', async (type) => {
    const body = JSON.stringify({ source, target });
    const init = { method: 'POST', body, headers: { 'content-type': type } };
    await expectError(await fetch(`${server.base}/webmention`, init), 400, 'invalid_request');
  });

  test('a visitor who sends without end is slowed down; others are not', async () => {
    const from = (ip: string) => ({ 'cf-connecting-ip': ip, 'user-agent': 'Porchlight/9 (Webmention)' });
    let slowed: Response | undefined;
    for (let sent = 0; sent < 61; sent += 1) {
      const response = await server.send(freshSource(), target, from('203.0.113.7'));
      if (response.status === 429) slowed = response;
    }
    expect(slowed?.status).toBe(429);
    expect(Number(slowed?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await server.send(freshSource(), target, from('203.0.113.8'))).status).toBe(201);
  });
});

test.each([
  ['of everybody', 'all', 503],
  ['of the site of the source', 'site', 429],
  ['of the sender', 'visitor', 429],
] as const)(
  'if too many mentions %s are waiting, the sender is asked to retry later, and the owner reads why',
  async (_name, of, status) => {
    const queue: Partial<MentionQueue> = {
      receive: () => Promise.resolve({ kind: 'full', of }),
      byToken: () => undefined,
    };
    const refusals: string[] = [];
    const routes = receiverRoutes({
      base: () => 'https://home.example',
      owned: () => ({
        base: 'https://home.example',
        me: 'https://ada.example/',
        folderSite: '',
        hosts: [],
      }),
      pageOf: (url) => url,
      isPost: () => Promise.resolve(false),
      isPublicPage: () => Promise.resolve(true),
      blocks: noBlocks,
      queue: queue as MentionQueue,
      refused: (why) => void refusals.push(why),
    });
    const app = await buildPublicApp({ log: silentLog, features: [routes], closing: () => undefined });
    onTestFinished(() => app.close());
    const answer = await app.inject({
      method: 'POST',
      url: '/webmention',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ source: freshSource(), target }).toString(),
    });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['retry-after']).toBe('600');
    expect(answer.headers.location).toBeUndefined();
    expect(answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect(refusals).toEqual([expect.stringMatching(/^Porchlight refuses new mentions .*for now: too many/)]);
  },
);

test.each([
  ['POST', '/webmention', 'source=%00&target=%zz'],
  ['POST', '/webmention', '&&&==%%%'],
  ['POST', '/webmention', 'source[]=a&source[b]=c&target=__proto__'],
  ['POST', '/webmention', '__proto__=a&constructor=b'],
  ['POST', '/webmention', `source=${'a'.repeat(100_000)}`],
  ['DELETE', '/webmention', 'token=%00'],
  ['DELETE', '/webmention?token=a&token=b', undefined],
  ['GET', '/webmention/%00', undefined],
  ['GET', '/webmention/%zz', undefined],
  ['GET', `/webmention/${'a'.repeat(5000)}`, undefined],
  ['GET', '/webmention/__proto__', undefined],
  ['GET', '/webmentions?url=%FF%00', undefined],
  ['GET', '/webmentions?url=a&url=b', undefined],
  ['GET', '/webmentions?token[]=a', undefined],
])('%s %s with nonsense is no fault of this server', async (method, path, body) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const init = body === undefined ? { method } : { method, body, headers };
  const response = await fetch(`${server.base}${path}`, init);
  expect(response.status).toBeLessThan(500);
});

describe('for people', () => {
  test('WR-13 GET shows a form that works without a script', async () => {
    const response = await server.get(`/webmention?target=${encodeURIComponent(target)}`);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'none'");
    expect(response.headers.get('link')).toBe(`<${server.base}/webmention>; rel="webmention"`);
    expect(text).toContain('<form method="post" action="/webmention" class="fields">');
    expect(text).toContain('name="source"');
    expect(text).toContain(`value="${target}"`);
  });

  test('WR-4 a person who sends the form sees the progress, and where to check it later', async () => {
    const response = await server.send(freshSource(), target, browser);
    const location = response.headers.get('location') ?? '';
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await response.text()).toContain(`<a href="${location}">`);
    const later = await fetch(location, { headers: browser });
    expect(later.status).toBe(200);
    expect(await later.text()).toContain('Thank you for your webmention');
  });

  test('WR-12 who puts in nonsense gets the form back with the reason, and no markup of theirs', async () => {
    const response = await server.send('"><script>alert(1)</script>', target, browser);
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(text).toContain('The source is not a web address');
    expect(text).not.toContain('<script>alert');
    expect(text).toContain(`value="${target}"`);
  });
});

describe('what became of it', () => {
  test('WR-11 the status page tells status, source and target', async () => {
    const source = freshSource();
    const { headers } = await server.send(source, target);
    const response = await fetch(headers.get('location') ?? '');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await jsonOf(response)).toEqual({
      status: 'queued',
      source,
      target,
      summary: expect.any(String) as string,
    });
  });

  test('WR-11 an unknown one is 404', async () => {
    const response = await server.get('/webmention/nothing');
    expect(response.status).toBe(404);
    expect(await jsonOf(response)).toEqual({ error: 'not_found' });
    expect((await server.get('/webmention/nothing', browser)).status).toBe(404);
  });
});
