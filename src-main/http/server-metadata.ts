import { PorchlightError } from '../contract/error.ts';
import { knownScopes } from '../contract/sign-ins.ts';

/** Returns the URLs of this server's endpoints. `base`: the origin, without a trailing slash. */
export function endpointsOf(base: string) {
  return {
    metadata: `${base}/.well-known/oauth-authorization-server`,
    authorization: `${base}/auth`,
    token: `${base}/token`,
    introspection: `${base}/introspect`,
    revocation: `${base}/revoke`,
    userinfo: `${base}/userinfo`,
    jwks: `${base}/.well-known/jwks.json`,
    micropub: `${base}/micropub`,
    webmention: `${base}/webmention`,
  };
}

/** The endpoint for assistants, where tokens may be bound to it: `mcp`. Tokens of other apps have no such place. */
export type TokenResource = 'mcp' | undefined;

/** Returns the address of the endpoint for assistants, which is also the resource of its tokens (RFC 8707). */
export const mcpAddress = (base: string): string => `${base}/mcp`;

/**
 * Returns where a token counts that is requested for `resource`, a parameter of authorization and token requests (RFC
 * 8707). A trailing slash makes no difference.
 * @throws PorchlightError `invalid_target` if this server has no such resource
 */
export function resourceNamed(resource: unknown, base: string, hasAssistants: boolean): TokenResource {
  if (resource === undefined || resource === '') return undefined;
  const address = typeof resource === 'string' ? resource.replace(/\/$/, '') : '';
  if (address === base) return undefined;
  if (address === mcpAddress(base) && hasAssistants) return 'mcp';
  throw new PorchlightError('invalid_target', 'The parameter resource names nothing on this server.');
}

/** Returns the issuer identifier: the origin with a trailing slash (D-6). */
export function issuerOf(base: string): string {
  return `${base}/`;
}

/** Returns the server's metadata (IndieAuth 4.1.1, RFC 8414, RFC 9207). */
export function metadataOf(base: string) {
  const endpoints = endpointsOf(base);
  return {
    issuer: issuerOf(base),
    authorization_endpoint: endpoints.authorization,
    token_endpoint: endpoints.token,
    introspection_endpoint: endpoints.introspection,
    introspection_endpoint_auth_methods_supported: ['Bearer'], // RFC 8414 (2) also allows access token types here
    revocation_endpoint: endpoints.revocation,
    revocation_endpoint_auth_methods_supported: ['none'],
    userinfo_endpoint: endpoints.userinfo,
    jwks_uri: endpoints.jwks,
    token_endpoint_auth_methods_supported: ['none'],
    scopes_supported: knownScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    // Clients look for the Micropub endpoint here first, and then in the links of the owner's page (IA-3).
    micropub: endpoints.micropub,
  };
}
