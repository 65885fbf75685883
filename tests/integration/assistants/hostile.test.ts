import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
let token: string;

const modern = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Signs in with a scope, for /mcp or for the rest of the server. */
async function signedIn(scope: string, resource?: string): Promise<string> {
  const asked = { scope, ...(resource !== undefined && { resource }) };
  return (await scene.tokens(scene.request(asked))).access_token;
}

beforeAll(async () => {
  scene = await openScene();
  await scene.porchlight.call('settings.update', { assistants: { on: true } });
  token = await signedIn('draft', `${scene.porchlight.base}/mcp`);
});
afterAll(() => scene.close());

const headersOf = (method: string, name?: string) => ({
  'mcp-protocol-version': modern,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});

function send(body: unknown, headers: Record<string, string> = {}, bearer = token): Promise<Response> {
  return fetch(`${scene.porchlight.base}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const request = (method: string, params: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params, _meta: meta },
});

/** Calls a tool as a client of the modern era. */
async function call(name: string, input: object, bearer = token) {
  const params = { name, arguments: input };
  const response = await send(request('tools/call', params), headersOf('tools/call', name), bearer);
  return { status: response.status, body: (await response.json()) as { result?: Record<string, unknown> } };
}

const codeOf = async (response: Response) =>
  ((await response.json()) as { error: { code: number } }).error.code;

describe('the protocol', () => {
  test('server/discover names the versions, and its results say that they are complete and private', async () => {
    const response = await send(request('server/discover'), headersOf('server/discover'));
    expect(await response.json()).toMatchObject({
      result: {
        resultType: 'complete',
        cacheScope: 'private',
        supportedVersions: [modern, '2025-11-25', '2025-06-18'],
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'porchlight' } },
      },
    });
  });

  test.each([
    ['another method', { 'mcp-method': 'tools/list' }],
    ['another name', { 'mcp-name': 'write_draft' }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no method', { 'mcp-method': '' }],
    ['no version', { 'mcp-protocol-version': '' }],
  ])('headers with %s than the body are refused with -32020', async (_name, changed) => {
    const params = { name: 'post_counts', arguments: {} };
    const response = await send(request('tools/call', params), {
      ...headersOf('tools/call', 'post_counts'),
      ...changed,
    });
    expect(response.status).toBe(400);
    expect(await codeOf(response)).toBe(-32020);
  });

  test('an unknown version gets the versions that this server has', async () => {
    const version = '2031-01-01';
    const body = request('server/discover');
    body.params._meta = { ...meta, 'io.modelcontextprotocol/protocolVersion': version };
    const response = await send(body, { ...headersOf('server/discover'), 'mcp-protocol-version': version });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: -32022, data: { supported: [modern, '2025-11-25', '2025-06-18'], requested: version } },
    });
  });

  test('an unknown method is 404 in the modern era, and an error of JSON-RPC before it', async () => {
    const response = await send(request('prompts/list'), headersOf('prompts/list'));
    expect([response.status, await codeOf(response)]).toEqual([404, -32601]);
    const older = await send({ jsonrpc: '2.0', id: 1, method: 'prompts/list' });
    expect([older.status, await codeOf(older)]).toEqual([200, -32601]);
  });

  test.each(['2025-06-18', '2025-11-25'])('initialize negotiates %s', async (protocolVersion) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const response = await send({ jsonrpc: '2.0', id: 'a', method: 'initialize', params });
    expect(await response.json()).toMatchObject({ id: 'a', result: { protocolVersion } });
    const notification = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(notification.status).toBe(202);
  });

  test('GET and DELETE are 405', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${scene.porchlight.base}/mcp`, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  test('without a token, the response says where to get one', async () => {
    const { base } = scene.porchlight;
    const response = await fetch(`${base}/mcp`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp", scope="draft"`,
    );
    for (const path of ['', '/mcp']) {
      const metadata = await fetch(`${base}/.well-known/oauth-protected-resource${path}`);
      expect(await metadata.json()).toMatchObject({
        resource: `${base}/mcp`,
        authorization_servers: [`${base}/`],
        bearer_methods_supported: ['header'],
      });
    }
  });

  test('a browser on another site may send the headers of the protocol', async () => {
    const response = await fetch(`${scene.porchlight.base}/mcp`, {
      method: 'OPTIONS',
      headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' },
    });
    const allowed = response.headers.get('access-control-allow-headers') ?? '';
    for (const name of ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'])
      expect(allowed.split(', ')).toContain(name);
  });
});

describe('tokens', () => {
  test('one for assistants counts nowhere else, and another one not here', async () => {
    const { base } = scene.porchlight;
    const ask = (path: string, bearer: string) =>
      fetch(`${base}${path}`, { headers: { authorization: `Bearer ${bearer}` } });
    for (const path of ['/micropub?q=config', '/media?q=source', '/userinfo', '/token'])
      expect((await ask(path, token)).status).toBe(401);
    const usual = await signedIn('profile create draft');
    expect((await send(request('tools/list'), headersOf('tools/list'), usual)).status).toBe(401);
    const home = await signedIn('draft', `${base}/`);
    expect((await ask('/micropub?q=config', home)).status).toBe(200);
  });

  test.each(['https://elsewhere.example/mcp', 'mcp', '/mcp/more'])(
    'the resource %s is invalid_target',
    async (resource) => {
      const asked = scene.request({ resource });
      const page = await scene
        .visitor()
        .open(`/auth?${new URLSearchParams(asked.parameters as Record<string, string>)}`);
      expect(page.status).toBe(400);
      expect(await page.text()).toContain('invalid_target');
    },
  );

  test('with draft alone, nothing is published', async () => {
    const { status } = await call('write_draft', { text: 'Now', publish: true });
    expect(status).toBe(403);
    expect((await scene.porchlight.call('posts.list', { status: 'published' })).items).toEqual([]);
  });

  test('a tool without its scope names all that it needs', async () => {
    const response = await send(
      request('tools/call', { name: 'upload_photo', arguments: { base64: 'AAAA' } }),
      headersOf('tools/call', 'upload_photo'),
    );
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain(
      'error="insufficient_scope", scope="draft media"',
    );
  });
});

test('hostile calls get an error, and change nothing', async () => {
  const before = await scene.porchlight.call('posts.list', {});
  const long = 'x'.repeat(101_000);
  const bodies: unknown[] = [
    '',
    '{',
    'null',
    '[]',
    '"text"',
    [request('tools/list'), request('tools/list')],
    { jsonrpc: '1.0', id: 1, method: 'tools/list' },
    { jsonrpc: '2.0', id: 1 },
    { jsonrpc: '2.0', id: { a: 1 }, method: 'tools/list' },
    { jsonrpc: '2.0', id: null, method: 'tools/list' },
    { jsonrpc: '2.0', id: 1.5, method: 'tools/list' },
    { jsonrpc: '2.0', id: 1, method: 5 },
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] },
    { jsonrpc: '2.0', id: 1, method: 'toString' },
    { jsonrpc: '2.0', id: 1, method: 'constructor' },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'constructor' } },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 5 } },
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_draft","arguments":{"text":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}},"jsonrpc":"1.0"}`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'post_counts', arguments: [] } },
    { jsonrpc: '2.0', id: 1, method: 'resources/read' },
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'file:///etc/passwd' } },
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'x'.repeat(3000) } },
    { jsonrpc: '2.0', id: 1, method: 'completion/complete', params: {} },
    { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'debug' } },
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_draft","arguments":{"__proto__":{},"text":"x"}}}',
    ...[
      ['write_draft', { text: '' }],
      ['write_draft', { text: long }],
      ['write_draft', { text: 'x', extra: 1 }],
      ['write_draft', { text: 'x', reply_to: 'javascript:alert(1)' }],
      ['write_draft', { text: 'x', photos: ['https://elsewhere.example/p.png'] }],
      ['write_draft', { text: 'x', photos: [`${scene.porchlight.base}/media/../auth`] }],
      ['write_draft', { text: 'x', photos: [`${scene.porchlight.base}/media/%2e%2E\\auth`] }],
      ['write_draft', { text: 'x', photos: [`${scene.porchlight.base}/media.evil/p.png`] }],
      ['edit_draft', { url: 'file:///etc/passwd', version: 'x', text: 'y' }],
      ['edit_draft', { url: '../../settings.json', version: 'x', text: 'y' }],
      ['read_post', { url: '/posts/../settings.json' }],
      ['search_posts', { limit: 1e9 }],
      ['search_posts', { cursor: '💥' }],
      ['upload_photo', { url: 'http://127.0.0.1:1/' }],
      ['upload_photo', { url: 'file:///etc/passwd' }],
      ['upload_photo', { url: 'http://[::ffff:127.0.0.1]/', base64: 'AAAA' }],
    ].map(([name, input]) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input },
    })),
  ];
  const writer = await signedIn('draft media', `${scene.porchlight.base}/mcp`);
  for (const body of bodies) {
    const response = await send(body, {}, writer);
    const text = await response.text();
    const failed = response.status >= 400 || /"error"|"isError":true/.test(text);
    expect([response.status < 500, failed], `${JSON.stringify(body).slice(0, 100)} ${text}`).toEqual([
      true,
      true,
    ]);
  }
  expect(await scene.porchlight.call('posts.list', {})).toEqual(before);
});

