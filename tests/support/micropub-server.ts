import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Settings } from '../../src-main/contract/settings.ts';
import { buildPublicApp } from '../../src-main/http/app.ts';
import { type Authorize, tokenOf } from '../../src-main/http/bearer.ts';
import { invalidToken, noToken } from '../../src-main/http/errors.ts';
import { mediaEndpoint } from '../../src-main/media/media-endpoint.ts';
import type { MediaFile } from '../../src-main/media/media-store.ts';
import { micropubRoutes } from '../../src-main/posts/micropub/routes.ts';
import type { AdoptedPosts, ChangedPost } from '../../src-main/posts/post-store.ts';
import { markdownHtml } from '../../src-main/posts/markdown.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { keepNothing } from './keep-nothing.ts';
import { memoryMedia, type MemoryMedia } from './memory-media.ts';
import { homeUrl, memoryPosts } from './memory-posts.ts';

/** Every scope that has to do with posts, as one token. */
export const fullToken = 'create.update.delete.undelete';

/** The name of the app that sends Markdown as plain text. */
export const markdownApp = 'markdown-app';

/** A file may have 1 MB here. */
export const fileLimit = 1_000_000;

/** What the memory's store takes for a picture: some bytes that no two pictures share. */
export function picture(bytes = 1000): Blob {
  const content = new Uint8Array(bytes).fill(1);
  content.set(randomBytes(Math.min(bytes, 16)));
  content.set([0xff, 0xd8, 0xff]);
  return new Blob([content], { type: 'image/jpeg' });
}

/** A multipart form in the order of its entries: texts, and files with their names. */
export function filled(
  entries: Record<string, string | [Blob, string]> | [string, string | [Blob, string]][],
): FormData {
  const data = new FormData();
  for (const [name, value] of Array.isArray(entries) ? entries : Object.entries(entries)) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, ...value);
  }
  return data;
}

interface SendOptions {
  token?: string | null;
  type?: string;
}

export interface MicropubServer {
  readonly base: string;
  readonly endpoint: string;
  readonly posts: ReturnType<typeof memoryPosts>;
  /** The status for a new public post: 202 if the posts have homes, where they are not live yet. */
  readonly created: 201 | 202;
  /** The URL of the public post with a slug. */
  urlOf(slug: string): string;
  readonly settings: Settings['micropub'];
  readonly mediaEndpoint: string;
  readonly media: MemoryMedia;
  readonly changes: ChangedPost[];
  /** The files of the adopted posts that were changed. */
  readonly adoptedChanges: string[];
  readonly mediaChanges: { change: string; file: MediaFile }[];
  /** What time it is, in ms. */
  readonly clock: { now: number };
  /** POST with a token in the header (null: none). */
  send(body: BodyInit | object, options?: SendOptions): Promise<Response>;
  /** The same, to the media endpoint. */
  sendMedia(body: BodyInit | object, options?: SendOptions): Promise<Response>;
  /** Uploads a file; its address. */
  upload(file?: Blob, name?: string): Promise<string>;
  /** Creates from JSON properties; the new address. */
  create(properties: object, token?: string): Promise<string>;
  query(query: string, token?: string | null): Promise<Response>;
  queryMedia(query: string, token?: string | null): Promise<Response>;
  /** The stored properties as q=source tells them. */
  source(url: string): Promise<{ type: string[]; properties: Record<string, unknown[]> }>;
  close(): Promise<void>;
}

/**
 * The Micropub and the media endpoint over HTTP, posts and files in memory. A token is a list of scopes with dots between, `none` has none;
 * `unknown` does not count. Behind an @ may stand the name of the app; without it, all tokens are of one app. With
 * `homes`, public posts have URLs of their own on the owner's site. `adopted`: posts that were already there. `zone`: the owner's time zone.
 */
