import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../../../src-main/platform/guarded-fetch.ts';
import { openReading } from '../../../../src-main/app/reading.ts';
import { deliverWebmention, type DeliveryOutcome } from '../../../../src-main/mentions/sending/deliver.ts';
import { page } from '../../../support/client-app.ts';
import { answer, hostileServer, redirectTo } from '../../../support/hostile-server.ts';
import { publicFetch } from '../../../support/public-fetch.ts';
import {
  addDiscoveryWays,
  discoveryWays,
  openReceivers,
  type Receivers,
} from '../../../support/webmention-receivers.ts';

const source = 'https://me.example/posts/2026/11/post?a=1&b=ü';
const now = () => Date.parse('2026-11-21T12:00:00Z');
const fetch = createGuardedFetch({
  allowPrivate: true,
  userAgent: 'Porchlight/test (IndieWeb server; Webmention)',
});

const reading = openReading({ clock: now });
afterAll(() => reading.close());

let there: Receivers;
beforeEach(async () => {
  there = await openReceivers();
});
afterEach(() => there.close());

const send = (target: string): Promise<DeliveryOutcome> =>
  deliverWebmention({
    fetch,
    reading: reading.mentions,
    source,
    target,
    signal: new AbortController().signal,
    now,
  });

describe('WS-1 WS-2 the endpoint is found', () => {
  test.each(discoveryWays.map(({ words }, index) => [index + 1, words] as const))(
    '%i: %s',
    async (number) => {
      const way = addDiscoveryWays(there)[number - 1]!;
      expect(await send(way.page)).toMatchObject({ kind: 'sent' });
      expect(there.received).toMatchObject([{ endpoint: way.end, source, target: way.page }]);
    },
  );

  test('by the Link header of a file that isn’t a page', async () => {
    there.endpoint('/end');
    there.site.pages.set(
      '/photo',
      page('<link rel="webmention" href="/wrong">', {
        'content-type': 'image/png',
        link: '</end>; rel="webmention"',
      }),
    );
    expect(await send(`${there.origin}/photo`)).toMatchObject({ kind: 'sent' });
    expect(there.notifications()).toHaveLength(1);
  });

  test('by the Link header of a response that is too large to read', async () => {
    there.endpoint('/end');
    there.site.pages.set('/film', page('x'.repeat(1_100_000), { link: '</end>; rel="webmention"' }));
    expect(await send(`${there.origin}/film`)).toMatchObject({ kind: 'sent' });
  });

  test('not in a text that shows how it is done', async () => {
    there.site.pages.set(
      '/text',
      page('<link rel="webmention" href="/wrong">', { 'content-type': 'text/plain' }),
    );
    expect(await send(`${there.origin}/text`)).toMatchObject({ kind: 'no-endpoint' });
  });

  test('nowhere on a page that takes none', async () => {
    there.site.pages.set('/none', page('<p>Good evening</p>'));
    expect(await send(`${there.origin}/none`)).toEqual({
      kind: 'no-endpoint',
      words: 'This page does not accept webmentions.',
    });
  });

  test('nowhere on a page that is too large to read', async () => {
    there.site.pages.set('/long', page('x'.repeat(1_100_000)));
    expect(await send(`${there.origin}/long`)).toMatchObject({
      kind: 'failed',
      mayPass: false,
      mayKnow: false,
    });
  });

  test.each([
    [404, false],
    [410, false],
    [429, true],
    [503, true],
  ])('a page that answers %i gets no notification; retried: %s', async (status, mayPass) => {
    there.endpoint('/end');
    there.site.pages.set('/gone', page('', { link: '</end>; rel="webmention"' }, status));
    expect(await send(`${there.origin}/gone`)).toMatchObject({ kind: 'failed', mayPass, mayKnow: false });
    expect(there.received).toEqual([]);
  });

  test.each([401, 403])(
    'S01 a page that answers %i is notified if its Link header says where',
    async (status) => {
      there.endpoint('/end');
      there.site.pages.set('/locked', page('', { link: '</end>; rel="webmention"' }, status));
      there.site.pages.set('/locked-page', page('<link rel="webmention" href="/end">', {}, status));
      expect(await send(`${there.origin}/locked`)).toMatchObject({ kind: 'sent' });
      expect(await send(`${there.origin}/locked-page`)).toMatchObject({ kind: 'failed', mayPass: false });
      expect(there.received).toMatchObject([{ endpoint: '/end', source, target: `${there.origin}/locked` }]);
    },
  );

  test('WS-6 each request says who asks', async () => {
    const target = there.add('/post');
    await send(target);
    expect(there.received[0]?.userAgent).toContain('Webmention');
    expect(there.site.requests).toEqual(['GET /post', 'POST /post/webmention']);
  });
});