test('a body of 10 MB is refused, and a stranger’s isn’t even read', async () => {
  const large = JSON.stringify({ padding: randomBytes(5_000_000).toString('hex') });
  expect((await send(large)).status).toBe(413);
  expect((await send(large, {}, 'wrong')).status).toBe(401);
});

test('an assistant sees no private, unlisted or other draft, and only its own', async () => {
  const { porchlight } = scene;
  const post = async (
    content: string,
    more: { visibility?: Post['visibility']; status?: Post['status'] },
  ) => {
    const rest = {
      photos: [],
      categories: [],
      status: 'published' as const,
      visibility: 'public' as const,
      ...more,
    };
    return (
      await porchlight.call('posts.create', { requestId: content.replaceAll(' ', '-'), content, ...rest })
    ).url;
  };
  const urls = [
    await post('a private post', { visibility: 'private' }),
    await post('an unlisted post', { visibility: 'unlisted' }),
    await post('a draft of the owner', { status: 'draft' }),
  ];
  const open = await post('a public post', {});
  for (const url of urls)
    expect((await call('read_post', { url })).body.result).toMatchObject({ isError: true });
  expect((await call('read_post', { url: open })).body.result).toMatchObject({
    structuredContent: { text: 'a public post' },
  });
  const found = JSON.stringify([
    await call('search_posts', {}),
    await call('search_posts', { own_drafts: true }),
  ]);
  expect(found).toContain('a public post');
  for (const text of ['private post', 'unlisted post', 'draft of the owner'])
    expect(found).not.toContain(text);
});

