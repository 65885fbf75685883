import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError } from '../../support/answers.ts';
import { fullToken, openMicropub, type MicropubServer } from '../../support/micropub-server.ts';

let server: MicropubServer;
beforeAll(async () => {
  server = await openMicropub();
});
afterAll(() => server.close());

const form = (fields: Record<string, string>) => new URLSearchParams(fields);
const parts = (fields: Record<string, string>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return data;
};

describe.each([
  ['urlencoded', form],
  ['multipart', parts],
] as const)('a %s form', (_name, body) => {
  test('MP-1 MP-2 may carry the token, which is no property of the post', async () => {
    const response = await server.send(body({ content: 'x', access_token: 'create' }), { token: null });
    expect(response.status).toBe(201);
    const { properties } = await server.source(response.headers.get('location') ?? '');
    expect(Object.keys(properties).sort()).toEqual(['content', 'published']);
  });

  test('MP-6 D-2 the same token in header and form is one token', async () => {
    const response = await server.send(body({ content: 'x', access_token: fullToken }));
    expect(response.status).toBe(201);
  });

  test('MP-6 D-2 D-3 two tokens: 400 with a challenge and no body', async () => {
    const before = server.posts.size();
    const response = await server.send(body({ content: 'x', access_token: 'create' }));
    expect(response.status).toBe(400);
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_request"');
    expect(await response.text()).toBe('');
    expect(server.posts.size()).toBe(before);
  });

  test('MP-4 D-4 without a token: 401 unauthorized', async () => {
    const fields = { content: 'x' };
    for (const sent of [body(fields), body({ ...fields, access_token: '' })]) {
      const response = await server.send(sent, { token: null });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      await expectError(response, 401, 'unauthorized');
    }
  });

  test('MP-4 a token that does not count: 401 invalid_token', async () => {
    const response = await server.send(body({ content: 'x', access_token: 'unknown' }), { token: null });
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    await expectError(response, 401, 'invalid_token');
  });
});

test('MP-1 several different tokens in one form: 400', async () => {
  const response = await server.send(new URLSearchParams('content=x&access_token=a&access_token=b'), {
    token: null,
  });
  await expectError(response, 400, 'invalid_request');
});

test('MP-1 MP-2 a token in JSON opens nothing, and is not stored', async () => {
  const body = { type: ['h-entry'], properties: { content: ['x'], access_token: ['create'] } };
  await expectError(
    await server.send({ ...body, access_token: 'create' }, { token: null }),
    401,
    'unauthorized',
  );
  const url = await server.create(body.properties);
  expect((await server.source(url)).properties).not.toHaveProperty('access_token');
});

test('D-4 malformed JSON of a stranger is not looked into: 401', async () => {
  const response = await server.send('{', { token: null, type: 'application/json' });
  await expectError(response, 401, 'unauthorized');
});

test('MP-67 queries want a token, and one in the address does not count', async () => {
  await expectError(await server.query('q=config', null), 401, 'unauthorized');
  await expectError(await server.query('', null), 401, 'unauthorized');
  await expectError(await server.query('q=config&access_token=create', null), 401, 'unauthorized');
  expect((await server.query('q=config', 'media')).status).toBe(200);
});

test('MP-3 a token without any scope allows nothing', async () => {
  await expectError(await server.query('q=config', 'none'), 403, 'insufficient_scope');
  await expectError(await server.send(form({ content: 'x' }), { token: 'none' }), 403, 'insufficient_scope');
});

describe('MP-3 MP-4 D-1 the permissions of a scope', () => {
  const actions = ['create', 'update', 'delete', 'undelete'] as const;
  const allowed: Record<string, readonly string[]> = {
    create: ['create'],
    post: ['create'],
    draft: ['create'],
    update: ['update'],
    delete: ['delete', 'undelete'],
    undelete: ['undelete'],
    media: [],
    'profile.email': [],
  };

  test.each(Object.entries(allowed))('%s: %j', async (token, may) => {
    for (const action of actions) {
      const url = await server.create({ content: ['x'] });
      const bodies = {
        create: { type: ['h-entry'], properties: { content: ['x'] } },
        update: { action, url, replace: { content: ['y'] } },
        delete: { action, url },
        undelete: { action, url },
      };
      const before = server.changes.length;
      const response = await server.send(bodies[action], { token });
      if (may.includes(action)) {
        expect(response.ok).toBe(true);
        continue;
      }
      expect(response.headers.get('www-authenticate')).toBe(
        `Bearer error="insufficient_scope", scope="${action}"`,
      );
      expect(response.headers.get('location')).toBeNull();
      await expectError(response, 403, 'insufficient_scope');
      expect(server.changes).toHaveLength(before);
    }
  });

  test('the scope draft allows only drafts, whatever the app requests', async () => {
    const url = await server.create({ content: ['x'], 'post-status': ['published'] }, 'draft');
    expect((await server.source(url)).properties['post-status']).toEqual(['draft']);
    expect(server.changes.at(-1)?.post.status).toBe('draft');
    const publish = { action: 'update', url, replace: { 'post-status': ['published'] } };
    const refused = await server.send(publish, { token: 'draft.update' });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: 'insufficient_scope' });
    expect((await server.source(url)).properties['post-status']).toEqual(['draft']);
    await server.create({ content: ['x'] }, 'draft.create');
    expect(server.changes.at(-1)?.post.status).toBe('published');
  });
});

test('a token that has nothing to do with posts sees only what everybody sees', async () => {
  const secret = await server.create({ content: ['secret'], visibility: ['private'] });
  const draft = await server.create({ content: ['secret'], 'post-status': ['draft'] });
  for (const url of [secret, draft]) {
    await expectError(
      await server.query(`q=source&url=${encodeURIComponent(url)}`, 'profile@other'),
      400,
      'invalid_request',
    );
  }
  for (const query of ['', '&post-status=draft', '&visibility=private'])
    expect(await (await server.query(`q=source&limit=100${query}`, 'profile@other')).text()).not.toContain(
      'secret',
    );
  const shown = await server.create({ content: ['shown'] });
  expect((await server.query(`q=source&url=${encodeURIComponent(shown)}`, 'profile@other')).status).toBe(200);
});

test('nor does it see their categories, or a place that the owner keeps private', async () => {
  const place = { location: ['geo:1,2'], checkin: ['The hideout'], 'location-visibility': ['private'] };
  const url = await server.create({ content: ['Here'], category: ['open'], ...place });
  await server.create({ content: ['x'], category: ['secret-plan'], visibility: ['private'] });
  const queries = [`q=source&url=${encodeURIComponent(url)}`, 'q=source', 'q=category', 'q=config'];
  for (const query of queries) {
    expect(await (await server.query(query, 'profile@other')).text()).not.toMatch(
      /geo:1|hideout|secret-plan/,
    );
    expect(await (await server.query(query)).text()).toMatch(/geo:1|secret-plan/);
  }
});