describe('WS-3 the answer of the endpoint', () => {
  const answered = (status: number, headers: Record<string, string> = {}, body = '') =>
    send(there.add('/post', (response) => void response.writeHead(status, headers).end(body)));

  test('the form is plain, and contains both addresses unchanged', async () => {
    const target = `${there.add('/post')}?q=%20+&x#part`;
    expect(await send(target)).toMatchObject({ kind: 'sent' });
    expect(there.received).toEqual([
      expect.objectContaining({ source, target, contentType: 'application/x-www-form-urlencoded' }),
    ]);
  });

  test.each([200, 202, 204, 299])('%i is success', async (status) => {
    expect(await answered(status)).toMatchObject({ kind: 'sent' });
  });

  test('201 is success, and its Location is remembered', async () => {
    expect(await answered(201, { location: '/status/1' })).toMatchObject({
      kind: 'sent',
      statusPage: `${there.origin}/status/1`,
    });
  });

  test.each<[string, number, Record<string, string>, string, string]>([
    [
      'in JSON',
      400,
      { 'content-type': 'application/json' },
      '{"error":"no_link","error_description":"No link\\u0000 found."}',
      'The other server did not accept it (400): “No link found.”',
    ],
    [
      'in a text',
      422,
      { 'content-type': 'text/plain' },
      `Because. ${'x'.repeat(5000)}`,
      'The other server did not accept it (422): “Because. xxx',
    ],
    [
      'not in HTML',
      403,
      { 'content-type': 'text/html' },
      '<p>no</p>',
      'The other server did not accept it (403).',
    ],
    [
      'not in broken JSON',
      400,
      { 'content-type': 'application/json' },
      '{',
      'The other server did not accept it (400).',
    ],
  ])('a refusal is final, and is shown with its reason %s', async (_, status, headers, body, words) => {
    const outcome = await answered(status, headers, body);
    expect(outcome).toMatchObject({ kind: 'failed', mayPass: false, refused: true, mayKnow: false });
    expect(outcome.words.startsWith(words)).toBe(true);
    expect(outcome.words.length).toBeLessThan(300);
  });

  test.each<[number, string | undefined, number | undefined]>([
    [500, undefined, undefined],
    [503, '120', now() + 120_000],
    [429, 'Sat, 21 Nov 2026 12:30:00 GMT', now() + 1_800_000],
    [503, 'soon', undefined],
    [503, '-5', undefined],
  ])('%i with Retry-After %s may pass', async (status, after, notBefore) => {
    const outcome = await answered(status, after === undefined ? {} : { 'retry-after': after });
    expect(outcome).toMatchObject({ kind: 'failed', mayPass: true, mayKnow: true });
    expect('notBefore' in outcome ? outcome.notBefore : undefined).toBe(notBefore);
  });

  test.each([301, 302, 307, 308])('a %i of the endpoint is followed by the same POST', async (status) => {
    there.endpoint('/new');
    expect(await answered(status, { location: '/new' })).toMatchObject({ kind: 'sent' });
    expect(there.received.map(({ endpoint }) => endpoint)).toEqual(['/post/webmention', '/new']);
    expect(there.received[1]).toMatchObject({ source });
  });

  test('a 303 counts by its target', async () => {
    there.site.pages.set('/thanks', page('Thank you'));
    expect(await answered(303, { location: '/thanks' })).toMatchObject({ kind: 'sent' });
    expect(await answered(303, { location: '/nothing' })).toMatchObject({ kind: 'failed', refused: true });
  });

  test('redirects without end are left', async () => {
    expect(await answered(307, { location: '/post/webmention' })).toMatchObject({
      kind: 'failed',
      mayPass: false,
    });
    expect(there.received.length).toBeLessThan(10);
  });

  test('an answer without end is left', async () => {
    expect(await answered(200, {}, 'x'.repeat(1_100_000))).toMatchObject({
      kind: 'failed',
      mayPass: false,
      mayKnow: true,
    });
  });

  test('a connection that breaks may pass, and the page may know', async () => {
    const target = there.add('/post', (response) => void response.destroy());
    expect(await send(target)).toMatchObject({ kind: 'failed', mayPass: true, mayKnow: true });
  });
});

describe('WS-6 nothing is sent to this computer or its network', () => {
  test.each([
    'http://127.0.0.1:1/end',
    'http://127.1:1/end',
    'http://[::1]:1/end',
    'http://[::ffff:127.0.0.1]:1/end',
    'http://localhost:1/end',
    'http://192.168.1.1/end',
    'http://10.0.0.1/end',
    'http://169.254.169.254/end',
    'http://0.0.0.0:1/end',
    'http://inside.example/end',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://me:secret@bo.example/end',
  ])('an endpoint at %s is refused', async (endpoint) => {
    const server = await hostileServer({
      '/post': answer(200, '', { link: `<${endpoint}>; rel="webmention"` }),
    });
    const { fetch: guarded } = publicFetch(server.port, { 'inside.example': [['192.168.1.1']] });
    const target = `${server.origin}/post`;
    const outcome = await deliverWebmention({
      fetch: guarded,
      reading: reading.mentions,
      source,
      target,
      signal: new AbortController().signal,
      now,
    });
    expect(outcome).toMatchObject({ kind: 'failed', mayPass: false, mayKnow: false });
    expect(server.seen.map(({ method }) => method)).toEqual(['GET']);
    await server.close();
  });

  test('nor an endpoint that redirects there', async () => {
    const inside = await hostileServer({ '/end': answer(202) });
    const server = await hostileServer({
      '/post': answer(200, '', { link: '</end>; rel="webmention"' }),
      '/end': redirectTo(`${inside.origin}/end`, 307),
    });
    const { fetch: guarded } = publicFetch(server.port);
    const target = `${server.origin}/post`;
    const outcome = await deliverWebmention({
      fetch: guarded,
      reading: reading.mentions,
      source,
      target,
      signal: new AbortController().signal,
      now,
    });
    expect(outcome).toMatchObject({ kind: 'failed', mayPass: false });
    expect(inside.connections()).toBe(0);
    await Promise.all([server.close(), inside.close()]);
  });
});
