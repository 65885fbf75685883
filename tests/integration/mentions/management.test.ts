import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MentionStatus } from '../../../src-main/contract/webmentions.ts';
import { expectError, jsonOf } from '../../support/answers.ts';
import {
  managementToken,
  openWebmention,
  replyTo,
  target,
  type WebmentionServer,
} from '../../support/webmention-server.ts';

let server: WebmentionServer;
beforeEach(async () => {
  server = await openWebmention();
});
afterEach(() => server.close());

const bearer = { authorization: `Bearer ${managementToken}` };
const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

async function keep(source: string, to = target, status: MentionStatus = 'approved', isPrivate = false) {
  const { mention } = await server.store.keep({
    source,
    target: to,
    facts: { type: 'reply', property: 'in-reply-to', content: { value: 'Well said.' } },
    status,
    parsed: '2026-11-20T12:00:00.000Z',
    ...(isPrivate && { private: true }),
  });
  server.clock.now += 1000;
  return mention;
}

const remove = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${server.base}/webmention?${query(fields)}`, { method: 'DELETE', headers });

describe('GET /webmentions?url=', () => {
  test('answers the approved mentions of a page, oldest first, under the address as asked', async () => {
    const first = await keep('https://bea.example/1');
    await keep('https://bea.example/held', target, 'held');
    await keep('https://bea.example/hidden', target, 'hidden');
    await keep('https://bea.example/private', target, 'approved', true);
    await keep('https://bea.example/elsewhere', 'https://ada.example/other');
    const second = await keep('https://bea.example/2', `${target}#part`);

    const response = await server.get(`/webmentions?${query({ url: target })}`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const records = (await jsonOf(response))[target];
    expect(records).toEqual([
      {
        id: first.id,
        source: 'https://bea.example/1',
        target,
        type: 'reply',
        received: '2026-11-20T12:00:00.000Z',
        parsed: '2026-11-20T12:00:00.000Z',
        content: { value: 'Well said.' },
        'in-reply-to': target,
      },
      expect.objectContaining({ id: second.id, target: `${target}#part` }),
    ]);
  });

  test('with a fragment it answers the mentions of that part', async () => {
    await keep('https://bea.example/1');
    const { id } = await keep('https://bea.example/2', `${target}#part`);
    const answer = await jsonOf(await server.get(`/webmentions?${query({ url: `${target}#part` })}`));
    expect(answer).toEqual({ [`${target}#part`]: [expect.objectContaining({ id })] });
  });

  test('answers an empty list if there are no mentions', async () => {
    const response = await server.get(`/webmentions?${query({ url: 'https://nobody.example/' })}`);
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toEqual({ 'https://nobody.example/': [] });
  });

  test('an address is a name like any other: __proto__ too', async () => {
    const response = await server.get('/webmentions?url=__proto__');
    expect(await response.text()).toBe('{"__proto__":[]}');
  });
});

describe('GET /webmentions/export.jf2', () => {
  test('is one JF2 file of all mentions, whatever their state', async () => {
    await keep('https://bea.example/1');
    await keep('https://bea.example/2', target, 'held');
    await keep('https://bea.example/3', 'https://ada.example/other', 'deleted');
    await keep('https://bea.example/4', target, 'approved', true);
    for (const [path, headers] of [
      [`/webmentions/export.jf2?${query({ token: managementToken })}`, {}],
      ['/webmentions/export.jf2', bearer],
    ] as const) {
      const response = await server.get(path, headers);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="webmentions.jf2"');
      expect(response.headers.get('cache-control')).toBe('no-store');
      const like = (number: number, status: MentionStatus, isPrivate = false) => ({
        type: 'entry',
        'wm-source': `https://bea.example/${number}`,
        'wm-property': 'in-reply-to',
        'wm-private': isPrivate,
        'porchlight-status': status,
      });
      expect(await jsonOf(response)).toMatchObject({
        type: 'feed',
        children: [like(1, 'approved'), like(2, 'held'), like(3, 'deleted'), like(4, 'approved', true)],
      });
    }
  });

  test('is for the owner alone', async () => {
    await keep('https://bea.example/1');
    await expectError(await server.get('/webmentions/export.jf2'), 401, 'unauthorized');
    await expectError(await server.get('/webmentions/export.jf2?token=wrong'), 403, 'forbidden');
  });
});

