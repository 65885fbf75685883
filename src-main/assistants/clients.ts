/**
 * Client documents that this server has for assistants that publish none of their own (OAuth Client ID Metadata
 * Document); Cursor does since version 3.20. The owner pastes their address as the client id. Where the redirect
 * addresses are from: https://cursor.com/docs/mcp (`cursor:` is that of older versions), and “Browser Redirect
 * Requirements” in docs/tools/mcp-server.md of google-gemini/gemini-cli, whose port may change.
 */
export const clientDocuments = {
  cursor: {
    client_name: 'Cursor',
    redirect_uris: [
      'http://localhost:8787/callback',
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
    ],
    token_endpoint_auth_method: 'none',
  },
  'gemini-cli': {
    client_name: 'Gemini CLI',
    redirect_uris: ['http://localhost:7777/oauth/callback', 'http://127.0.0.1:7777/oauth/callback'],
    token_endpoint_auth_method: 'none',
  },
} as const;
