import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../../support/browser.ts';
import { json } from '../../support/client-app.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import type { SignInRequest } from '../../support/sign-in.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ allowPrivateFetch: true });
  await scene.porchlight.call('settings.update', { assistants: { on: true } });
  const clientId = `${scene.app.origin}/client.json`;
  scene.app.pages.set(
    '/client.json',
    json({
      client_id: clientId,
      client_name: 'Assistant',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    }),
  );
});
afterAll(() => scene.close());

type SigningIn = OAuthClientProvider & { readonly answer: Promise<URLSearchParams> };

/** A client that signs in as its SDK does, with the owner at the computer. */
function provider(scopes?: string[]): SigningIn {
  const clientId = `${scene.app.origin}/client.json`;
  let tokens: unknown;
  let verifier = '';
  let discovered: unknown;
  let answered: (answer: URLSearchParams) => void = () => undefined;
  const answer = new Promise<URLSearchParams>((resolve) => (answered = resolve));
  return {
    answer,
    redirectUrl: 'http://127.0.0.1:53682/callback',
    clientMetadataUrl: clientId,
    clientMetadata: { redirect_uris: ['http://127.0.0.1:53682/callback'], client_name: 'Assistant' },
    clientInformation: () => ({ client_id: clientId }),
    tokens: () => tokens as never,
    saveTokens: (saved: unknown) => void (tokens = saved),
    saveCodeVerifier: (text: string) => void (verifier = text),
    codeVerifier: () => verifier,
    state: () => 'a-state',
    saveDiscoveryState: (state: unknown) => void (discovered = state),
    discoveryState: () => discovered as never,
    async redirectToAuthorization(url: URL) {
      const parameters = Object.fromEntries(url.searchParams);
      const waiting = await scene.ask(
        { parameters } as unknown as SignInRequest,
        openBrowser(scene.porchlight.base),
      );
      await scene.approve(waiting, scopes ? { scopes } : {});
      answered((await scene.wayBack(waiting)).searchParams);
    },
  };
}

const address = () => new URL(`${scene.porchlight.base}/mcp`);

/** Connects as a client does: refused, sent to sign in, and again with the code. */
async function connected(versionNegotiation?: object): Promise<Client> {
  const authProvider = provider();
  const make = () =>
    new Client(
      { name: 'test', version: '1' },
      {
        ...(versionNegotiation && { versionNegotiation }),
      },
    );
  const first = new StreamableHTTPClientTransport(address(), { authProvider });
  await expect(make().connect(first)).rejects.toThrow(UnauthorizedError);
  await first.finishAuth(await authProvider.answer);
  const client = make();
  await client.connect(new StreamableHTTPClientTransport(address(), { authProvider }));
  return client;
}

describe.each([
  ['by default', undefined],
  ['with automatic negotiation', { mode: 'auto' }],
  ['pinned to 2026-07-28', { mode: { pin: '2026-07-28' } }],
])('@modelcontextprotocol/client %s', (_name, negotiation) => {
  test('signs in, lists the tools, writes a draft and edits it', async () => {
    const client = await connected(negotiation);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search_posts',
      'read_post',
      'write_draft',
      'edit_draft',
      'list_mentions',
      'read_mention',
      'post_counts',
      'upload_photo',
    ]);
    const written = await client.callTool({
      name: 'write_draft',
      arguments: { title: 'Tea', text: 'A *pot* of tea.' },
    });
    const draft = written.structuredContent as { url: string; version: string; status: string };
    expect(draft.status).toBe('draft');
    const edited = await client.callTool({
      name: 'edit_draft',
      arguments: { url: draft.url, version: draft.version, text: 'Two pots.' },
    });
    expect(edited.isError).toBeFalsy();
    const read = await client.callTool({ name: 'read_post', arguments: { url: draft.url } });
    expect(read.structuredContent).toMatchObject({ title: 'Tea', text: 'Two pots.', status: 'draft' });
    const { post } = await scene.porchlight.call('posts.get', { url: draft.url });
    expect(post).toMatchObject({ status: 'draft', markdown: 'Two pots.' });
    await client.close();
  });
});

test('@modelcontextprotocol/sdk signs in and reads', async () => {
  const authProvider = provider();
  const first = new OlderTransport(address(), { authProvider: authProvider });
  await expect(new OlderClient({ name: 'test', version: '1' }).connect(first as never)).rejects.toThrow(
    'Unauthorized',
  );
  await first.finishAuth((await authProvider.answer).get('code') ?? '');
  const client = new OlderClient({ name: 'test', version: '1' });
  await client.connect(new OlderTransport(address(), { authProvider: authProvider }));
  expect((await client.listTools()).tools).toHaveLength(8);
  const found = await client.callTool({ name: 'search_posts', arguments: {} });
  expect(found.structuredContent).toEqual({ posts: [] });
  expect(await client.listResources()).toEqual({ resources: [] });
  await client.close();
});