describe('GET /webmentions?token=', () => {
  test('answers everything that was received, with its status, grouped by target', async () => {
    await keep('https://bea.example/1');
    await keep('https://bea.example/2', target, 'hidden');
    await keep('https://bea.example/3', `${target}#part`, 'approved', true);
    await keep('https://bea.example/4', 'https://ada.example/other', 'held');
    const expected = {
      'https://ada.example/other': [{ source: 'https://bea.example/4', status: 'held' }],
      [target]: [
        { source: 'https://bea.example/1', status: 'approved' },
        { source: 'https://bea.example/2', status: 'hidden' },
      ],
      [`${target}#part`]: [{ source: 'https://bea.example/3', status: 'approved', private: true }],
    };
    const inQuery = await server.get(`/webmentions?${query({ token: managementToken })}`);
    expect(await jsonOf(inQuery)).toMatchObject(expected);
    const inHeader = await server.get('/webmentions', bearer);
    expect(inHeader.headers.get('cache-control')).toBe('no-store');
    expect(await jsonOf(inHeader)).toMatchObject(expected);
  });

  test('many are handed on piece by piece and are whole JSON', async () => {
    for (let number = 0; number < 3000; number += 1)
      await keep(`https://bea.example/${number}`, `https://ada.example/${number % 7}`);
    const answer = await jsonOf(await server.get('/webmentions', bearer));
    const records = Object.values(answer).flat() as { source: string }[];
    expect(Object.keys(answer)).toHaveLength(7);
    expect(new Set(records.map(({ source }) => source)).size).toBe(3000);
  });

  test('a wrong token gets 403; a missing token or URL gets 400', async () => {
    await expectError(await server.get('/webmentions?token=wrong'), 403, 'forbidden');
    const wrong = { authorization: 'Bearer wrong' };
    await expectError(await server.get('/webmentions', wrong), 403, 'forbidden');
    await expectError(await server.get('/webmentions'), 400, 'invalid_request');
  });
});

describe('DELETE /webmention', () => {
  const source = 'https://bea.example/1';

  test('deletes received mentions for good, and answers with the deleted ones', async () => {
    const { id } = await keep(source);
    const response = await remove({ token: managementToken, source, target });
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toMatchObject({ id, source, target, status: 'deleted' });
    expect(await jsonOf(await server.get(`/webmentions?${query({ url: target })}`))).toEqual({
      [target]: [],
    });
    expect(server.events).toMatchObject([{ what: 'changed', mention: { id, status: 'deleted' } }]);
    await expectError(await remove({ token: managementToken, source, target }), 404, 'not_found');
  });

  test('takes the token from the header, and its parameters from a form', async () => {
    await keep(source);
    const response = await fetch(`${server.base}/webmention`, {
      method: 'DELETE',
      headers: bearer,
      body: new URLSearchParams({ source, target }),
    });
    expect(response.status).toBe(200);
  });

  test('DELETE without a token, with a wrong token, without a parameter or for an unknown mention deletes nothing', async () => {
    await keep(source);
    const missing = await remove({ source, target });
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    await expectError(missing, 401, 'unauthorized');
    await expectError(await remove({ token: 'wrong', source, target }), 403, 'forbidden');
    await expectError(await remove({ source }, { authorization: 'Bearer wrong' }), 403, 'forbidden');
    await expectError(await remove({ token: managementToken, target }), 400, 'invalid_request');
    await expectError(await remove({ token: managementToken, source }), 400, 'invalid_request');
    const other = { token: managementToken, source, target: `${target}#part` };
    await expectError(await remove(other), 404, 'not_found');
    expect((await server.store.find(source, target))?.status).toBe('approved');
  });

  test('a deleted mention that is sent again is answered as usual, and stays away until the owner restores it', async () => {
    const live = server.publish('/reply', replyTo(target));
    await server.send(live, target);
    await server.process();
    await remove({ token: managementToken, source: live, target });
    server.clock.now += 31_000;
    expect((await server.send(live, target)).status).toBe(201);
    await server.process();
    expect(await jsonOf(await server.get(`/webmentions?${query({ url: target })}`))).toEqual({
      [target]: [],
    });
    const deleted = await server.store.find(live, target);
    expect((await server.store.restore(deleted!.id)).status).toBe('approved');
  });
});

describe('GET /process', () => {
  test('works off what waits and answers the counts', async () => {
    await server.send(server.publish('/reply', replyTo(target)), target);
    await server.send(server.publish('/other', '<p>No link</p>'), target);
    const response = await server.get('/process');
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toEqual({
      processed: 2,
      approved: 1,
      updated: 0,
      removed: 0,
      failed: 1,
      waiting: 0,
    });
    expect(server.store.size).toBe(1);
  });

  test('asked for by many at once it reads each source once', async () => {
    await server.send(server.publish('/reply', replyTo(target)), target);
    const answers = await Promise.all(Array.from({ length: 5 }, () => server.get('/process')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(server.site.requests.filter((request) => request.endsWith('/reply'))).toHaveLength(1);
  });

  test('a visitor who asks again and again is slowed down', async () => {
    const from = { 'cf-connecting-ip': '203.0.113.7' };
    for (let asked = 0; asked < 6; asked += 1) expect((await server.get('/process', from)).status).toBe(200);
    expect((await server.get('/process', from)).status).toBe(429);
  });
});