test('a draft that the owner has made private is the owner’s, and an assistant sees it no more', async () => {
  const { body } = await call('write_draft', { text: 'A secret of the owner by now' });
  const { url } = body.result?.['structuredContent'] as { url: string };
  await scene.porchlight.call('posts.update', { url, visibility: 'private' });
  expect((await call('read_post', { url })).body.result).toMatchObject({ isError: true });
  expect(JSON.stringify(await call('search_posts', { own_drafts: true }))).not.toContain('A secret of');
});

test('resources need the scopes that the tools need', async () => {
  const { porchlight } = scene;
  const { url } = await porchlight.call('posts.create', {
    content: 'a resource',
    photos: [],
    categories: [],
    status: 'published',
    visibility: 'public',
  });
  const params = { uri: url };
  const read = (bearer: string) =>
    send(request('resources/read', params), headersOf('resources/read', url), bearer);
  expect(await (await read(token)).json()).toMatchObject({ result: { contents: [{ text: 'a resource' }] } });
  const scopes = ['read_mentions'];
  const reader = await porchlight.call('apps.issueToken', { label: 'Reader', scopes, assistant: true });
  expect((await read(reader.token)).status).toBe(403);
});

test('an app has few calls at a time, and another app is answered meanwhile', async () => {
  const other = await signedIn('draft', `${scene.porchlight.base}/mcp`);
  const body = JSON.stringify(request('tools/list'));
  /** Begins a call that doesn’t end. */
  const begin = (bearer: string) => {
    const sent = httpRequest(`${scene.porchlight.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    });
    sent.on('error', () => undefined);
    sent.write(body.slice(0, 5));
    return sent;
  };
  const open = Array.from({ length: 8 }, () => begin(token));
  const busy = () => send(request('tools/list'), headersOf('tools/list'));
  await expect.poll(async () => (await busy()).status).toBe(429);
  expect((await busy()).headers.get('retry-after')).toMatch(/^[1-9]/);
  expect((await send(request('tools/list'), headersOf('tools/list'), other)).status).toBe(200);
  for (const one of open) one.destroy();
  await expect.poll(async () => (await busy()).status).toBe(200);
});

test('an app that was signed out while its call arrived changes nothing', async () => {
  const { porchlight } = scene;
  const scopes = ['draft'];
  const issued = await porchlight.call('apps.issueToken', { label: 'Slow', scopes, assistant: true });
  const before = await porchlight.call('posts.list', {});
  const params = { name: 'write_draft', arguments: { text: 'late' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const sent = httpRequest(`${porchlight.base}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${issued.token}`,
      'content-type': 'application/json',
      'content-length': body.length,
    },
  });
  sent.write(body.slice(0, 5));
  // The token was checked once the call counts as a use of it.
  const isUsed = async () =>
    (await porchlight.call('apps.list', {})).find(({ id }) => id === issued.id)?.lastUsedAt !== null;
  await expect.poll(isUsed).toBe(true);
  await porchlight.call('apps.revoke', { id: issued.id });
  sent.end(body.slice(5));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(401);
  expect(await porchlight.call('posts.list', {})).toEqual(before);
});

test('a draft that the owner has changed, or has open with unsaved edits, is the owner’s', async () => {
  const { porchlight } = scene;
  const write = async (text: string) => {
    const { body } = await call('write_draft', { text });
    return body.result?.['structuredContent'] as { url: string; version: string };
  };
  const edit = async (draft: { url: string; version: string }) =>
    (await call('edit_draft', { url: draft.url, version: draft.version, text: 'changed by the assistant' }))
      .body.result;
  const refused = (words: string) => ({
    isError: true,
    content: [{ text: expect.stringContaining(words) as string }],
  });
  const changed = await write('one');
  await porchlight.call('posts.update', { url: changed.url, text: 'changed by the owner' });
  const after = (await call('read_post', { url: changed.url })).body.result?.['structuredContent'] as {
    version: string;
  };
  expect(await edit({ url: changed.url, version: after.version })).toMatchObject(refused('has changed'));
  const open = await write('two');
  const { version, ...text } = await porchlight.call('posts.source', { url: open.url });
  const edits = { post: { ...text, text: 'typing' }, version };
  await porchlight.call('posts.keepEdits', { url: open.url, edits });
  expect(await edit(open)).toMatchObject(refused('is editing'));
  const stale = await write('three');
  expect(await edit({ ...stale, version: 'another' })).toMatchObject(refused('Read it again'));
  expect(await edit(stale)).not.toHaveProperty('isError');
});

test('Apps says what an assistant did, and the activity each call that writes', async () => {
  const [app] = await scene.porchlight
    .call('apps.list', {})
    .then((apps) => apps.filter(({ calls }) => calls));
  expect(app?.calls).toMatch(/read \d+ posts?, wrote \d+ drafts?, changed 1 draft/);
  const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
  const uploader = await signedIn('draft media', `${scene.porchlight.base}/mcp`);
  const { body } = await call('upload_photo', { base64: gif, name: 'dot.gif' }, uploader);
  const { url } = body.result?.['structuredContent'] as { url: string };
  expect((await fetch(url)).headers.get('content-type')).toBe('image/gif');
  const words = (await scene.porchlight.call('activity.list', {})).items.map((item) => item.words);
  expect(words).toContainEqual(expect.stringContaining('uploaded the file dot.gif'));
  expect(words).toContainEqual(expect.stringContaining('saved a draft'));
  const text = await call(
    'upload_photo',
    { base64: Buffer.from('<svg/>').toString('base64'), name: 'x.gif' },
    uploader,
  );
  expect(text.body.result).toMatchObject({ isError: true });
});

test('while assistants are off, none of their addresses exist', async () => {
  const { base } = scene.porchlight;
  const { porchlight } = scene;
  await porchlight.call('settings.update', { assistants: { on: false } });
  const paths = [
    '/mcp',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/clients/cursor.json',
  ];
  for (const path of paths) expect((await fetch(`${base}${path}`)).status).toBe(404);
  expect((await send(request('tools/list'))).status).toBe(404);
  await porchlight.call('settings.update', { assistants: { on: true } });
  const cursor = (await (await fetch(`${base}/clients/cursor.json`)).json()) as { client_id: string };
  expect(cursor.client_id).toBe(`${base}/clients/cursor.json`);
});
