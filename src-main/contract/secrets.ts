import { Type } from 'typebox';
import { closed, method, Nothing, withSaved } from './shapes.ts';

const Token = closed({ token: Type.String() });

export const secretMethods = {
  /**
   * Returns the token for the endpoints that manage mentions. Anyone who has the token can list, import and delete
   * mentions on this server.
   */
  'secrets.managementToken': method(Nothing, Token),
  'secrets.rotateManagementToken': method(Nothing, withSaved(Token.properties)),
  /** Stores the token of a named Cloudflare tunnel. An empty token deletes the stored token. */
  'secrets.setTunnelToken': method(
    closed({ token: Type.String({ maxLength: 4096, pattern: '^[A-Za-z0-9+/=_.-]*$' }) }),
    closed({ stored: Type.Boolean() }),
  ),
  /** Returns whether a tunnel token is stored. Never returns the token itself. */
  'secrets.hasTunnelToken': method(Nothing, closed({ stored: Type.Boolean() })),
  /** Stores the webmention.io token that imports use. An empty token deletes the stored token. */
  'secrets.setAggregatorToken': method(
    closed({ token: Type.String({ maxLength: 500, pattern: '^[\\x21-\\x7E]*$' }) }),
    closed({ stored: Type.Boolean() }),
  ),
};
