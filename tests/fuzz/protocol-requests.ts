import type { Random } from './random.ts';
import type { Draft, Field } from './request.ts';
import { oddFile } from './odd-bodies.ts';
import { sitemapPart } from './routes.ts';
import type { Values } from './world.ts';

/** A valid request of a protocol, and the route that it is for. */
export interface Sample {
  readonly route: string;
  readonly draft: Draft;
}

type Make = (values: Values, random: Random) => Sample;

const value = (values: Values, name: string) => values[name] ?? '';
const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : '/');
const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : '');
const cookieOf = (text: string): Field => ['Cookie', `__Host-porchlight=${text}`];
const bearer = (token: string): Field => ['Authorization', `Bearer ${token}`];
const full = (values: Values) => [bearer(value(values, 'fullToken'))];

function get(route: string, query: (values: Values, random: Random) => Field[] = () => []): Make {
  return (values, random) => ({ route, draft: { method: 'GET', path: route, query: query(values, random) } });
}

function form(
  route: string,
  fields: (values: Values, random: Random) => Field[],
  headers?: (values: Values) => Field[],
): Make {
  return (values, random) => ({
    route,
    draft: {
      method: 'POST',
      path: route,
      headers: headers?.(values) ?? [],
      body: { kind: 'form', fields: fields(values, random) },
    },
  });
}

function micropubJson(make: (values: Values, random: Random) => unknown): Make {
  return (values, random) => ({
    route: '/micropub',
    draft: {
      method: 'POST',
      path: '/micropub',
      headers: full(values),
      body: { kind: 'json', value: make(values, random) },
    },
  });
}

const authorization = (values: Values, random: Random): Field[] => [
  ['response_type', 'code'],
  [
    'client_id',
    random.chance(0.8) ? value(values, 'clientId') : `${value(values, 'site')}/source-${random.below(60)}`,
  ],
  ['redirect_uri', value(values, 'redirectUri')],
  ['state', random.hex(8)],
  ['code_challenge', value(values, 'challenge')],
  ['code_challenge_method', 'S256'],
  ['scope', random.pick(['create', 'profile email', 'create update delete media', ''])],
  ['me', value(values, 'me')],
];

const redemption = (values: Values): Field[] => [
  ['grant_type', 'authorization_code'],
  ['code', value(values, 'code')],
  ['client_id', value(values, 'clientId')],
  ['redirect_uri', value(values, 'redirectUri')],
  ['code_verifier', value(values, 'verifier')],
];

const anyToken = (values: Values, random: Random) =>
  value(values, random.pick(['fullToken', 'readToken', 'grantAccess', 'grantRefresh', 'managementToken']));

const pair = (values: Values, random: Random): Field[] => [
  ['source', `${value(values, 'site')}/source-${random.below(50)}`],
  ['target', random.pick([value(values, 'target'), value(values, 'postUrl'), value(values, 'me')])],
];

const reading = (values: Values, random: Random): Field[] => [
  ['target', random.pick([value(values, 'target'), value(values, 'postUrl')])],
  ...random.pick<Field[]>([
    [],
    [
      ['per-page', '5'],
      ['page', '1'],
    ],
    [
      ['sort-by', 'published'],
      ['sort-dir', 'up'],
    ],
    [['wm-property', 'in-reply-to']],
    [['since', '2026-01-01T00:00:00Z']],
    [['since_id', '3']],
    [['jsonp', 'callback']],
    [
      ['domain', 'owner.example'],
      ['token', value(values, 'managementToken')],
    ],
  ]),
];

const readingRoutes = ['/api/mentions', '/api/links'].flatMap((list) =>
  ['', '.json', '.jf2', '.atom', '.html'].map((end) => list + end),
);

