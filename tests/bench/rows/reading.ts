import { fromTunnel } from '../load.ts';
import { publicUrl, type Server } from '../servers.ts';
import type { RequestRow } from './request-row.ts';

const get = (path: string, headers: Record<string, string> = {}) => ({
  method: 'GET' as const,
  path,
  headers: { ...fromTunnel, ...headers },
});
const asApps = ({ tokens }: Server) => tokens.map((token) => ({ authorization: `Bearer ${token}` }));
const addressOf = ({ post }: Server) => encodeURIComponent(`${publicUrl}${post}`);

/** The requests that change nothing. They come through the tunnel, as those of visitors and apps do. */
export const readingRows: readonly RequestRow[] = [
  {
    name: 'metadata',
    title: 'metadata',
    status: 200,
    requests: () => [get('/.well-known/oauth-authorization-server')],
  },
  {
    name: 'introspection',
    title: 'introspection',
    status: 200,
    requests: (server) =>
      asApps(server).map((app) => ({
        method: 'POST',
        path: '/introspect',
        body: `token=${server.tokens[0] ?? ''}`,
        headers: { ...fromTunnel, ...app, 'content-type': 'application/x-www-form-urlencoded' },
      })),
    work: () => Promise.resolve({ kind: 'tokens', tokens: 2 }),
  },
  { name: 'home', title: 'home, 20 posts', status: 200, requests: () => [get('/')] },
  {
    name: 'post',
    title: 'post page, 20 responses',
    status: 200,
    requests: ({ post }) => [get(post)],
  },
  {
    name: 'feeds',
    title: 'Atom, RSS, JSON Feed',
    status: 200,
    requests: () => ['atom', 'rss', 'json'].map((format) => get(`/feed.${format}`)),
  },
  {
    name: 'config',
    title: 'q=config',
    status: 200,
    requests: (server) => asApps(server).map((app) => get('/micropub?q=config', app)),
  },
  {
    name: 'list',
    title: 'q=source, 20 posts',
    status: 200,
    requests: (server) => asApps(server).map((app) => get('/micropub?q=source&limit=20', app)),
  },
  {
    name: 'mentions',
    title: '/api/mentions.jf2?target, 20',
    status: 200,
    requests: (server) => [get(`/api/mentions.jf2?target=${addressOf(server)}`)],
  },
  {
    name: 'nothing',
    title: '/categories/nope',
    status: 404,
    requests: () => [get('/categories/nope')],
  },
  {
    name: 'sitemap',
    title: '/sitemap.xml',
    status: 200,
    requests: () => [get('/sitemap.xml')],
  },
  {
    name: 'search',
    title: '/search, a word of all posts',
    status: 200,
    requests: () => [get('/search?q=light')],
  },
  {
    // With much data, more of them exceed what the owner's programs may cost in a minute.
    name: 'listing',
    title: '/webmentions?token, per mention',
    status: 200,
    most: 4,
    operations: ({ mentions }) => mentions,
    requests: ({ house }) => [get(`/webmentions?token=${house.ready.managementToken}`)],
  },
];