export async function openMicropub({
  homes = false,
  adopted,
  zone = () => 'UTC',
}: { homes?: boolean; adopted?: AdoptedPosts; zone?: () => string } = {}): Promise<MicropubServer> {
  const posts = memoryPosts({ homes });
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const media = memoryMedia(() => clock.now, fileLimit);
  const changes: MicropubServer['changes'] = [];
  const adoptedChanges: string[] = [];
  const mediaChanges: MicropubServer['mediaChanges'] = [];
  const settings: Settings['micropub'] = {
    categories: ['chosen'],
    channels: [{ uid: 'notes', name: 'Notes' }],
    syndicateTo: [{ uid: 'https://social.example/@ada', name: 'Social' }],
    mediaLimitBytes: fileLimit,
    removePhotoMetadata: true,
  };
  let base = '';
  const authorize: Authorize = (request, bodyToken) => {
    const token = tokenOf(request, bodyToken);
    if (token === undefined) throw noToken();
    if (token === 'unknown') throw invalidToken();
    const [words = '', app] = token.split('@');
    const scopes = words === 'none' ? [] : words.split('.');
    return Promise.resolve({ scopes, grantId: 'grant-1', app: app ?? 'https://client.example/' });
  };
  const micropub = micropubRoutes({
    base: () => base,
    posts,
    adopted,
    settings: () => settings,
    markdownApps: {
      has: (app) => app === markdownApp,
      toHtml: (text) => Promise.resolve(markdownHtml(text)),
    },
    now: () => clock.now,
    zone,
    appName: () => 'Quill',
    adoptedChanged({ post }) {
      adoptedChanges.push(post.file);
      return Promise.resolve();
    },
    changed: async (changedPost) => {
      await nextTurn();
      changes.push(changedPost);
    },
    mostBytes: () => settings.mediaLimitBytes,
    kept: keepNothing(() => clock.now),
    authorize,
    async keepFile(content, about) {
      const file = await media.add(content, about);
      return {
        url: new URL(file.path, base).href,
        async discard() {
          await media.delete(file.path);
        },
      };
    },
  });
  const files = mediaEndpoint({
    store: media,
    base: () => base,
    authorize,
    limitBytes: () => fileLimit,
    deletedBy: () => Promise.resolve(),
    changed(file, change) {
      mediaChanges.push({ file, change });
      return Promise.resolve();
    },
    now: () => clock.now,
  });
  const app = await buildPublicApp({
    log: silentLog,
    features: [micropub, files],
    closing: () => undefined,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const endpoint = `${base}/micropub`;
  const mediaAddress = `${base}/media`;
  const bearer = (token: string | null): Record<string, string> =>
    token === null ? {} : { authorization: `Bearer ${token}` };

  function sendTo(address: string, body: BodyInit | object, { token = fullToken, type }: SendOptions = {}) {
    const ready = typeof body === 'string' || body instanceof URLSearchParams || body instanceof FormData;
    return fetch(address, {
      method: 'POST',
      body: ready ? body : JSON.stringify(body),
      headers: {
        ...bearer(token),
        ...(ready ? {} : { 'content-type': 'application/json' }),
        ...(type !== undefined && { 'content-type': type }),
      },
    });
  }

  const server: MicropubServer = {
    base,
    endpoint,
    mediaEndpoint: mediaAddress,
    posts,
    created: homes ? 202 : 201,
    urlOf: (slug) => (homes ? homeUrl(slug) : `${base}/posts/2026/11/${slug}`),
    media,
    settings,
    changes,
    adoptedChanges,
    mediaChanges,
    clock,

    send: (body, options) => sendTo(endpoint, body, options),
    sendMedia: (body, options) => sendTo(mediaAddress, body, options),

    async upload(file = picture(), name = 'photo.jpg') {
      const response = await server.sendMedia(filled({ file: [file, name] }));
      if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
      return response.headers.get('location') ?? '';
    },

    async create(properties, token) {
      const response = await server.send({ type: ['h-entry'], properties }, token ? { token } : {});
      if (![201, 202].includes(response.status))
        throw new Error(`${response.status}: ${await response.text()}`);
      return response.headers.get('location') ?? '';
    },

    query: (query, token = fullToken) => fetch(`${endpoint}?${query}`, { headers: bearer(token) }),
    queryMedia: (query, token = fullToken) => fetch(`${mediaAddress}?${query}`, { headers: bearer(token) }),

    async source(url) {
      const response = await server.query(`q=source&url=${encodeURIComponent(url)}`);
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
      return (await response.json()) as Awaited<ReturnType<MicropubServer['source']>>;
    },

    close: () => app.close(),
  };
  return server;
}