/** Valid requests of every protocol, one function for each kind. */
const samples: readonly Make[] = [
  get('/auth', authorization),
  get('/auth', authorization),
  form(
    '/auth/requests',
    (values) => [
      ['request', value(values, 'authQuery')],
      ['proof', value(values, 'proof')],
    ],
    (values) => [cookieOf(value(values, 'cookie'))],
  ),
  (values) => ({
    route: '/auth/requests/:id',
    draft: {
      method: 'GET',
      path: `/auth/requests/${value(values, 'waitingId')}`,
      headers: [cookieOf(value(values, 'waitingCookie'))],
    },
  }),
  (values) => ({
    route: '/auth/requests/:id/cancel',
    draft: {
      method: 'POST',
      path: `/auth/requests/${value(values, 'waitingId')}/cancel`,
      headers: [cookieOf(value(values, 'waitingCookie'))],
      // The proof of another page: the sign-in has to wait for the requests after this one.
      body: { kind: 'form', fields: [['proof', value(values, 'proof')]] },
    },
  }),
  (values) => ({
    route: '/auth/requests/:id/state',
    draft: {
      method: 'GET',
      path: `/auth/requests/${value(values, 'waitingId')}/state`,
      headers: [cookieOf(value(values, 'waitingCookie'))],
    },
  }),
  form('/token', redemption),
  form('/auth', redemption),
  form('/token', (values) => [
    ['grant_type', 'refresh_token'],
    ['refresh_token', value(values, 'grantRefresh')],
    ['client_id', value(values, 'clientId')],
  ]),
  (values, random) => ({
    route: '/token',
    draft: { method: 'GET', path: '/token', headers: [bearer(anyToken(values, random))] },
  }),
  form('/introspect', (values, random) => [['token', anyToken(values, random)]], full),
  form('/revoke', (values) => [['token', value(values, 'grantAccess')]]),
  (values, random) => ({
    route: '/userinfo',
    draft: { method: 'GET', path: '/userinfo', headers: [bearer(anyToken(values, random))] },
  }),
  form(
    '/micropub',
    (_values, random) => [
      ['h', 'entry'],
      ['content', `Hello ${random.hex(6)}`],
      ['category[]', 'fuzz'],
      ['published', '2026-11-22T00:00:00+01:00'],
      ['post-status', random.pick(['published', 'draft'])],
      ['mp-slug', random.hex(6)],
    ],
    full,
  ),
  micropubJson((values, random) => ({
    type: ['h-entry'],
    properties: {
      content: [random.pick<unknown>(['text', { html: '<b>bold</b> <a href="http://127.0.0.1:1/">x</a>' }])],
      category: ['fuzz'],
      'in-reply-to': [value(values, 'source')],
      photo: [
        random.pick<unknown>([value(values, 'picture'), { value: value(values, 'picture'), alt: 'A dot' }]),
      ],
      visibility: [random.pick(['public', 'private', 'unlisted'])],
      location: [{ type: ['h-geo'], properties: { latitude: ['1'], longitude: ['2'] } }],
    },
  })),
  micropubJson((values, random) => ({
    action: 'update',
    url: value(values, 'postUrl'),
    ...random.pick<object>([
      { replace: { content: ['replaced'] } },
      { add: { category: ['more'], syndication: [value(values, 'source')] } },
      { delete: ['category'] },
      { delete: { category: ['more'] } },
    ]),
  })),
  micropubJson((values, random) => ({
    action: random.pick(['delete', 'undelete']),
    url: value(values, 'postUrl'),
  })),
  form(
    '/micropub',
    (values, random) => [
      ['action', random.pick(['delete', 'undelete'])],
      ['url', value(values, 'postUrl')],
    ],
    full,
  ),
  (values, random) => ({
    route: '/micropub',
    draft: {
      method: 'GET',
      path: '/micropub',
      headers: full(values),
      query: random.pick<Field[]>([
        [['q', 'config']],
        [
          ['q', 'source'],
          ['url', value(values, 'postUrl')],
          ['properties[]', 'content'],
        ],
        [
          ['q', 'source'],
          ['limit', '3'],
          ['post-type', 'note'],
        ],
        [
          ['q', 'category'],
          ['filter', 'fu'],
        ],
        [['q', 'syndicate-to']],
        [['q', 'post-types']],
        [['q', 'channel']],
        [],
      ]),
    },
  }),
  (values, random) => ({
    route: random.pick(['/micropub', '/media']),
    draft: {
      method: 'POST',
      path: random.pick(['/micropub', '/media']),
      headers: full(values),
      body: {
        kind: 'multipart',
        parts: [
          { name: 'h', value: Buffer.from('entry') },
          {
            name: random.pick(['file', 'photo', 'video']),
            filename: 'a.gif',
            type: 'image/gif',
            value: oddFile(random),
          },
        ],
      },
    },
  }),
  (values, random) => ({
    route: '/media',
    draft: {
      method: 'GET',
      path: '/media',
      headers: full(values),
      query: [
        ['q', random.pick(['source', 'config'])],
        ['limit', '5'],
        ['offset', '0'],
      ],
    },
  }),
  form(
    '/media',
    (values) => [
      ['action', 'delete'],
      ['url', `${value(values, 'mediaUrl')}-other`],
    ],
    full,
  ),
  form('/webmention', pair),
  form('/webmention', pair),
  (values, random) => ({
    route: '/webmention',
    draft: {
      method: 'DELETE',
      path: '/webmention',
      query: [['token', value(values, 'managementToken')], ...pair(values, random)],
    },
  }),
  get('/webmention', pair),
  get('/webmentions', (values, random) =>
    random.chance(0.7)
      ? [['url', value(values, 'target')]]
      : [['token', value(values, random.pick(['managementToken', 'fullToken']))]],
  ),
  get('/webmentions/export.jf2', (values) => [['token', value(values, 'managementToken')]]),
  get('/import', (values, random) => [
    ['token', value(values, random.chance(0.3) ? 'managementToken' : 'readToken')],
    ['aggregator', random.chance(0.5) ? value(values, 'aggregatorToken') : 'wrong'],
  ]),
  get('/process'),
  (values, random) => get(random.pick(readingRoutes), reading)(values, random),
  (values, random) => get(random.pick(['/api/count', '/api/count.json']), reading)(values, random),
  (values, random) =>
    get(
      random.pick([
        '/',
        '/feed.atom',
        '/feed.rss',
        '/feed.json',
        '/sitemap.xml',
        '/robots.txt',
        '/archive',
        '/categories',
      ]),
      () => [
        [
          random.pick(['before', 'after', 'cursor', 'page']),
          random.pick(['1', '', '2026-11-22T00:00:00.000Z', 'MjAyNi0xMQ']),
        ],
      ],
    )(values, random),
  (_values, random) => ({
    route: sitemapPart,
    draft: {
      method: 'GET',
      path: `/sitemap-${random.pick(['1', '2', '0', '999999', '1234567', '-1', 'x'])}.xml`,
    },
  }),
  (values) => ({ route: '/posts/*', draft: { method: 'GET', path: pathOf(value(values, 'postUrl')) } }),
  (values) => ({
    route: '/media/:year/:month/:file',
    draft: { method: 'GET', path: pathOf(value(values, 'mediaUrl')), headers: [['Range', 'bytes=0-2']] },
  }),
  (_values, random) => ({
    route: '/categories/*',
    draft: { method: 'GET', path: `/categories/${random.pick(['fuzz', 'none', '%E2%98%83', 'a/b'])}` },
  }),
  (_values, random) => {
    const place = random.pick([
      'note',
      'article',
      'none',
      'note/feed.atom',
      'photo/feed.json',
      'note/feed.exe',
    ]);
    return { route: '/kinds/*', draft: { method: 'GET', path: `/kinds/${place}` } };
  },
  (_values, random) => {
    const place = random.pick(['2026', '2026/', '2026/11/', '0000/', '2026/13/', '2026/11/feed.atom']);
    return { route: '/posts/*', draft: { method: 'GET', path: `/posts/${place}` } };
  },
  form('/websub', (values, random) => [
    ['hub.mode', random.pick(['subscribe', 'unsubscribe', 'publish', ''])],
    ['hub.callback', `${value(values, 'site')}/source-${random.below(50)}?a=b`],
    ['hub.topic', originOf(value(values, 'postUrl')) + random.pick(['/', '/feed.atom', '/nothing'])],
    ['hub.lease_seconds', random.pick(['60', '864000', '-1', '99999999999999'])],
    ['hub.secret', random.pick(['', 'secret', 'x'.repeat(300)])],
  ]),
  get('/search', (_values, random) => [
    ['q', random.pick(['fuzz', '"', 'a OR b NOT c*', 'x'.repeat(300), '日', '% _', 'a b c d e f g h i j'])],
    ...random.pick<Field[]>([[], [['after', 'YjAwMDE']]]),
  ]),
  get('/.well-known/oauth-authorization-server'),
  get('/.well-known/jwks.json'),
  get('/.well-known/porchlight-check', (_values, random) => [['nonce', random.hex(43)]]),
  (values) => ({
    route: '/webmention-pictures/:file',
    draft: { method: 'GET', path: `/webmention-pictures/${value(values, 'waitingId')}.webp` },
  }),
  (_values, random) => ({
    route: '/photo/:name',
    draft: { method: 'GET', path: `/photo/${random.hex(16)}.webp` },
  }),
  (_values, random) => ({
    route: 'the owner’s pages, which are no routes',
    draft: { method: 'GET', path: `/${random.pick(['about', 'now', 'no-page', '%61bout', '%E2%98%83'])}` },
  }),
  get('/favicon.ico', (_values, random) => [['v', random.hex(16)]]),
  get('/apple-touch-icon.png'),
];

/** Returns a valid request of some protocol. */
export const protocolSample = (values: Values, random: Random): Sample =>
  random.pick(samples)(values, random);

/** The names of fields that endpoints know. */
export const fieldNames = [
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'me',
  'grant_type',
  'code',
  'code_verifier',
  'refresh_token',
  'token',
  'request',
  'proof',
  'action',
  'url',
  'q',
  'h',
  'content',
  'category',
  'photo',
  'name',
  'published',
  'mp-slug',
  'post-status',
  'visibility',
  'properties',
  'source',
  'target',
  'aggregator',
  'per-page',
  'page',
  'since',
  'since_id',
  'sort-by',
  'sort-dir',
  'domain',
  'wm-property',
  'jsonp',
  'limit',
  'offset',
  'filter',
  'before',
  'after',
  'nonce',
  'access_token',
  'responses',
] as const;
