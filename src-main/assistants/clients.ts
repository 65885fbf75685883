/**
 * Client documents that this server has for assistants that publish none of their own (OAuth Client ID Metadata
 * Document). The owner pastes their address as the client id. The redirect addresses are those of the programs.
 */
export const clientDocuments = {
  cursor: {
    client_name: 'Cursor',
    redirect_uris: [
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
