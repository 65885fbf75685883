import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promptWords } from '../../../src-main/desktop/dialog-words.ts';
import { permissionsOf } from '../../../src-main/sign-in/scope.ts';
import { jsonOf } from '../../support/answers.ts';
import { filled } from '../../support/micropub-server.ts';
import { openScene, owner, type Scene } from '../../support/scene.ts';
import { authorizationUrl } from '../../support/sign-in.ts';

/** Every scope that has to do with posts and files. */
const full = ['create', 'draft', 'update', 'delete', 'undelete', 'media'];
const gif = new Blob([Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')], {
  type: 'image/gif',
});
const dayMs = 86_400_000;

let scene: Scene;
let issued = 0;

/** A token issued by hand is an app of its own. */
async function tokenOf(scopes: readonly string[]): Promise<string> {
  const label = `App ${(issued += 1)}`;
  return (await scene.porchlight.call('apps.issueToken', { label, scopes: [...scopes] })).token;
}

const at = (path: string, token: string, init: RequestInit = {}) =>
  fetch(`${scene.porchlight.base}${path}`, {
    ...init,
    headers: { ...Object.fromEntries(new Headers(init.headers)), authorization: `Bearer ${token}` },
  });
const act = (body: object, token: string) =>
  at('/micropub', token, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
const source = (url: string, token: string) => at(`/micropub?q=source&url=${encodeURIComponent(url)}`, token);

async function create(properties: object, token: string): Promise<string> {
  const response = await act({ type: ['h-entry'], properties }, token);
  expect(response.status).toBe(201);
  return response.headers.get('location') ?? '';
}

async function upload(token: string): Promise<Response> {
  return at('/media', token, { method: 'POST', body: filled({ file: [gif, 'a.gif'] }) });
}

const removeFile = (url: string, token: string) =>
  at('/media', token, { method: 'POST', body: new URLSearchParams({ action: 'delete', url }) });

/** Another app's posts, one of each kind. */
const kinds = {
  public: {},
  unlisted: { visibility: ['unlisted'] },
  private: { visibility: ['private'] },
  draft: { 'post-status': ['draft'] },
  scheduled: { published: [new Date(Date.now() + 30 * dayMs).toISOString()] },
};
type Kind = keyof typeof kinds;
const everyKind = Object.keys(kinds) as Kind[];

async function seeded(token: string): Promise<Record<Kind, string>> {
  const urls = await Promise.all(
    everyKind.map((kind) => create({ content: [kind], category: [`of-${kind}`], ...kinds[kind] }, token)),
  );
  return Object.fromEntries(everyKind.map((kind, index) => [kind, urls[index]])) as Record<Kind, string>;
}

let others = '';
let posts: Record<Kind, string>;
let file = '';

beforeAll(async () => {
  scene = await openScene();
  await scene.porchlight.call('settings.update', {
    micropub: { syndicateTo: [{ uid: 'https://social.example/', name: 'Social' }] },
  });
  others = await tokenOf(full);
  posts = await seeded(others);
  file = (await upload(others)).headers.get('location') ?? '';
});
afterAll(() => scene.close());

interface Access {
  /** What a new post becomes. */
  readonly creates?: 'published' | 'draft';
  /** Kinds of the posts of other apps that it sees at their address, and in lists. */
  readonly sees?: readonly Kind[];
  readonly lists?: readonly Kind[];
  readonly updates?: true;
  readonly deletes?: true;
  readonly undeletes?: true;
  readonly uploads?: true;
  /** Whose files it lists. */
  readonly files?: 'all' | 'own';
  /** Whose files it deletes. */
  readonly deletesFiles?: 'all' | 'own';
  /** Cross-posting targets and categories. */
  readonly configuration?: 'all' | 'public';
  readonly userinfo?: readonly string[];
}

const profile = ['name', 'url', 'photo'];

/** Each scope, and each pair in which one scope changes the meaning of the other: what it allows. All else is refused. */
const matrix: Record<string, Access> = {
  profile: { userinfo: profile },
  'profile email': { userinfo: [...profile, 'email'] },
  create: { creates: 'published', uploads: true, files: 'own', configuration: 'public' },
  post: { creates: 'published', uploads: true, files: 'own', configuration: 'public' },
  draft: { creates: 'draft', configuration: 'public' },
  update: {
    updates: true,
    sees: everyKind,
    lists: ['public', 'unlisted', 'private', 'draft', 'scheduled'],
    configuration: 'all',
  },
  delete: { deletes: true, undeletes: true },
  undelete: { undeletes: true },
  media: { uploads: true, files: 'all' },
  read: {},
  follow: {},
  mute: {},
  block: {},
  channels: {},
  'brew:coffee': {},
  'create delete': {
    creates: 'published',
    uploads: true,
    files: 'own',
    deletesFiles: 'own',
    configuration: 'public',
    deletes: true,
    undeletes: true,
  },
  'media delete': { uploads: true, files: 'all', deletesFiles: 'all', deletes: true, undeletes: true },
};

describe.each(Object.entries(matrix))('IA-70 MP-3 the scope %s', (scope, access) => {
  const scopes = scope.split(' ');
  const { sees = ['public', 'unlisted'], lists = ['public'] } = access;
  let token = '';
  beforeAll(async () => void (token = await tokenOf(scopes)));

  test(`creates: ${access.creates ?? 'nothing'}`, async () => {
    const response = await act({ type: ['h-entry'], properties: { content: ['mine'] } }, token);
    expect(response.status).toBe(access.creates === undefined ? 403 : 201);
    if (access.creates === undefined) return;
    const { properties } = (await jsonOf(await source(response.headers.get('location') ?? '', others))) as {
      properties: Record<string, unknown>;
    };
    expect(properties['post-status'] ?? ['published']).toEqual([access.creates]);
  });

  test(`sees of the posts of others: ${sees.join(', ')}`, async () => {
    const unknown = await source(`${scene.porchlight.base}/posts/2026/11/unknown`, token);
    const refusal = await unknown.text();
    for (const kind of everyKind) {
      const response = await source(posts[kind], token);
      const text = await response.text();
      if (sees.includes(kind)) expect(response.status).toBe(200);
      // The same answer as for an address that never was: it does not tell that there is a draft.
      else expect([kind, response.status, text]).toEqual([kind, unknown.status, refusal]);
    }
  });

  test(`finds in lists, however they are asked for: ${lists.join(', ')}`, async () => {
    for (const query of [
      '',
      '&post-status=draft',
      '&visibility=private',
      '&filter=',
      '&offset=1',
      '&limit=1',
    ]) {
      const found = new Set<string>();
      let next = '';
      do {
        const answer = await at(`/micropub?q=source${query}${next}`, token);
        const { items, paging } = (await answer.json()) as {
          items: { properties: { url: string[] } }[];
          paging: { after?: string };
        };
        for (const { properties } of items) found.add(properties.url[0] ?? '');
        next = paging.after === undefined ? '' : `&after=${paging.after}`;
      } while (next !== '');
      for (const kind of everyKind) if (!lists.includes(kind)) expect(found).not.toContain(posts[kind]);
      if (query === '') for (const kind of lists) expect(found).toContain(posts[kind]);
    }
  });

  test(`sees the categories and targets: ${access.configuration ?? 'nothing'}`, async () => {
    const text =
      (await (await at('/micropub', token)).text()) +
      (await (await at('/micropub?q=category', token)).text());
    expect(text.includes('social.example')).toBe(access.configuration !== undefined);
    expect(text.includes('of-public')).toBe(access.configuration !== undefined);
    for (const kind of ['private', 'draft', 'scheduled', 'unlisted'])
      expect(text.includes(`of-${kind}`)).toBe(access.configuration === 'all');
  });

  test(`updates: ${access.updates ? 'yes' : 'no'}; publishes no draft by it`, async () => {
    const url = await create({ content: ['before'] }, others);
    const response = await act({ action: 'update', url, replace: { content: ['after'] } }, token);
    expect(response.status).toBe(access.updates ? 204 : 403);
    const draft = { action: 'update', url: posts.draft, replace: { 'post-status': ['published'] } };
    expect((await act(draft, token)).status).toBe(403);
    expect((await fetch(posts.draft)).status).toBe(404);
  });

  test(`deletes: ${access.deletes ? 'what it sees' : 'nothing'}, undeletes: ${access.undeletes ? 'what it sees' : 'nothing'}`, async () => {
    const url = await create({ content: ['x'] }, others);
    expect((await act({ action: 'delete', url }, token)).status).toBe(access.deletes ? 204 : 403);
    await act({ action: 'delete', url }, others);
    expect((await act({ action: 'undelete', url }, token)).status).toBe(access.undeletes ? 204 : 403);
    for (const kind of ['private', 'draft', 'scheduled'] as const) {
      for (const action of ['delete', 'undelete'] as const) {
        const answer = async (target: string) => {
          const response = await act({ action, url: target }, token);
          return [response.status, await response.text()];
        };
        expect(await answer(posts[kind])).toEqual(
          await answer(`${scene.porchlight.base}/posts/2026/11/unknown`),
        );
      }
      expect((await source(posts[kind], others)).status).toBe(200);
    }
  });

  test(`uploads: ${access.uploads ? 'yes' : 'no'}; files that it lists: ${access.files ?? 'none'}`, async () => {
    const sent = await upload(token);
    expect(sent.status).toBe(access.uploads ? 201 : 403);
    const own = sent.headers.get('location') ?? '';
    const list = await at('/media?q=source&limit=100', token);
    expect(list.status).toBe(access.files === undefined ? 403 : 200);
    const text = await list.text();
    expect(text.includes(file)).toBe(access.files === 'all');
    expect(access.files !== undefined && text.includes(own)).toBe(access.files !== undefined);
    const foreign = await at(`/media?q=source&url=${encodeURIComponent(file)}`, token);
    expect(foreign.status).toBe(access.files === 'all' ? 200 : access.files === 'own' ? 400 : 403);
    if (access.files === 'own') {
      await upload(others);
      expect(await (await at('/media?q=last', token)).json()).toEqual({ url: own });
    }
  });

  test(`deletes files: ${access.deletesFiles ?? 'none'}`, async () => {
    const foreign = (await upload(others)).headers.get('location') ?? '';
    const { deletesFiles } = access;
    const expected = deletesFiles === 'all' ? 204 : deletesFiles === 'own' ? 400 : 403;
    expect((await removeFile(foreign, token)).status).toBe(expected);
    expect((await fetch(foreign)).status).toBe(expected === 204 ? 410 : 200);
    if (deletesFiles === undefined) return;
    const own = (await upload(token)).headers.get('location') ?? '';
    expect((await removeFile(own, token)).status).toBe(204);
  });

  test(`userinfo: ${access.userinfo?.join(', ') ?? 'refused'}`, async () => {
    const response = await at('/userinfo', token);
    expect(response.status).toBe(access.userinfo === undefined ? 403 : 200);
    if (access.userinfo === undefined) return;
    const expected = Object.entries(owner).filter(([name]) => access.userinfo?.includes(name));
    expect(await jsonOf(response)).toEqual(Object.fromEntries(expected));
  });

  test('verification and introspection describe the token itself, and no more', async () => {
    const about = {
      me: expect.any(String) as unknown,
      scope,
      client_id: expect.any(String) as unknown,
      active: 'true',
    };
    expect(await jsonOf(await at('/token', token))).toEqual(about);
    expect(await jsonOf(await at('/introspect', token, { method: 'POST' }))).toEqual(about);
  });
});

describe('the posts that an app created', () => {
  const draft = {
    content: ['mine'],
    'post-status': ['draft'],
    location: ['geo:1,2'],
    'location-visibility': ['private'],
  };
  const signIn = async (scope: string) => (await scene.tokens(scene.request({ scope }))).access_token;

  test('are visible to it, place included, also after it signed in again with fewer scopes', async () => {
    const url = await create(draft, await signIn('draft'));
    for (const scope of ['draft', 'create', 'media']) {
      const response = await source(url, await signIn(scope));
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('geo:1,2');
    }
    expect(await (await at('/micropub?q=source', await signIn('draft'))).text()).toContain(url);
    expect((await source(url, await tokenOf(['create']))).status).toBe(400);
  });

  test('an app may delete its own posts, including drafts', async () => {
    const url = await create(draft, await signIn('draft'));
    expect((await act({ action: 'delete', url }, await signIn('delete'))).status).toBe(204);
    expect((await act({ action: 'undelete', url }, await signIn('undelete'))).status).toBe(204);
    expect((await source(url, await signIn('draft'))).status).toBe(200);
  });

  test('stays its own through a change that moves it', async () => {
    const url = await create(draft, await signIn('draft'));
    const moved = await act({ action: 'update', url, replace: { 'mp-slug': ['elsewhere'] } }, others);
    expect(moved.status).toBe(201);
    const token = await signIn('draft');
    for (const address of [url, moved.headers.get('location') ?? ''])
      expect((await source(address, token)).status).toBe(200);
    expect((await source(url, await tokenOf(['draft']))).status).toBe(400);
  });

  test('of files it lists those of its multipart posts too', async () => {
    const token = await signIn('create');
    const sent = await at('/micropub', token, {
      method: 'POST',
      body: filled({ content: 'x', photo: [gif, 'b.gif'] }),
    });
    expect(sent.status).toBe(201);
    const { items } = (await (await at('/media?q=source', await signIn('create'))).json()) as {
      items: object[];
    };
    expect(items).toHaveLength(1);
  });
});

test('IA-70 the request page, the prompt, the window and the list of apps say the same about each scope', async () => {
  const scopes = [...new Set(Object.keys(matrix).flatMap((scope) => scope.split(' ')))];
  const request = scene.request({ scope: scopes.join(' ') });
  const stated = permissionsOf(scopes);
  const text = await (await fetch(authorizationUrl(scene.porchlight.base, request))).text();
  const waiting = await scene.ask(request);
  const [signIn] = await scene.porchlight.call('signIns.list', {});
  await scene.tokens(scene.request({ scope: scopes.join(' ') }));
  const apps = await scene.porchlight.call('apps.list', {});

  expect(signIn?.permissions).toEqual(stated);
  expect(apps.map(({ permissions }) => permissions)).toContainEqual(stated);
  const prompt = signIn === undefined ? '' : promptWords(signIn).detail;
  for (const { scope, words } of stated) {
    expect(text).toContain(`<li><span>${words}</span><code>${scope}</code></li>`);
    expect(prompt).toContain(`• ${words} (${scope})`);
  }
  await scene.porchlight.call('signIns.deny', { id: waiting.id });
});
