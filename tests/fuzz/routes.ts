/** A route as it is registered. */
export interface Route {
  readonly methods: readonly string[];
  /** Fastify's spelling: `:name` and `*` stand for what a visitor chooses. */
  readonly path: string;
}

const reading = ['GET', 'HEAD'] as const;
const route = (path: string, ...methods: readonly string[]): Route => ({ path, methods });
const lists = ['/api/mentions', '/api/links'];

/** The route of one part of a large sitemap. */
export const sitemapPart = '/sitemap-:part(^\\d{1,6}).xml';

/** Every route of the public listener. A test compares this list with what the server registers. */
export const publicRoutes: readonly Route[] = [
  route('/', ...reading),
  route('/posts/*', ...reading),
  route('/categories/*', ...reading),
  route('/categories', ...reading),
  route('/kinds/*', ...reading),
  route('/archive', ...reading),
  route('/search', ...reading),
  route('/feed.atom', ...reading),
  route('/feed.rss', ...reading),
  route('/feed.json', ...reading),
  route('/sitemap.xml', ...reading),
  route(sitemapPart, ...reading),
  route('/robots.txt', ...reading),
  route('/favicon.ico', ...reading),
  route('/apple-touch-icon.png', ...reading),
  route('/.well-known/oauth-authorization-server', ...reading),
  route('/.well-known/jwks.json', ...reading),
  route('/auth', ...reading, 'POST'),
  route('/auth/requests', 'POST'),
  route('/auth/requests/:id', ...reading),
  route('/auth/requests/:id/cancel', 'POST'),
  route('/auth/requests/:id/state', ...reading),
  route('/.well-known/oauth-protected-resource', ...reading),
  route('/.well-known/oauth-protected-resource/mcp', ...reading),
  route('/mcp', ...reading, 'POST', 'DELETE'),
  route('/phone', ...reading),
  route('/phone/waiting', ...reading),
  route('/phone/question', ...reading),
  route('/phone/pair', 'POST'),
  route('/phone/open', 'POST'),
  route('/phone/decide', 'POST'),
  route('/phone/subscription', 'POST', 'DELETE'),
  route('/phone/worker.js', ...reading),
  route('/phone/manifest.webmanifest', ...reading),
  route('/clients/cursor.json', ...reading),
  route('/clients/gemini-cli.json', ...reading),
  route('/token', ...reading, 'POST'),
  route('/introspect', 'POST'),
  route('/userinfo', ...reading),
  route('/revoke', 'POST'),
  route('/micropub', ...reading, 'POST'),
  route('/media', ...reading, 'POST'),
  route('/media/:year/:month/:file', ...reading),
  route('/photo/:name', ...reading),
  route('/websub', 'POST'),
  route('/webmention', ...reading, 'POST', 'DELETE'),
  route('/webmention/:token', ...reading),
  route('/webmention-pictures/:file', ...reading),
  route('/process', 'GET'),
  route('/import', 'GET'),
  route('/webmentions', ...reading),
  route('/webmentions/export.jf2', ...reading),
  ...lists.flatMap((list) =>
    ['', '.json', '.jf2', '.atom', '.html'].map((end) => route(list + end, ...reading)),
  ),
  route('/api/count', ...reading),
  route('/api/count.json', ...reading),
  route('/.well-known/porchlight-check', ...reading, 'POST'),
  route('/.well-known/porchlight-check/redirect', ...reading),
  route('/.well-known/porchlight-check/page', ...reading),
  route('/test-sign-in/:id', 'GET'),
  route('/test-sign-in/:id/done', 'GET'),
];
