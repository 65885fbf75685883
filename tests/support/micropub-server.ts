import type { AddressInfo } from 'node:net';
import type { Post } from '../../src-main/contract/posts.ts';
import type { Settings } from '../../src-main/contract/settings.ts';
import { buildPublicApp } from '../../src-main/http/app.ts';
import { tokenOf } from '../../src-main/http/bearer.ts';
import { invalidToken, noToken } from '../../src-main/http/errors.ts';
import { createMicropub, type PostChange } from '../../src-main/micropub/micropub.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { memoryPosts } from './memory-posts.ts';

/** Every scope that has to do with posts, as one token. */
export const fullToken = 'create.update.delete.undelete';

export interface MicropubServer {
  readonly base: string;
  readonly endpoint: string;
  readonly posts: ReturnType<typeof memoryPosts>;
  readonly settings: Settings['micropub'];
  readonly changes: { change: PostChange; url: string; post: Post }[];
  /** What time it is, in ms. */
  readonly clock: { now: number };
  /** POST with a token in the header (null: none). */
  send(body: BodyInit | object, options?: { token?: string | null; type?: string }): Promise<Response>;
  /** Creates from JSON properties; the new address. */
  create(properties: object, token?: string): Promise<string>;
  query(query: string, token?: string | null): Promise<Response>;
  /** The stored properties as q=source tells them. */
  source(url: string): Promise<{ type: string[]; properties: Record<string, unknown[]> }>;
  close(): Promise<void>;
}

/**
 * The Micropub endpoint over HTTP, posts in memory. A token is a list of scopes with dots between, `none` has none;
 * `unknown` does not count.
 */
export async function openMicropub(): Promise<MicropubServer> {
  const posts = memoryPosts();
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const changes: MicropubServer['changes'] = [];
  const settings: Settings['micropub'] = {
    categories: ['chosen'],
    channels: [{ uid: 'notes', name: 'Notes' }],
    syndicateTo: [{ uid: 'https://social.example/@ada', name: 'Social' }],
    mediaLimitBytes: 1_000_000,
    removePhotoMetadata: true,
  };
  let base = '';
  const { routes } = createMicropub({
    base: () => base,
    posts,
    settings: () => settings,
    now: () => clock.now,
    changed: (post, change, url) => void changes.push({ post, change, url }),
    authorize: (request, bodyToken) => {
      const token = tokenOf(request, bodyToken);
      if (token === undefined) throw noToken();
      if (token === 'unknown') throw invalidToken();
      const scopes = token === 'none' ? [] : token.split('.');
      return Promise.resolve({ scopes, clientId: 'https://client.example/' });
    },
  });
  const app = await buildPublicApp({ log: silentLog, features: routes, closing: () => undefined });
  await app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const endpoint = `${base}/micropub`;
  const bearer = (token: string | null): Record<string, string> =>
    token === null ? {} : { authorization: `Bearer ${token}` };

  const server: MicropubServer = {
    base,
    endpoint,
    posts,
    settings,
    changes,
    clock,

    send(body, { token = fullToken, type } = {}) {
      const ready = typeof body === 'string' || body instanceof URLSearchParams || body instanceof FormData;
      return fetch(endpoint, {
        method: 'POST',
        body: ready ? body : JSON.stringify(body),
        headers: {
          ...bearer(token),
          ...(ready ? {} : { 'content-type': 'application/json' }),
          ...(type !== undefined && { 'content-type': type }),
        },
      });
    },

    async create(properties, token) {
      const response = await server.send({ type: ['h-entry'], properties }, token ? { token } : {});
      if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
      return response.headers.get('location') ?? '';
    },

    query: (query, token = fullToken) => fetch(`${endpoint}?${query}`, { headers: bearer(token) }),

    async source(url) {
      const response = await server.query(`q=source&url=${encodeURIComponent(url)}`);
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
      return (await response.json()) as Awaited<ReturnType<MicropubServer['source']>>;
    },

    close: () => app.close(),
  };
  return server;
}
