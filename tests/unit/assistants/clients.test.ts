import { describe, expect, test } from 'vitest';
import { clientDocuments } from '../../../src-main/assistants/clients.ts';
import {
  clientFromDocument,
  redirectAllowed,
  redirectUriFault,
} from '../../../src-main/sign-in/client-information.ts';

/** What a client publishes about itself, and the redirect URIs that it then sends. */
interface Client {
  readonly id: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly sends: readonly string[];
}

const grants = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };
const isPublic = { ...grants, token_endpoint_auth_method: 'none' };
const loopback = ['http://127.0.0.1/callback', 'http://localhost/callback'];

/**
 * The fields that the clients published in September 2026, at the address that is their id. Programs listen on a port
 * that is new at each sign-in.
 */
const published: Readonly<Record<string, Client>> = {
  Claude: {
    id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    document: {
      ...isPublic,
      client_uri: 'https://claude.ai',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: [...grants.grant_types, 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    },
    sends: ['https://claude.ai/api/mcp/auth_callback'],
  },
  'Claude Code': {
    id: 'https://claude.ai/oauth/claude-code-client-metadata',
    document: { ...isPublic, client_uri: 'https://claude.ai', redirect_uris: loopback },
    sends: ['http://localhost:3118/callback', 'http://127.0.0.1:54545/callback'],
  },
  ChatGPT: {
    id: 'https://chatgpt.com/oauth/client.json',
    document: {
      ...grants,
      client_uri: 'https://chatgpt.com/',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      token_endpoint_auth_signing_alg: 'RS256',
      jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    },
    sends: ['https://chatgpt.com/connector_platform_oauth_redirect'],
  },
  Codex: {
    id: 'https://chatgpt.com/oauth/codex/client.json',
    document: {
      ...isPublic,
      client_uri: 'https://chatgpt.com/codex',
      application_type: 'native',
      token_endpoint_auth_methods_supported: ['none'],
      redirect_uris: loopback,
    },
    sends: ['http://127.0.0.1:37819/callback'],
  },
  'Visual Studio Code': {
    id: 'https://vscode.dev/oauth/client-metadata.json',
    document: {
      ...isPublic,
      client_uri: 'https://vscode.dev/product',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
      grant_types: [...grants.grant_types, 'urn:ietf:params:oauth:grant-type:device_code'],
    },
    sends: ['http://127.0.0.1:33418/', 'http://127.0.0.1:50123/', 'https://vscode.dev/redirect'],
  },
  Zed: {
    id: 'https://zed.dev/oauth/client-metadata.json',
    document: {
      ...isPublic,
      client_uri: 'https://zed.dev',
      redirect_uris: ['http://127.0.0.1/callback'],
    },
    sends: ['http://127.0.0.1:49152/callback'],
  },
  opencode: {
    id: 'https://opencode.ai/oauth/opencode/client.json',
    document: {
      ...isPublic,
      client_uri: 'https://opencode.ai',
      application_type: 'native',
      token_endpoint_auth_methods_supported: ['none'],
      redirect_uris: loopback,
    },
    sends: ['http://127.0.0.1:19876/callback'],
  },
  'Cursor 3.20': {
    id: 'https://cursor.com/oauth/mcp-client.json',
    document: {
      token_endpoint_auth_method: 'none',
      redirect_uris: [
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
        'http://127.0.0.1:8787/callback',
      ],
    },
    sends: ['http://localhost:8787/callback', 'https://www.cursor.com/agents/mcp/oauth/callback'],
  },
};

/** Those that we serve. Cursor has sent each of these since 2025; Gemini CLI takes a port of its own or 7777. */
const servedByUs: Readonly<Record<string, Client>> = {
  Cursor: {
    id: 'https://home.example/clients/cursor.json',
    document: clientDocuments.cursor,
    sends: [
      'http://localhost:8787/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'cursor://anysphere.cursor-mcp/oauth/callback',
    ],
  },
  'Gemini CLI': {
    id: 'https://home.example/clients/gemini-cli.json',
    document: clientDocuments['gemini-cli'],
    sends: ['http://localhost:7777/oauth/callback', 'http://localhost:41234/oauth/callback'],
  },
};

const read = (name: string, { id, document }: Client, changes: object = {}) =>
  clientFromDocument(id, JSON.stringify({ client_id: id, client_name: name, ...document, ...changes }));

describe.each(Object.entries({ ...published, ...servedByUs }))('%s', (name, client) => {
  test('is accepted as a public client, without a warning', () => {
    expect(read(name, client)).toMatchObject({ id: client.id, name, warnings: [] });
  });

  test('gets the response at the redirect URIs that it sends, and nowhere else', () => {
    const { redirects } = read(name, client);
    for (const uri of client.sends)
      expect([uri, redirectUriFault(uri), redirectAllowed(uri, client.id, redirects)]).toEqual([
        uri,
        null,
        true,
      ]);
    const { origin } = new URL(client.id);
    for (const uri of [`${origin}/elsewhere`, 'http://127.0.0.1:33418/elsewhere', 'cursor://other/callback'])
      expect([uri, redirectAllowed(uri, client.id, redirects)]).toEqual([uri, false]);
  });

  test('IA-46 would be refused if it offered only keys', () => {
    const onlyKeys = {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
    };
    expect(() => read(name, client, onlyKeys)).toThrow('“private_key_jwt”');
  });

  test('IA-43 gets a warning if it names another site as its home', () => {
    const { warnings } = read(name, client, { client_uri: 'https://other.example/' });
    expect(warnings).toEqual([expect.stringContaining('another site as its home')]);
  });
});
